#include "controller/live/caches.h"

#include <vector>

#include "controller/reconcile/placement_reconciler.h"
#include "src/objects/names.h"

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
  keys.push_back(by_workload(workload.meta.key.ns, name_for_pods(workload)));
  if (has_places(workload)) {
    for (const std::string& host : hosts_of(workload)) keys.push_back(by_host(host));
  }
  return keys;
}

std::vector<std::string> pod_index(const objects::Pod& pod) {
  std::vector<std::string> keys;
  const std::string_view group = objects::group_of(pod);
  if (!group.empty()) {
    keys.push_back(by_group(!pod.spec->scheduling_group.empty(), pod.meta.key.ns, group));
  }
  if (const std::string_view workload = workload_name_of(pod); !workload.empty()) {
    keys.push_back(by_workload(pod.meta.key.ns, workload));
  }
  return keys;
}

std::vector<std::string> node_index(const objects::Node& node) {
  return {by_host(hostname_of(node))};
}

}  // namespace

std::string by_owner_uid(std::string_view uid) { return "owner/" + std::string(uid); }
std::string by_group_name(const ObjectKey& group) { return "group/" + group.text(); }
std::string by_class(std::string_view name) { return "class/" + std::string(name); }
std::string by_host(std::string_view hostname) { return "host/" + std::string(hostname); }

std::string_view hostname_of(const objects::Node& node) {
  const std::string_view label = objects::value_of(node.meta.labels, objects::names::kHostname);
  return label.empty() ? std::string_view(node.meta.key.name) : label;
}

std::string by_group(bool native, std::string_view ns, std::string_view group) {
  std::string key = native ? "native/" : "fallback/";
  return key.append(ns).append("/").append(group);
}

std::string by_workload(std::string_view ns, std::string_view name) {
  return std::string("workload/").append(ns).append("/").append(name);
}

Caches::Caches() : workloads(workload_index), nodes(node_index), pods(pod_index) {}

jobs::PriorityClasses Caches::priority_classes() const {
  jobs::PriorityClasses classes;
  for (const auto& one : workload_classes.all()) classes.workload.emplace(one->meta.key.name, *one);
  for (const auto& one : pod_classes.all()) classes.pod.emplace(one->meta.key.name, *one);
  return classes;
}

}  // namespace quorate::controller
