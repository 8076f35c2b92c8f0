#pragma once

// Preemption as flavor assignment and the cycle see it: whether it is worth to look, what it would
// come to for one (flavor, resource), and who has to leave in the end.

#include <optional>

#include "admission/assignment.h"
#include "admission/preemption_fair.h"
#include "admission/preemption_search.h"

namespace quorate::admission {

// Whether the queue's policies make it worth to look for victims of `amount`.
inline bool may_preempt(const ClusterQueueSpec& spec, bool fair_sharing, quota::Amount nominal,
                        Quantity amount, bool may_reclaim) {
  if (nominal >= quota::Amount{amount} || may_reclaim) return true;
  if (spec.borrow_within_cohort.policy != PreemptionPolicy::Never) return true;
  return fair_sharing && spec.reclaim_within_cohort != PreemptionPolicy::Never;
}

struct Simulated {
  Mode mode = Mode::NoCandidates;  // or Preempt, Reclaim
  int level = 0;                   // of borrowing, the victims gone
};

class Preemption {
 public:
  // `fair`: how victims are found where capacity is shared fairly; nullopt: the classic way.
  Preemption(SearchContext context, std::optional<FairRules> fair)
      : context_(context), fair_(fair) {}

  // Who has to leave for the preemptor; nobody if that would not help. Nothing changes.
  // `placement`: what must hold beside quota; nullptr: nothing.
  std::vector<Target> find(const Preemptor& preemptor, PlacementTrial* placement = nullptr) const;

  // What a search for one (flavor, resource) alone would come to, placement left out.
  Simulated simulate(const Facts& facts, quota::NodeId node, const ClusterQueueSpec& spec,
                     quota::FlavorResource fr, Quantity amount) const;

 private:
  std::vector<Target> search(const SearchContext& context, const Preemptor& preemptor) const;

  SearchContext context_;
  std::optional<FairRules> fair_;
};

}  // namespace quorate::admission
