#pragma once

#include <optional>
#include <vector>

#include "controller/reconcile/job_workload.h"
#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/jobs/priority.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// Everything about one PodGroup that a queue manages itself, with plain pods as members.
struct GroupView {
  ObjectKey key;
  std::optional<objects::PodGroup> group;  // nullopt: it is gone
  bool namespace_selected = true;
  std::vector<objects::Workload> workloads;  // those whose controlling owner is the group
  std::vector<objects::Pod> pods;            // those that name the group
  Outcome<jobs::Priority> priority = jobs::Priority{};
};

// The writes that bring the cluster to what was decided about the group. Level-based, like the
// Job's.
//
// A Workload is derived once the members are there, one pod set for each scheduling shape of
// theirs, and made again while nobody is bound when members join. Its members need no unsuspending:
// the scheduler keeps them until the Workload is admitted. Quota is held until the last member has
// ended; a group whose Workload is evicted or deleted loses the members that run, as a Job would.
Plan reconcile(const GroupView& seen, const ReconcileSettings& settings, Time now);

// Pod sets of these members: one for each shape, named by it, in order of the names.
// Errors: Invalid - more shapes than a Workload can hold.
Outcome<std::vector<objects::PodSet>> group_pod_sets(const std::vector<objects::Pod>& members);

// A Kubernetes event about the PodGroup.
kube::Event group_event(const objects::PodGroup& group, kube::EventType type,
                        std::string_view reason, std::string note);

}  // namespace quorate::controller
