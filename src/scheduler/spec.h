#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"

namespace quorate::scheduler {

// A CompositePodGroup: a group of groups, native or told by the annotations of those below it.
struct CompositeGroupSpec {
  ObjectKey key;
  std::string uid;              // "" if only annotations tell of it
  bool gang = true;             // else basic: its children are scheduled one by one
  std::int32_t min_groups = 1;  // children that have to be placed with their minimum
  std::optional<std::int32_t> priority;
  std::string preemption_policy;  // "": that of its members
  std::string topology_key;       // one domain of this node label for all below it; "" if none
  bool disrupt_together = false;  // preempted as a whole or not at all
  std::string parent;             // a CompositePodGroup of the same namespace; "" at the root
  std::string workload;           // workloadRef; "" if none
  Time created;
  bool terminating = false;

  friend bool operator==(const CompositeGroupSpec&, const CompositeGroupSpec&) = default;
};

// A PodGroup, native or fallback, in one model.
struct PodGroupSpec {
  ObjectKey key;
  std::string uid;
  bool native = true;  // scheduling.k8s.io; else scheduling.x-k8s.io
  bool gang = true;    // else basic: members are scheduled one by one
  std::int32_t min_count = 1;
  std::optional<std::int32_t> priority;  // nullopt: the largest of its members
  std::string topology_key;  // one domain of this node label for all members; "" if none
  Time created;
  bool initially_scheduled = false;  // condition PodGroupInitiallyScheduled=True seen
  std::string condition_reason, condition_message;  // of that condition while False
  bool terminating = false;
  // A queue manages the group itself: members wait until its workload is admitted.
  bool needs_admission = false;
  std::string preemption_policy;  // "": that of its members
  bool disrupt_together = false;  // preempted as a whole or not at all
  std::string parent;             // a CompositePodGroup of the same namespace; "" if it has none
  std::string workload;           // workloadRef; "" if none
  // The composites above it as its annotation tells them, the nearest first. An object of that name
  // counts more.
  std::vector<CompositeGroupSpec> ancestors;
  // Claims that it shares with its pods, and those made for entries that name a template.
  std::vector<PodClaim> resource_claims;
  std::map<std::string, std::string> claim_names;

  friend bool operator==(const PodGroupSpec&, const PodGroupSpec&) = default;
};

// A PodDisruptionBudget with what its controller last found.
struct DisruptionBudget {
  ObjectKey key;
  LabelSelector selector;
  std::int32_t allowed = 0;            // status.disruptionsAllowed
  std::vector<std::string> disrupted;  // status.disruptedPods: their end is counted already

  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

// What the admission of a group that a queue manages adds to the members' constraints.
struct GroupAdmission {
  ObjectKey group;
  Labels node_labels;
  std::vector<Toleration> tolerations;
  // Workload that was admitted for the group and its pod set that the members are: they take the
  // places reserved for it. Same namespace; "" if nothing was reserved.
  std::string workload;
  std::string pod_set;

  friend bool operator==(const GroupAdmission&, const GroupAdmission&) = default;
};

}  // namespace quorate::scheduler
