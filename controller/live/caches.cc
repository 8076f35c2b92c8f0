#include "controller/live/caches.h"

#include <vector>

namespace quorate::controller {
namespace {

std::vector<std::string> workload_index(const objects::Workload& workload) {
  std::vector<std::string> keys;
  if (const objects::OwnerReference* owner = objects::controller_of(workload.meta)) {
    keys.push_back(by_owner_uid(owner->uid));
    if (owner->kind == "PodGroup") {
      keys.push_back(by_group_name({workload.meta.key.ns, owner->name}));
    }
  }
  if (workload.priority_class && workload.priority_class->kind == "WorkloadPriorityClass") {
    keys.push_back(by_class(workload.priority_class->name));
  }
  return keys;
}

std::vector<std::string> pod_index(const objects::Pod& pod) {
  const std::string_view group = objects::group_of(pod);
  if (group.empty()) return {};
  return {by_group(!pod.spec->scheduling_group.empty(), pod.meta.key.ns, group)};
}

}  // namespace

std::string by_owner_uid(std::string_view uid) { return "owner/" + std::string(uid); }
std::string by_group_name(const ObjectKey& group) { return "group/" + group.text(); }
std::string by_class(std::string_view name) { return "class/" + std::string(name); }

std::string by_group(bool native, std::string_view ns, std::string_view group) {
  std::string key = native ? "native/" : "fallback/";
  return key.append(ns).append("/").append(group);
}

Caches::Caches() : workloads(workload_index), pods(pod_index) {}

PriorityClasses Caches::priority_classes() const {
  PriorityClasses classes;
  for (const auto& one : workload_classes.all()) classes.workload.emplace(one->meta.key.name, *one);
  for (const auto& one : pod_classes.all()) classes.pod.emplace(one->meta.key.name, *one);
  return classes;
}

}  // namespace quorate::controller
