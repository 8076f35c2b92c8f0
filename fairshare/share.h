#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "quota/cohort_tree.h"
#include "quota/wide.h"

namespace quorate::fairshare {

// What a vertex of the quota tree takes beyond its own, as a part of what there is to lend, divided
// by its weight: an exact fraction borrowed / (lendable * weight), so that ties are real ties.
//
// Dominant share: the largest part over all resources (Ghodsi et al., NSDI 2011, section 4), of the
// usage above the vertex' own quota. A vertex of weight zero that borrows has an infinite share;
// two of them compare by the unweighted part.
class Share {
 public:
  Share() = default;
  // `lendable` > 0, amounts >= 0.
  Share(std::int64_t borrowed, std::int64_t lendable, std::int64_t weight_milli)
      : borrowed_(borrowed), lendable_(lendable), weight_milli_(weight_milli) {}

  bool is_zero() const { return borrowed_ == 0; }
  bool is_infinite() const { return weight_milli_ == 0 && borrowed_ > 0; }

  // As the status shows it: thousandths, rounded up; the largest number if infinite.
  std::int64_t weighted() const;

  friend std::strong_ordering operator<=>(const Share& a, const Share& b);
  friend bool operator==(const Share& a, const Share& b) { return (a <=> b) == 0; }

 private:
  std::int64_t borrowed_ = 0;
  std::int64_t lendable_ = 1;
  std::int64_t weight_milli_ = 1000;
};

struct DominantShare {
  Share share;
  std::string resource;  // "" if nothing is borrowed
  bool borrowing = false;
};

// The share of a vertex with `extra` usage added to it. A vertex without parent has none.
DominantShare dominant_share(const quota::CohortTree& tree, const quota::Names& names,
                             quota::NodeId node, std::int64_t weight_milli,
                             const quota::ResourceMap& extra = {});

}  // namespace quorate::fairshare
