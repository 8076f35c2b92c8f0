#pragma once

// Whom to evict for a pod or a group that has no place. Pure: tries evictions on the model inside
// transactions and leaves it as it was; who may be evicted at all is for the caller to say.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/scheduler/group_tree.h"

namespace quorate::scheduler {

// What is evicted together or not at all: a pod, or the pods of the highest group above it whose
// disruption mode is `all`.
struct PreemptionUnit {
  enum class Kind { Pod, Group, Composite };

  Kind kind = Kind::Pod;
  std::int64_t priority = 0;  // of the root group of its pods
  Time since;                 // its earliest pod
  std::string uid;
  std::vector<cluster::PodId> pods;  // by name

  // More important first: priority, then kind, then more pods, then older, then uid.
  friend bool operator<(const PreemptionUnit& a, const PreemptionUnit& b);
};

struct PreemptionWorld {
  const Framework& framework;
  cluster::Model& model;
  Journal& journal;
  std::span<const DisruptionBudget> budgets;
  // Pods that leave without anybody's doing; empty if none does.
  std::span<const cluster::PodId> leaving;
};

struct PodPreemption {
  cluster::NodeId node;  // none: nobody can be evicted so that the pod fits
  std::vector<PreemptionUnit> victims;
  // On that node pods are leaving already that make room for it: nobody else has to go.
  bool room_is_coming = false;
  // Why nodes are no candidates, with how many nodes each (DefaultPreemption's texts).
  std::map<std::string, std::int64_t> reasons;
};

// One node and the units to evict there so that the pod fits: all of lower priority are taken away,
// then given back one by one, those whose eviction breaks a PodDisruptionBudget first, most
// important first, wherever the pod still fits. Of several nodes: fewest violations of budgets,
// then the lowest highest priority, the lowest sum of priorities, fewest pods, the latest start of
// the most important victim, the first name. At most max(a tenth of all nodes, 100) candidates
// count.
PodPreemption preempt_for_pod(
    const PreemptionWorld& world, const PodView& pod, std::span<const cluster::NodeId> candidates,
    const std::function<std::vector<PreemptionUnit>(cluster::NodeId)>& units_on);

struct GroupPreemption {
  bool found = false;
  bool room_is_coming = false;
  TreePlan plan;  // if found: where the members go; else what even evicting everybody came to
  std::vector<PreemptionUnit> victims;
};

// The units to evict, over all nodes, so that the tree has its minimum. The least priority is found
// below which evicting everybody makes room; with those away the tree is planned once, and with
// that plan kept every unit comes back that leaves it possible, in the same order as for a pod.
// What is left is irreducible for that plan.
GroupPreemption preempt_for_groups(const PreemptionWorld& world, const TreePlanInput& input,
                                   std::vector<PreemptionUnit> units);

}  // namespace quorate::scheduler
