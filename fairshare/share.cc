#include "fairshare/share.h"

#include <limits>

#include "fairshare/wide256.h"

namespace quorate::fairshare {

using quota::Wide;

std::int64_t Share::weighted() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (is_zero()) return 0;
  if (is_infinite()) return kMost;
  // 1000 * borrowed / lendable / (weight / 10^9); the products stay below 2^126.
  const Wide above = Wide{borrowed_} * 1000 * kWeightOne;
  const Wide below = Wide{lendable_} * weight_;
  const Wide up = (above + below - 1) / below;
  return up > kMost ? kMost : static_cast<std::int64_t>(up);
}

std::strong_ordering operator<=>(const Share& a, const Share& b) {
  if (a.is_zero() || b.is_zero()) return a.borrowed_ <=> b.borrowed_;
  if (a.is_infinite() != b.is_infinite()) {
    return a.is_infinite() ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  // borrowed_a / (lendable_a * weight_a) against the same of b, multiplied out.
  const Wide mine = Wide{a.borrowed_} * b.lendable_;
  const Wide other = Wide{b.borrowed_} * a.lendable_;
  if (a.weight_ == b.weight_) return mine <=> other;  // both infinite: both weights are zero
  return Wide256(mine) * static_cast<std::uint64_t>(b.weight_) <=>
         Wide256(other) * static_cast<std::uint64_t>(a.weight_);
}

}  // namespace quorate::fairshare
