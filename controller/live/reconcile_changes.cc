// What has to be looked at when something changed.

#include <utility>

#include "controller/live/owners.h"
#include "controller/live/reconcile_host.h"
#include "controller/reconcile/placement_reconciler.h"
#include "src/objects/names.h"
#include "src/translate/variants.h"

namespace quorate::controller {
namespace {

namespace names = objects::names;

WorkKey group_key(bool native, ObjectKey key) {
  return {native ? WorkKey::Kind::NativeGroup : WorkKey::Kind::FallbackGroup, std::move(key)};
}

// Something about the pod changed that its place depends on.
bool moved(const objects::Pod& now, const objects::Pod& before) {
  return now.meta.uid != before.meta.uid || now.phase != before.phase ||
         now.node_name != before.node_name || now.terminating() != before.terminating() ||
         now.spec->scheduling_gates != before.spec->scheduling_gates;
}

}  // namespace

void ReconcileHost::job_changed(const objects::Job& job) {
  if (!parts_.jobs) return;
  add({WorkKey::Kind::Job, job.meta.key});
  // For those whose owner has just gone.
  for (const auto& workload : to_.caches.workloads.find_by(by_owner_uid(job.meta.uid))) {
    add({WorkKey::Kind::Workload, workload->meta.key});
  }
}

void ReconcileHost::workload_changed(const objects::Workload& workload) {
  const objects::OwnerReference* owner = objects::controller_of(workload.meta);
  if (is_job(owner) && parts_.jobs) {
    add({WorkKey::Kind::Job, {workload.meta.key.ns, owner->name}});
  } else if (is_group(owner) && parts_.pod_groups) {
    add(group_key(native_api(owner->api_version), {workload.meta.key.ns, owner->name}));
  }
  add({WorkKey::Kind::Workload, workload.meta.key});
  if (parts_.admission && has_places(workload)) add({WorkKey::Kind::Places, workload.meta.key});
  if (!parts_.admission || !settings_.concurrent_admission) return;
  if (translate::is_parent_of_variants(workload)) {
    add({WorkKey::Kind::Family, workload.meta.key});
  } else if (translate::is_variant(workload)) {
    add({WorkKey::Kind::Family, {workload.meta.key.ns, owner->name}});
  }
}

void ReconcileHost::group_changed(const objects::PodGroup& group) {
  if (const objects::OwnerReference* owner = objects::controller_of(group.meta);
      is_job(owner) && parts_.jobs) {
    add({WorkKey::Kind::Job, {group.meta.key.ns, owner->name}});
    return;
  }
  if (!parts_.pod_groups) return;
  add(group_key(group.api != objects::PodGroupApi::Fallback, group.meta.key));
}

void ReconcileHost::pod_changed(const objects::Pod& pod, const objects::Pod* before) {
  const std::string_view workload = workload_name_of(pod);
  if (!workload.empty() && (before == nullptr || moved(pod, *before))) {
    for (const auto& one : to_.caches.workloads.find_by(by_workload(pod.meta.key.ns, workload))) {
      if (parts_.admission && has_places(*one)) add({WorkKey::Kind::Places, one->meta.key});
    }
    // Of an elastic Job: one more waits, or there is room for one that does.
    const bool in_slice = !objects::value_of(pod.meta.annotations, names::kSliceName).empty();
    const objects::OwnerReference* owner = objects::controller_of(pod.meta);
    if (in_slice && parts_.jobs && is_job(owner)) {
      add({WorkKey::Kind::Job, {pod.meta.key.ns, owner->name}});
    }
  }
  if (!parts_.pod_groups) return;
  const ObjectKey group{pod.meta.key.ns, std::string(objects::group_of(pod))};
  if (group.name.empty()) return;
  const bool native = !pod.spec->scheduling_group.empty();
  // Groups that a Job owns are its own business.
  const auto known = to_.caches.groups.of(native).find(group);
  const bool queued = known != nullptr && !queue_name(known->meta).empty();
  const auto workloads = to_.caches.workloads.find_by(by_group_name(group));
  if (queued || !workloads.empty()) add(group_key(native, group));
  if (!parts_.admission || (before != nullptr && !moved(pod, *before))) return;
  for (const auto& one : workloads) {
    if (has_places(*one)) add({WorkKey::Kind::Places, one->meta.key});
  }
}

void ReconcileHost::node_changed(const objects::Node* now, const objects::Node* before) {
  if (!parts_.admission) return;
  const bool same = now != nullptr && before != nullptr && now->meta.uid == before->meta.uid &&
                    now->conditions == before->conditions && now->taints == before->taints &&
                    hostname_of(*now) == hostname_of(*before);
  if (same) return;
  for (const objects::Node* node : {now, before}) {
    if (node == nullptr) continue;
    for (const auto& workload : to_.caches.workloads.find_by(by_host(hostname_of(*node)))) {
      add({WorkKey::Kind::Places, workload->meta.key});
    }
  }
}

void ReconcileHost::cluster_queue_changed(const objects::ClusterQueue* now,
                                          const objects::ClusterQueue* before) {
  if (now != nullptr) {
    add({WorkKey::Kind::ClusterQueue, now->meta.key});
    const bool same = before != nullptr && before->resource_groups == now->resource_groups &&
                      before->concurrent_admission == now->concurrent_admission;
    if (!same) families_changed(now->meta.key.name);
  }
  for (const objects::ClusterQueue* queue : {now, before}) {
    if (queue == nullptr) continue;
    for (const objects::ResourceGroup& group : queue->resource_groups) {
      for (const objects::FlavorQuotas& flavor : group.flavors) {
        add({WorkKey::Kind::Flavor, {"", flavor.name}});
      }
    }
  }
}

// Its flavors, or whether its workloads have variants.
void ReconcileHost::families_changed(const std::string& cluster_queue) {
  if (!settings_.concurrent_admission) return;
  for (const auto& workload : to_.caches.workloads.all()) {
    if (const auto queue = queue_of(*workload);
        queue != nullptr && queue->meta.key.name == cluster_queue) {
      workload_changed(*workload);
    }
  }
}

void ReconcileHost::flavor_changed(const objects::ResourceFlavor& flavor, bool fresh) {
  add({WorkKey::Kind::Flavor, flavor.meta.key});
  if (!fresh || !parts_.jobs) return;
  // Jobs may have been admitted with it while it was not here.
  for (const auto& job : to_.caches.jobs.all()) {
    if (job->suspend) add({WorkKey::Kind::Job, job->meta.key});
  }
}

void ReconcileHost::classes_changed(const std::string& workload_class) {
  for (const auto& workload : to_.caches.workloads.find_by(by_class(workload_class))) {
    add({WorkKey::Kind::Workload, workload->meta.key});
  }
  if (!parts_.jobs) return;
  // Jobs whose class was missing.
  for (const auto& job : to_.caches.jobs.all()) {
    const bool waits = job->suspend && !queue_name(job->meta).empty() &&
                       to_.caches.workloads.find_by(by_owner_uid(job->meta.uid)).empty();
    if (waits) add({WorkKey::Kind::Job, job->meta.key});
  }
}

void ReconcileHost::namespace_changed(const std::string& ns) {
  if (!parts_.jobs) return;
  for (const auto& job : to_.caches.jobs.all()) {
    if (job->meta.key.ns == ns) add({WorkKey::Kind::Job, job->meta.key});
  }
}

void ReconcileHost::everything() {
  for (const auto& workload : to_.caches.workloads.all()) workload_changed(*workload);
  for (const auto& job : to_.caches.jobs.all()) job_changed(*job);
  for (const auto& group : to_.caches.groups.native.all()) group_changed(*group);
  for (const auto& group : to_.caches.groups.fallback.all()) group_changed(*group);
  for (const auto& queue : to_.caches.cluster_queues.all()) {
    add({WorkKey::Kind::ClusterQueue, queue->meta.key});
  }
  for (const auto& flavor : to_.caches.flavors.all()) {
    add({WorkKey::Kind::Flavor, flavor->meta.key});
  }
}

}  // namespace quorate::controller
