#pragma once

#include "admission/assignment.h"
#include "admission/spec.h"
#include "quota/cohort_tree.h"

namespace quorate::admission {

// Whether the queue's policies make it worth to look for victims of `amount`.
inline bool may_preempt(const ClusterQueueSpec& spec, bool fair_sharing, quota::Amount nominal,
                        Quantity amount, bool may_reclaim) {
  if (nominal >= quota::Amount{amount} || may_reclaim) return true;
  if (spec.borrow_within_cohort.policy != PreemptionPolicy::Never) return true;
  return fair_sharing && spec.reclaim_within_cohort != PreemptionPolicy::Never;
}

// The step of flavor assignment that looks for workloads to preempt in favour of one (flavor,
// resource). No workload is a candidate yet, so whoever would have to preempt waits for quota with
// the reasons of one who found nobody.
inline Mode simulate_preemption() { return Mode::NoCandidates; }

}  // namespace quorate::admission
