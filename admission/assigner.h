#pragma once

#include <span>

#include "admission/assignment.h"
#include "admission/facts.h"
#include "admission/preemption.h"
#include "admission/queue_plan.h"
#include "quota/cohort_tree.h"
#include "src/base/transaction.h"
#include "topology/inventory.h"

namespace quorate::admission {

// What the slice that a workload takes the place of holds. It stays charged until that slice is
// finished, so that only what is wanted beyond it has to be free.
struct Replaced {
  struct Part {
    std::string pod_set;
    std::uint32_t resource = 0;
    std::uint32_t flavor = 0;
    Quantity amount;
  };
  std::vector<Part> parts;
};

// What the placement by topology looks at. Trees are settled, nothing else of them changes.
struct TopologyContext {
  topology::Inventory* inventory = nullptr;  // nullptr: nothing is placed
  const TopologyConfig* config = nullptr;
  const std::map<std::string, AdmissionCheckSpec>* checks = nullptr;
  Journal* journal = nullptr;  // for trials; nullptr: none are made
  bool second_pass = false;    // checks are ready, and what they add to the pods counts
};

// What flavor assignment looks at beside the workload. Nothing of it differs after an assignment.
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
  const Preemption* preemption = nullptr;  // nullptr: nobody can be preempted
  const Assignment* pinned = nullptr;      // only its flavors are tried
  const Replaced* replaced = nullptr;      // its flavors are kept, its amounts are there already
  TopologyContext topology = {};
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

// The workload with an assignment, as one that asks others to leave: short wherever its mode says.
Preemptor preemptor_of(const AssignContext& context, const Facts& workload,
                       const Assignment& assignment);

// assign() with the full counts, and the workloads that have to leave for it; where it can be had
// neither way and pod sets may shrink, with the largest counts that can, found by halving as the
// reference does. If there are none: the full assignment.
Assignment assign_or_shrink(const AssignContext& context, const Facts& workload,
                            const Scan* resume);

// assign() with the flavors and counts of `pinned`, and the workloads that have to leave for it.
Assignment assign_again(const AssignContext& context, const Facts& workload,
                        const Assignment& pinned);

}  // namespace quorate::admission
