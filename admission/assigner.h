#pragma once

#include <span>

#include "admission/assignment.h"
#include "admission/facts.h"
#include "admission/queue_plan.h"
#include "quota/cohort_tree.h"

namespace quorate::admission {

// What flavor assignment looks at beside the workload. Nothing of it changes during an assignment.
struct AssignContext {
  const quota::CohortTree& tree;
  quota::NodeId node;  // of the queue
  const ClusterQueueSpec& spec;
  const QueuePlan& plan;
  const FlavorTable& flavors;
  quota::Names& names;
  ResourceOrder& order;
  bool ignore_undeclared = false;
  bool fair_sharing = false;
};

// Chooses a flavor for every requested resource, pod set by pod set, as if the workload were alone.
//
// All resources of one resource group come from one flavor. Flavors are scanned in the queue's
// order, starting behind where `resume` stopped (nullptr: at the first); the fungibility policies
// say when the scan may stop. `counts` are the pods per pod set. The first pod set without a flavor
// ends the assignment.
Assignment assign(const AssignContext& context, const Facts& workload,
                  std::span<const std::int32_t> counts, const Scan* resume);

// The counts that are left after reclaim.
std::vector<std::int32_t> remaining_counts(const Facts& workload);

// assign() with the full counts; where that does not fit and pod sets may shrink, with the largest
// counts that do, found by halving as the reference does. If none fits: the full assignment.
Assignment assign_or_shrink(const AssignContext& context, const Facts& workload,
                            const Scan* resume);

}  // namespace quorate::admission
