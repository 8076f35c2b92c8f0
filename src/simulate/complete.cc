#include "src/simulate/complete.h"

#include <algorithm>

#include "src/objects/names.h"

namespace quorate::simulate {
namespace {

constexpr Time kNoTimeGiven = Time::from_seconds(1767225600);  // 2026-01-01T00:00:00Z

std::string_view kind_name(const objects::Namespace&) { return "Namespace"; }
std::string_view kind_name(const objects::Node&) { return "Node"; }
std::string_view kind_name(const objects::Pod&) { return "Pod"; }
std::string_view kind_name(const objects::LimitRange&) { return "LimitRange"; }
std::string_view kind_name(const objects::RuntimeClass&) { return "RuntimeClass"; }
std::string_view kind_name(const objects::PriorityClass&) { return "PriorityClass"; }
std::string_view kind_name(const objects::Job&) { return "Job"; }
std::string_view kind_name(const objects::PodGroup&) { return "PodGroup"; }
std::string_view kind_name(const objects::DeviceClass&) { return "DeviceClass"; }
std::string_view kind_name(const objects::DeviceTaintRule&) { return "DeviceTaintRule"; }
std::string_view kind_name(const objects::ResourceClaimTemplate&) {
  return "ResourceClaimTemplate";
}
std::string_view kind_name(const objects::CompositePodGroup&) { return "CompositePodGroup"; }
std::string_view kind_name(const objects::DisruptionBudget&) { return "PodDisruptionBudget"; }
std::string_view kind_name(const objects::ResourceSlice&) { return "ResourceSlice"; }
std::string_view kind_name(const objects::ResourceClaim&) { return "ResourceClaim"; }
std::string_view kind_name(const objects::ResourceFlavor&) { return "ResourceFlavor"; }
std::string_view kind_name(const objects::ClusterQueue&) { return "ClusterQueue"; }
std::string_view kind_name(const objects::LocalQueue&) { return "LocalQueue"; }
std::string_view kind_name(const objects::Cohort&) { return "Cohort"; }
std::string_view kind_name(const objects::WorkloadPriorityClass&) { return "PriorityOfWorkloads"; }
std::string_view kind_name(const objects::AdmissionCheck&) { return "AdmissionCheck"; }
std::string_view kind_name(const objects::Topology&) { return "Topology"; }
std::string_view kind_name(const objects::Workload&) { return "Workload"; }
std::string_view kind_name(const Opaque& object) { return object.kind; }

void consider(Time time, std::optional<Time>& latest) {
  if (time != Time{} && (!latest || time > *latest)) latest = time;
}

template <class T>
void consider(const T& object, std::optional<Time>& latest) {
  consider(object.meta.created, latest);
  if constexpr (requires { object.conditions; }) {
    for (const objects::Condition& each : object.conditions) consider(each.last_transition, latest);
  }
  if constexpr (requires { object.status.conditions.front().last_transition; }) {
    for (const objects::Condition& each : object.status.conditions) {
      consider(each.last_transition, latest);
    }
  }
  if constexpr (requires { object.status.admission_checks; }) {
    for (const auto& check : object.status.admission_checks)
      consider(check.last_transition, latest);
  }
}

bool owned_by(const objects::Workload& workload, const objects::Job& job) {
  const objects::OwnerReference* owner = objects::controller_of(workload.meta);
  return owner != nullptr && owner->kind == "Job" && owner->name == job.meta.key.name &&
         workload.meta.key.ns == job.meta.key.ns &&
         (owner->uid.empty() || owner->uid == job.meta.uid);
}

bool ended(const objects::Job& job) {
  return objects::is_true(job.status.conditions, "Complete") ||
         objects::is_true(job.status.conditions, "Failed");
}

}  // namespace

Time start_of(const Objects& objects) {
  std::optional<Time> latest;
  objects.each_kind([&](const auto& map) {
    for (const auto& [key, object] : map) consider(object, latest);
  });
  return latest.value_or(kNoTimeGiven);
}

std::string Identities::next(std::string_view kind, const ObjectKey& key) {
  std::string uid = key.text();
  if (kind != "Workload") uid = std::string(kind) + "/" + uid;
  const int count = ++given_[uid];
  return count == 1 ? uid : uid + "~" + std::to_string(count);
}

void complete(Objects& objects, Time now, Identities& identities) {
  objects.each_kind([&](auto& map) {
    for (auto& [key, object] : map) {
      objects::ObjectMeta& meta = object.meta;
      if (meta.uid.empty()) meta.uid = identities.next(kind_name(object), meta.key);
      if (meta.created == Time{}) meta.created = now;
      if (meta.generation == 0) meta.generation = 1;
    }
  });
  // What a kubelet would have told.
  for (auto& [key, node] : objects.of<objects::Node>()) {
    if (node.allocatable.empty()) node.allocatable = node.capacity;
    if (objects::find_condition(node.conditions, "Ready") == nullptr) {
      node.conditions.push_back({.type = "Ready",
                                 .status = objects::ConditionStatus::True,
                                 .reason = "KubeletReady",
                                 .last_transition = node.meta.created});
    }
  }
}

bool managed(const objects::Job& job, bool without_queue_name) {
  if (objects::controller_of(job.meta) != nullptr) return false;
  return without_queue_name || job.meta.labels.contains(objects::names::kQueueName);
}

void derive_workloads(Objects& objects, const jobs::DerivationSettings& settings,
                      bool manage_without_queue_name, Time now, Identities& identities,
                      std::vector<std::string>& problems) {
  const auto& all = objects.of<objects::Job>();
  if (all.empty()) return;
  const jobs::PriorityClasses classes = jobs::priority_classes(
      objects.of<objects::WorkloadPriorityClass>(), objects.of<objects::PriorityClass>());
  auto& workloads = objects.of<objects::Workload>();
  std::map<ObjectKey, int> have;  // Jobs that a Workload stands for
  for (const auto& [key, workload] : workloads) {
    const objects::OwnerReference* owner = objects::controller_of(workload.meta);
    if (owner == nullptr || owner->kind != "Job") continue;
    const auto job = all.find({key.ns, owner->name});
    if (job != all.end() && owned_by(workload, job->second)) ++have[job->first];
  }
  for (const auto& [key, job] : all) {
    if (!managed(job, manage_without_queue_name) || ended(job) || have.contains(key)) continue;
    Outcome<objects::Workload> made = jobs::workload_of(job, classes, settings);
    if (!made) {
      problems.push_back("Job " + key.text() + ": " + made.error().message);
      continue;
    }
    made->meta.uid = identities.next("Workload", made->meta.key);
    made->meta.generation = 1;
    made->meta.created = job.meta.created == Time{} ? now : job.meta.created;
    workloads.emplace(made->meta.key, std::move(*made));
  }
}

}  // namespace quorate::simulate
