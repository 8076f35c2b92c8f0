#pragma once

#include <optional>

#include "src/base/time.h"
#include "src/jobs/job_workload.h"
#include "src/objects/pod_group.h"

namespace quorate::controller {

// What of the configuration the reconcilers look at, beside what decides about the Workload of a
// Job.
struct ReconcileSettings : jobs::DerivationSettings {
  bool manage_jobs_without_queue_name = false;
  bool wait_for_pods_ready = false;
  objects::PodGroupApi native_groups = objects::PodGroupApi::V1beta1;  // as the cluster serves them
  // objectRetentionPolicies.workloads; nullopt keeps them for ever.
  std::optional<Duration> retain_finished;
  std::optional<Duration> retain_deactivated;

  // Feature gates, by what they do.
  bool reclaimable_pods = true;
  bool queue_labels_for_pods = true;
  bool replace_failed_nodes = true;
  bool replace_on_termination = true;     // a node that is not ready, once no pod runs there
  bool replace_on_taints = true;          // a tainted node, once no pod runs there
  bool replace_after_fixed_time = false;  // a node that is not ready for half a minute
  bool finish_orphans = true;
  bool concurrent_admission = false;  // Workloads may have variants
};

}  // namespace quorate::controller
