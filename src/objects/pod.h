#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/meta.h"

namespace quorate::objects {

enum class PodPhase { Pending, Running, Succeeded, Failed, Unknown };
std::string_view text_of(PodPhase phase);

// core/v1 Pod, as admission, the scheduler and the job reconcilers need it.
struct Pod {
  ObjectMeta meta;
  // Never null. Its labels and annotations are empty: a pod's own are in `meta`.
  std::shared_ptr<const PodTemplate> spec = std::make_shared<const PodTemplate>();
  std::string node_name;
  std::string nominated_node;
  PodPhase phase = PodPhase::Pending;
  std::map<std::string, std::string> claim_names;  // resourceClaimStatuses: entry -> claim
  std::string extended_claim;                      // extendedResourceClaimStatus
  std::string status_reason;                       // "Evicted", "OutOfcpu", ...
  std::string status_message;
  std::vector<Condition> conditions;
  std::optional<Time> started;  // status.startTime: the kubelet has seen it
  std::int32_t restarts = 0;    // of all containers and init containers together
  std::optional<std::int64_t> grace_period_seconds;  // metadata.deletionGracePeriodSeconds

  bool ended() const { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }
  bool terminating() const { return meta.deleted.has_value(); }

  friend bool operator==(const Pod& a, const Pod& b);  // specs by value
};

// The group the pod belongs to, native link first, then the fallback's label; "" for none.
std::string_view group_of(const Pod& pod);

}  // namespace quorate::objects
