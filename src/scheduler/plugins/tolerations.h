#pragma once

#include "src/scheduler/views.h"

namespace quorate::scheduler {

// True if the pod, with what its admission adds, tolerates the taint.
inline bool tolerated(const PodView& pod, const Taint& taint) {
  return tolerates(pod.pod().tolerations, taint) ||
         (pod.tolerations != nullptr && tolerates(*pod.tolerations, taint));
}

}  // namespace quorate::scheduler
