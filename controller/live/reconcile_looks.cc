// An object and its neighbourhood as the caches have them, and what reconcile() asks for.

#include <utility>

#include "admission/variants.h"
#include "controller/live/owners.h"
#include "controller/live/reconcile_host.h"
#include "controller/reconcile/family_reconciler.h"
#include "controller/reconcile/group_reconciler.h"
#include "controller/reconcile/job_groups.h"
#include "controller/reconcile/job_reconciler.h"
#include "controller/reconcile/placement_reconciler.h"
#include "controller/reconcile/queue_reconciler.h"
#include "controller/reconcile/workload_reconciler.h"
#include "src/objects/names.h"
#include "src/translate/variants.h"

namespace quorate::controller {
namespace {

namespace kinds = objects::kinds;
namespace names = objects::names;

template <class T>
void copy_values(const std::vector<std::shared_ptr<const T>>& from, std::vector<T>& to) {
  for (const auto& one : from) to.push_back(*one);
}

// Those that its admission names.
void add_flavors(const Caches& caches, const objects::Workload& workload, FlavorsByName& flavors) {
  if (!workload.status.admission) return;
  for (const objects::PodSetAssignment& assignment : workload.status.admission->pod_sets) {
    for (const auto& [resource, flavor] : assignment.flavors) {
      if (const auto found = caches.flavors.find({"", flavor})) flavors.emplace(flavor, *found);
    }
  }
}

}  // namespace

bool selects_namespace(const LabelSelector& selector, const Store<objects::Namespace>& namespaces,
                       const std::string& ns) {
  const auto known = namespaces.find({"", ns});
  if (known != nullptr) return selector.matches(known->meta.labels);
  return selector.matches(Labels{{std::string(names::kNamespaceName), ns}});
}

bool ReconcileHost::namespace_selected(const std::string& ns) const {
  return selects_namespace(managed_namespaces_, to_.caches.namespaces, ns);
}

std::shared_ptr<const objects::ClusterQueue> ReconcileHost::queue_of(
    const objects::Workload& workload) const {
  const auto local = to_.caches.local_queues.find({workload.meta.key.ns, workload.queue_name});
  return local == nullptr ? nullptr : to_.caches.cluster_queues.find({"", local->cluster_queue});
}

// Parents of variants are born as such, so that they are never queued by themselves.
void ReconcileHost::name_parents(Plan& plan) const {
  if (!settings_.concurrent_admission) return;
  for (Write& write : plan.writes) {
    auto* create = std::get_if<CreateWorkload>(&write);
    if (create == nullptr) continue;
    const auto queue = queue_of(create->workload);
    if (queue == nullptr || !translate::wants_variants(create->workload, *queue)) continue;
    create->workload.meta.labels[std::string(admission::kVariantParentLabel)] = "true";
  }
}

Plan ReconcileHost::look(const WorkKey& key) {
  switch (key.kind) {
    case WorkKey::Kind::Job:
      return look_at_job(key.key);
    case WorkKey::Kind::NativeGroup:
      return look_at_group(key.key, true);
    case WorkKey::Kind::FallbackGroup:
      return look_at_group(key.key, false);
    case WorkKey::Kind::Workload:
      return look_at_workload(key.key);
    case WorkKey::Kind::Places:
      return look_at_places(key.key);
    case WorkKey::Kind::Family:
      return look_at_family(key.key);
    case WorkKey::Kind::ClusterQueue:
      return look_at_cluster_queue(key.key);
    case WorkKey::Kind::Flavor:
      return look_at_flavor(key.key);
  }
  return {};
}

Plan ReconcileHost::look_at_job(const ObjectKey& key) {
  const Caches& caches = to_.caches;
  const auto job = caches.jobs.find(key);
  if (job == nullptr) return {};
  JobView view;
  view.job = *job;
  copy_values(caches.workloads.find_by(by_owner_uid(job->meta.uid)), view.workloads);
  const bool queued = !queue_name(job->meta).empty() || settings_.manage_jobs_without_queue_name;
  if (view.workloads.empty() && !queued) return {};
  view.namespace_selected = namespace_selected(key.ns);
  for (const objects::Workload& workload : view.workloads) {
    add_flavors(caches, workload, view.flavors);
  }
  const bool native = !job->pod_template.parsed->scheduling_group.empty();
  if (const std::string group = group_name(*job); !group.empty()) {
    if (const auto found = to_.caches.groups.of(native).find({key.ns, group})) {
      view.groups.push_back(*found);
    }
  }
  view.priority = jobs::resolve_priority(caches.priority_classes(),
                                         objects::value_of(job->meta.labels, names::kPriorityClass),
                                         job->pod_template.parsed->priority_class);
  // Pods know the first slice of theirs, as the template does.
  if (const std::string_view slice =
          objects::value_of(job->pod_template.parsed->annotations, names::kSliceName);
      !slice.empty()) {
    view.pods = caches.pods.find_by(by_workload(key.ns, slice));
  }
  return reconcile(view, settings_, to_.client.loop().wall());
}

Plan ReconcileHost::look_at_group(const ObjectKey& key, bool native) {
  const Caches& caches = to_.caches;
  GroupView view;
  view.key = key;
  if (const auto group = to_.caches.groups.of(native).find(key)) view.group = *group;
  for (const auto& workload : caches.workloads.find_by(by_group_name(key))) {
    const objects::OwnerReference* owner = objects::controller_of(workload->meta);
    if (native_api(owner->api_version) != native) continue;
    // One that belonged to an earlier group of that name is looked at as if its group were gone.
    if (view.group && owner->uid != view.group->meta.uid) continue;
    view.workloads.push_back(*workload);
  }
  const bool queued = view.group && !queue_name(view.group->meta).empty();
  if (view.workloads.empty() && !queued) return {};
  view.namespace_selected = namespace_selected(key.ns);
  copy_values(caches.pods.find_by(by_group(native, key.ns, key.name)), view.pods);
  const std::string pod_class = view.pods.empty() ? "" : view.pods.front().spec->priority_class;
  if (view.group) {
    view.priority = jobs::resolve_priority(
        caches.priority_classes(),
        objects::value_of(view.group->meta.labels, names::kPriorityClass), pod_class);
  }
  return reconcile(view, settings_, to_.client.loop().wall());
}

// Asks the API server whether there is no such object of that uid. No answer means no.
bool ReconcileHost::is_gone(const kube::Resource& resource, const ObjectKey& key,
                            const std::string& uid) {
  const Outcome<kube::Document> answer = to_.client.call(kube::get(resource, key));
  if (!answer) return answer.error().code == Errc::NotFound;
  const Outcome<kube::RawObject> raw = answer->object();
  if (!raw) return false;
  const Outcome<kube::Meta> meta = kube::read_meta(*raw);
  return meta && meta->uid != uid;
}

Plan ReconcileHost::look_at_workload(const ObjectKey& key) {
  const Caches& caches = to_.caches;
  const auto workload = caches.workloads.find(key);
  if (workload == nullptr) return {};
  WorkloadView view{*workload, false, std::nullopt, std::nullopt};
  if (const auto queue = queue_of(*workload); queue != nullptr && parts_.admission) {
    view.wants_variants = translate::wants_variants(*workload, *queue);
  }
  const objects::OwnerReference* owner = objects::controller_of(workload->meta);
  if (is_job(owner) && parts_.jobs) {
    const auto job = caches.jobs.find({key.ns, owner->name});
    view.owner = kube::jobs();
    view.owner_gone = job == nullptr || job->meta.uid != owner->uid;
    // Lists and watches of two kinds are not of one moment, and what follows cannot be taken back.
    if (view.owner_gone) view.owner_gone = is_gone(kube::jobs(), {key.ns, owner->name}, owner->uid);
  } else if (is_group(owner) && parts_.pod_groups) {
    // A group that is replaced by a namesake; one that is just gone is looked at by its name.
    const auto group =
        to_.caches.groups.of(native_api(owner->api_version)).find({key.ns, owner->name});
    view.owner_gone = group != nullptr && group->meta.uid != owner->uid;
  }
  if (workload->priority_class && workload->priority_class->kind == "WorkloadPriorityClass") {
    if (const auto found = caches.workload_classes.find({"", workload->priority_class->name})) {
      view.class_value = found->value;
    }
  }
  if (!parts_.admission) view.class_value.reset();
  return reconcile(view, settings_, to_.client.loop().wall());
}

Plan ReconcileHost::look_at_places(const ObjectKey& key) {
  const Caches& caches = to_.caches;
  const auto workload = caches.workloads.find(key);
  if (workload == nullptr || !has_places(*workload)) return {};
  PlacementView view;
  view.workload = *workload;
  view.pods = caches.pods.find_by(by_workload(key.ns, name_for_pods(*workload)));
  if (const objects::OwnerReference* owner = objects::controller_of(workload->meta);
      is_group(owner)) {
    view.pods = caches.pods.find_by(by_group(native_api(owner->api_version), key.ns, owner->name));
  }
  for (const std::string& host : hosts_of(*workload)) {
    const auto nodes = caches.nodes.find_by(by_host(host));
    if (!nodes.empty()) view.nodes.emplace(host, nodes.front());
  }
  add_flavors(caches, *workload, view.flavors);
  return reconcile(view, settings_, to_.client.loop().wall());
}

Plan ReconcileHost::look_at_family(const ObjectKey& key) {
  const auto parent = to_.caches.workloads.find(key);
  if (parent == nullptr || !translate::is_parent_of_variants(*parent)) return {};
  FamilyView view{*parent, {}, std::nullopt};
  copy_values(to_.caches.workloads.find_by(by_owner_uid(parent->meta.uid)), view.variants);
  if (const auto queue = queue_of(*parent)) view.queue = *queue;
  return reconcile(view, settings_, to_.client.loop().wall());
}

Plan ReconcileHost::look_at_cluster_queue(const ObjectKey& key) {
  Plan plan;
  const auto queue = to_.caches.cluster_queues.find(key);
  if (queue == nullptr || !parts_.admission) return plan;
  const bool in_use = queue->meta.deleted && to_.reserving(key.name) > 0;
  if (auto change = finalizer_change(kinds::kClusterQueue, queue->meta, in_use)) {
    plan.writes.push_back(std::move(*change));
  }
  return plan;
}

Plan ReconcileHost::look_at_flavor(const ObjectKey& key) {
  Plan plan;
  const auto flavor = to_.caches.flavors.find(key);
  if (flavor == nullptr || !parts_.admission) return plan;
  bool in_use = false;
  if (flavor->meta.deleted) {
    for (const auto& queue : to_.caches.cluster_queues.all()) {
      in_use = in_use || lists_flavor(queue->resource_groups, key.name);
    }
  }
  if (auto change = finalizer_change(kinds::kResourceFlavor, flavor->meta, in_use)) {
    plan.writes.push_back(std::move(*change));
  }
  return plan;
}

}  // namespace quorate::controller
