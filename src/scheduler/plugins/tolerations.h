#pragma once

#include <algorithm>

#include "src/scheduler/views.h"

namespace quorate::scheduler {

// True if the pod, with what its admission adds, tolerates the taint.
inline bool tolerated(const PodView& pod, const Taint& taint) {
  return tolerates(pod.pod().tolerations, taint) ||
         (pod.tolerations != nullptr && tolerates(*pod.tolerations, taint));
}

// True if the node has a NoSchedule or NoExecute taint that the pod does not tolerate.
inline bool repelled(const PodView& pod, const cluster::NodeSpec& node) {
  return std::ranges::any_of(node.taints, [&](const Taint& taint) {
    return taint.effect != "PreferNoSchedule" && !tolerated(pod, taint);
  });
}

}  // namespace quorate::scheduler
