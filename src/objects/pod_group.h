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

// A group of groups (scheduling.k8s.io/v1alpha3).
struct CompositePodGroup {
  ObjectMeta meta;
  std::optional<std::int32_t> min_groups;  // gang.minGroupCount; nullopt: policy basic
  std::vector<std::string> topology_keys;
  bool disrupt_together = false;
  std::string priority_class;
  std::optional<std::int32_t> priority;
  std::string preemption_policy;
  std::string workload_name;
  std::string parent;

  friend bool operator==(const CompositePodGroup&, const CompositePodGroup&) = default;
};

// policy/v1, as far as preemption looks at it.
struct DisruptionBudget {
  ObjectMeta meta;
  LabelSelector selector;
  std::int32_t allowed = 0;            // status.disruptionsAllowed
  std::vector<std::string> disrupted;  // status.disruptedPods

  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

// A composite above a PodGroup that the annotation quorate.dev/composite-groups tells of.
struct ToldComposite {
  std::string name;
  std::optional<std::int32_t> min_groups;
  std::string topology_key;
  bool disrupt_together = false;

  friend bool operator==(const ToldComposite&, const ToldComposite&) = default;
};

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
  std::vector<ToldComposite> composites;

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
