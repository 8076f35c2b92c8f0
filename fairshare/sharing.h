#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fairshare/share.h"
#include "quota/cohort_tree.h"

namespace quorate::fairshare {

struct DominantShare {
  Share share;
  std::string resource;    // "" if nothing is borrowed
  bool borrowing = false;  // above its own quota in anything, also where there is nothing to lend
};

// The weights of ClusterQueues and Cohorts, and the shares that follow from them and from a quota
// tree's usage.
//
// What a cohort has to lend depends on the shape of its tree only, so it is added up once and kept
// until shape_changed(). A share then costs one pass over what the vertex knows.
// Not thread safe: asking fills the table.
class Sharing {
 public:
  // In billionths, >= 0; the default is one. A weight belongs to this very vertex: it goes with it.
  void set_weight(quota::NodeId node, std::int64_t weight);
  std::int64_t weight(quota::NodeId node) const;
  // To be called after every CohortTree::settle() that changed something.
  void shape_changed() { lendable_.clear(); }

  // The share of a vertex as its usage stands. One without parent has none.
  Share share(const quota::CohortTree& tree, quota::NodeId node) const;
  // The same, with the resource that decides it: the first by name where several do.
  DominantShare dominant_share(const quota::CohortTree& tree, const quota::Names& names,
                               quota::NodeId node) const;

 private:
  using Sums = std::vector<std::pair<std::uint32_t, quota::Amount>>;  // by resource, few

  const Sums& lendable(const quota::CohortTree& tree, quota::NodeId cohort) const;
  static Sums borrowed(const quota::CohortTree& tree, quota::NodeId node);

  struct Weight {
    quota::NodeId node;
    std::int64_t weight = kWeightOne;
  };
  std::vector<Weight> weights_;                     // by slot
  mutable std::map<std::uint32_t, Sums> lendable_;  // by slot of the cohort
};

// Whether the vertex takes more than its own of anything.
bool is_borrowing(const quota::CohortTree& tree, quota::NodeId node);

}  // namespace quorate::fairshare
