#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/kinds.h"
#include "src/objects/meta.h"

namespace quorate::objects {

enum class PodGroupApi { V1beta1, V1alpha3, V1alpha2, Fallback };
const KindInfo& kind_of(PodGroupApi api);

// A group of pods that is scheduled together, in whichever API version it was written; the fields
// are those of scheduling.k8s.io/v1beta1.
struct PodGroup {
  ObjectMeta meta;
  PodGroupApi api = PodGroupApi::V1beta1;

  std::optional<std::int32_t> min_count;   // gang.minCount (minMember); nullopt: policy basic
  std::vector<std::string> topology_keys;  // schedulingConstraints.topology[].key
  bool disrupt_together = false;           // disruptionMode all
  std::string priority_class;
  std::optional<std::int32_t> priority;
  std::string preemption_policy;  // "" is unset
  std::string workload_name;      // workloadRef
  std::string template_name;
  std::string parent;  // parentCompositePodGroupName

  // PodGroupInitiallyScheduled and DisruptionTarget under these names in every version.
  std::vector<Condition> conditions;

  // Fallback only.
  ResourceList min_resources;
  std::optional<std::int32_t> schedule_timeout_seconds;
  std::string phase;
  // Native only: claims that the group shares with its pods.
  std::vector<PodClaim> resource_claims;
  std::map<std::string, std::string> claim_names;  // status.resourceClaimStatuses

  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

}  // namespace quorate::objects
