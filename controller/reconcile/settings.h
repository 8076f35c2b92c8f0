#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/time.h"
#include "src/objects/pod_group.h"

namespace quorate::controller {

// What of the configuration the reconcilers look at.
struct ReconcileSettings {
  bool manage_jobs_without_queue_name = false;
  bool wait_for_pods_ready = false;
  objects::PodGroupApi native_groups = objects::PodGroupApi::V1beta1;  // as the cluster serves them
  std::vector<std::string> label_keys_to_copy;
  // objectRetentionPolicies.workloads; nullopt keeps them for ever.
  std::optional<Duration> retain_finished;
  std::optional<Duration> retain_deactivated;

  // Feature gates, by what they do.
  bool partial_admission = true;
  bool reclaimable_pods = true;
  bool queue_labels_for_pods = true;
  bool topology_aware = true;
  bool replace_failed_nodes = true;
  bool replace_on_termination = true;     // a node that is not ready, once no pod runs there
  bool replace_on_taints = true;          // a tainted node, once no pod runs there
  bool replace_after_fixed_time = false;  // a node that is not ready for half a minute
  bool elastic_jobs = true;
  bool admission_gated_by = true;
  bool finish_orphans = true;
  bool short_names = false;
};

}  // namespace quorate::controller
