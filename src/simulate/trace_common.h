#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "src/simulate/trace.h"

namespace quorate::simulate {

inline constexpr const char* kGpu = "nvidia.com/gpu";
inline constexpr const char* kTraceNamespace = "trace";

inline objects::ObjectMeta named(std::string name, std::string ns = "") {
  return {.key = {std::move(ns), std::move(name)}};
}

// A queue, and the way into it from the trace's namespace.
inline void add_queue(Objects& objects, objects::ClusterQueue queue) {
  const std::string name = queue.meta.key.name;
  queue.namespace_selector = LabelSelector{};
  objects::LocalQueue local;
  local.meta = named(name, kTraceNamespace);
  local.cluster_queue = name;
  objects.of<objects::LocalQueue>().emplace(local.meta.key, std::move(local));
  objects.of<objects::ClusterQueue>().emplace(queue.meta.key, std::move(queue));
}

// A bare Workload of one pod set.
inline objects::Workload workload_of(std::string name, std::string queue, std::int32_t count,
                                     PodTemplate pod) {
  objects::Workload workload;
  workload.meta = named(std::move(name), kTraceNamespace);
  workload.queue_name = std::move(queue);
  workload.priority = 0;
  objects::PodSet& set = workload.pod_sets.emplace_back();
  set.count = count;
  set.pod_template.parsed = std::make_shared<const PodTemplate>(std::move(pod));
  return workload;
}

inline void sort_arrivals(std::vector<Arrival>& arrivals) {
  std::ranges::sort(arrivals, {}, [](const Arrival& a) {
    return std::pair(a.at, std::string_view(a.workload.meta.key.name));
  });
}

}  // namespace quorate::simulate
