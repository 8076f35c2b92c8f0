#include "src/engine/placement_adapter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/scheduler/placement.h"

namespace quorate::engine {
namespace {

constexpr std::string_view kElasticGate = "kueue.x-k8s.io/elastic-job";

}  // namespace

// Pods that another scheduler binds go where we cannot see. Those of an elastic job are let go a
// few at a time, beside others of it that run: there is no gang to be placed as a whole.
bool PlacementAdapter::is_ours(const PodTemplate& pod) const {
  const bool known = std::ranges::any_of(config_.profiles, [&](const scheduler::Profile& profile) {
    return profile.scheduler_name == pod.scheduler_name;
  });
  return known &&
         std::ranges::find(pod.scheduling_gates, kElasticGate) == pod.scheduling_gates.end();
}

std::optional<admission::NotPlaceable> PlacementAdapter::reserve(
    const admission::GangToPlace& gang) {
  scheduler::GangRequest request{gang.workload, gang.uid, {}};
  for (const admission::PodSetToPlace& pods : gang.pod_sets) {
    if (!is_ours(*pods.pod)) continue;
    request.pod_sets.push_back(
        {pods.name, pods.count, pods.pod, pods.node_labels, pods.tolerations});
  }
  const std::optional<scheduler::NotPlaced> refusal =
      scheduler::GangPlacer(model_, journal_, config_).reserve(request);
  if (!refusal) return std::nullopt;
  return admission::NotPlaceable{refusal->pod_set, refusal->why};
}

void PlacementAdapter::release(const std::string& workload_uid) {
  if (!journal_.recording() && model_.reservation(workload_uid) != nullptr) freed_ = true;
  scheduler::GangPlacer(model_, journal_, config_).release(workload_uid);
}

bool PlacementAdapter::take_freed() { return std::exchange(freed_, false); }

}  // namespace quorate::engine
