#include "fairshare/share.h"

#include <algorithm>
#include <limits>
#include <map>

namespace quorate::fairshare {
namespace {

using quota::Amount;
using quota::FlavorResource;
using quota::Wide;

// Compares a/b with c/d for a, c >= 0 and b, d > 0 by continued fractions: exact whatever the size.
std::strong_ordering compare_fractions(Wide a, Wide b, Wide c, Wide d) {
  while (true) {
    const Wide whole_a = a / b, whole_c = c / d;
    if (whole_a != whole_c) return whole_a <=> whole_c;
    a -= whole_a * b;
    c -= whole_c * d;
    if (a == 0 || c == 0) return a == c ? std::strong_ordering::equal : a <=> c;
    std::swap(a, b);
    std::swap(c, d);
    // Turned upside down, the order turns too.
    std::swap(a, c);
    std::swap(b, d);
  }
}

}  // namespace

std::int64_t Share::weighted() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (is_zero()) return 0;
  if (is_infinite()) return kMost;
  // 1000 * borrowed / lendable / (weight_milli / 1000)
  const Wide above = Wide{borrowed_} * 1'000'000;
  const Wide below = Wide{lendable_} * weight_milli_;
  const Wide up = (above + below - 1) / below;
  return up > kMost ? kMost : static_cast<std::int64_t>(up);
}

std::strong_ordering operator<=>(const Share& a, const Share& b) {
  if (a.is_infinite() != b.is_infinite()) {
    return a.is_infinite() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  const bool weighted = !a.is_infinite();
  const auto below = [&](const Share& share) {
    const bool counts = weighted && !share.is_zero();
    return Wide{share.lendable_} * (counts ? share.weight_milli_ : 1);
  };
  return compare_fractions(a.borrowed_, below(a), b.borrowed_, below(b));
}

DominantShare dominant_share(const quota::CohortTree& tree, const quota::Names& names,
                             quota::NodeId node, std::int64_t weight_milli,
                             const quota::ResourceMap& extra) {
  DominantShare dominant;
  const quota::NodeId parent = tree.in_cycle(node) ? quota::NodeId{} : tree.parent(node);
  if (!parent) return dominant;

  // By name, so that the first of equals is the same everywhere.
  std::map<std::string, Amount, std::less<>> borrowed;
  for (const FlavorResource fr : tree.known(node)) {
    const Amount used = tree.usage(node, fr) + Amount{extra[fr]};
    const Amount above = (used - tree.subtree_quota(node, fr)).or_zero();
    if (above == Amount{}) continue;
    Amount& sum = borrowed[names.resource(fr)];
    sum = sum + above;
  }
  if (borrowed.empty()) return dominant;
  dominant.borrowing = true;

  std::map<std::string, Amount, std::less<>> lendable;
  for (const FlavorResource fr : tree.known(tree.root(node))) {
    if (!borrowed.contains(names.resource(fr))) continue;
    Amount& sum = lendable[names.resource(fr)];
    sum = sum + tree.potential(parent, fr);
  }
  for (const auto& [resource, amount] : borrowed) {
    const Amount all = lendable[resource];
    if (all <= Amount{}) continue;
    const Share share(amount.base_units(), all.base_units(), weight_milli);
    if (dominant.resource.empty() || share > dominant.share) {
      dominant.share = share;
      dominant.resource = resource;
    }
  }
  return dominant;
}

}  // namespace quorate::fairshare
