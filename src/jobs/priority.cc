#include "src/jobs/priority.h"

namespace quorate::jobs {

PriorityClasses priority_classes(
    const std::map<ObjectKey, objects::WorkloadPriorityClass>& workload,
    const std::map<ObjectKey, objects::PriorityClass>& pod) {
  PriorityClasses classes;
  for (const auto& [key, one] : workload) classes.workload.emplace(key.name, one);
  for (const auto& [key, one] : pod) classes.pod.emplace(key.name, one);
  return classes;
}

Outcome<Priority> resolve_priority(const PriorityClasses& classes, std::string_view workload_class,
                                   std::string_view pod_class) {
  if (!workload_class.empty()) {
    const auto found = classes.workload.find(workload_class);
    if (found == classes.workload.end()) {
      return error(Errc::NotFound,
                   "WorkloadPriorityClass \"" + std::string(workload_class) + "\" not found");
    }
    return Priority{found->second.value,
                    objects::PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass",
                                              std::string(workload_class)}};
  }
  const objects::PriorityClass* chosen = nullptr;
  if (!pod_class.empty()) {
    const auto found = classes.pod.find(pod_class);
    if (found == classes.pod.end()) {
      return error(Errc::NotFound, "PriorityClass \"" + std::string(pod_class) + "\" not found");
    }
    chosen = &found->second;
  } else {
    // Sorted by name, so of several defaults with the smallest value the first name wins.
    for (const auto& [name, candidate] : classes.pod) {
      if (candidate.global_default && (chosen == nullptr || candidate.value < chosen->value)) {
        chosen = &candidate;
      }
    }
  }
  if (chosen == nullptr) return Priority{};
  return Priority{chosen->value, objects::PriorityClassRef{"scheduling.k8s.io", "PriorityClass",
                                                           chosen->meta.key.name}};
}

}  // namespace quorate::jobs
