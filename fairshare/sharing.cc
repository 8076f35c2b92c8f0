#include "fairshare/sharing.h"

#include <algorithm>

namespace quorate::fairshare {
namespace {

using quota::Amount;
using quota::FlavorResource;
using quota::NodeId;

template <class Sums>
Amount& sum_of(Sums& sums, std::uint32_t resource) {
  const auto found = std::find_if(sums.begin(), sums.end(),
                                  [&](const auto& entry) { return entry.first == resource; });
  if (found != sums.end()) return found->second;
  return sums.emplace_back(resource, Amount{}).second;
}

NodeId parent_of(const quota::CohortTree& tree, NodeId node) {
  return tree.in_cycle(node) ? NodeId{} : tree.parent(node);
}

}  // namespace

void Sharing::set_weight(NodeId node, std::int64_t weight) {
  if (weights_.size() <= node.slot) weights_.resize(node.slot + 1);
  weights_[node.slot] = {node, weight};
}

std::int64_t Sharing::weight(NodeId node) const {
  // A slot that was used again belongs to somebody else.
  if (node.slot >= weights_.size() || weights_[node.slot].node != node) return kWeightOne;
  return weights_[node.slot].weight;
}

const Sharing::Sums& Sharing::lendable(const quota::CohortTree& tree, NodeId cohort) const {
  const auto [at, fresh] = lendable_.try_emplace(cohort.slot);
  if (!fresh) return at->second;
  Sums& sums = at->second;
  tree.each(tree.root(cohort), [&](FlavorResource fr, Amount, Amount) {
    Amount& sum = sum_of(sums, fr.resource);
    sum = sum + tree.potential(cohort, fr);
  });
  return sums;
}

Sharing::Sums Sharing::borrowed(const quota::CohortTree& tree, NodeId node) {
  Sums sums;
  tree.each(node, [&](FlavorResource fr, Amount used, Amount quota) {
    if (used <= quota) return;
    Amount& sum = sum_of(sums, fr.resource);
    sum = sum + (used - quota);
  });
  return sums;
}

Share Sharing::share(const quota::CohortTree& tree, NodeId node) const {
  Share most;
  const NodeId parent = parent_of(tree, node);
  if (!parent) return most;
  const Sums taken = borrowed(tree, node);
  if (taken.empty()) return most;
  const Sums& there = lendable(tree, parent);
  for (const auto& [resource, amount] : taken) {
    for (const auto& [of, all] : there) {
      if (of != resource || all <= Amount{}) continue;
      const Share share(amount.base_units(), all.base_units(), weight(node));
      if (share > most) most = share;
    }
  }
  return most;
}

DominantShare Sharing::dominant_share(const quota::CohortTree& tree, const quota::Names& names,
                                      NodeId node) const {
  DominantShare dominant;
  const NodeId parent = parent_of(tree, node);
  if (!parent) return dominant;
  const Sums taken = borrowed(tree, node);
  dominant.borrowing = !taken.empty();
  for (const auto& [resource, amount] : taken) {
    for (const auto& [of, all] : lendable(tree, parent)) {
      if (of != resource || all <= Amount{}) continue;
      const Share share(amount.base_units(), all.base_units(), weight(node));
      const std::string& name = names.resources.name({resource, 0});
      const bool first = dominant.resource.empty() || name < dominant.resource;
      if (share > dominant.share || (share == dominant.share && first)) {
        dominant.share = share;
        dominant.resource = name;
      }
    }
  }
  return dominant;
}

bool is_borrowing(const quota::CohortTree& tree, NodeId node) {
  if (!parent_of(tree, node)) return false;
  bool any = false;
  tree.each(node, [&](FlavorResource, Amount used, Amount quota) { any = any || used > quota; });
  return any;
}

}  // namespace quorate::fairshare
