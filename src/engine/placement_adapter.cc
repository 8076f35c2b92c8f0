#include "src/engine/placement_adapter.h"

#include <utility>

#include "src/scheduler/placement.h"

namespace quorate::engine {

std::optional<admission::NotPlaceable> PlacementAdapter::reserve(
    const admission::GangToPlace& gang) {
  scheduler::GangRequest request{gang.workload, gang.uid, {}};
  for (const admission::PodSetToPlace& pods : gang.pod_sets) {
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
