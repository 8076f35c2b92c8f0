#pragma once

#include <compare>
#include <cstdint>

namespace quorate::fairshare {

// A fair-sharing weight in billionths, the finest that a Kubernetes quantity can say.
inline constexpr std::int64_t kWeightOne = 1'000'000'000;

// What a vertex of the quota tree takes beyond its own, as a part of what there is to lend, divided
// by its weight: an exact fraction borrowed / (lendable * weight), so that ties are real ties.
//
// Dominant share: the largest part over all resources (Ghodsi et al., NSDI 2011, section 4), of the
// usage above the vertex' own quota. A vertex of weight zero that borrows has an infinite share;
// two of them compare by the unweighted part.
class Share {
 public:
  Share() = default;
  // `lendable` > 0, amounts and weight (in billionths) >= 0.
  Share(std::int64_t borrowed, std::int64_t lendable, std::int64_t weight)
      : borrowed_(borrowed), lendable_(lendable), weight_(weight) {}

  bool is_zero() const { return borrowed_ == 0; }
  bool is_infinite() const { return weight_ == 0 && borrowed_ > 0; }

  // As the status shows it: thousandths, rounded up; the largest number if infinite.
  std::int64_t weighted() const;

  // The three numbers, for those who print a share their own way.
  std::int64_t borrowed() const { return borrowed_; }
  std::int64_t lendable() const { return lendable_; }
  std::int64_t weight() const { return weight_; }

  friend std::strong_ordering operator<=>(const Share& a, const Share& b);
  friend bool operator==(const Share& a, const Share& b) { return (a <=> b) == 0; }

 private:
  std::int64_t borrowed_ = 0;
  std::int64_t lendable_ = 1;
  std::int64_t weight_ = kWeightOne;
};

}  // namespace quorate::fairshare
