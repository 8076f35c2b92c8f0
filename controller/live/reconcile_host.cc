#include "controller/live/reconcile_host.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "controller/reconcile/group_reconciler.h"
#include "controller/reconcile/job_groups.h"
#include "controller/reconcile/job_reconciler.h"
#include "controller/reconcile/placement_reconciler.h"
#include "controller/reconcile/queue_reconciler.h"
#include "controller/reconcile/workload_reconciler.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace kinds = objects::kinds;
namespace names = objects::names;

// How long writes that come in bursts wait for more of their kind.
constexpr Duration kBurst = Duration::seconds(2);

template <class T>
void copy_values(const std::vector<std::shared_ptr<const T>>& from, std::vector<T>& to) {
  for (const auto& one : from) to.push_back(*one);
}

bool is_job(const objects::OwnerReference* owner) {
  return owner != nullptr && owner->kind == "Job" && owner->api_version == "batch/v1";
}

bool is_group(const objects::OwnerReference* owner) {
  return owner != nullptr && owner->kind == "PodGroup";
}

bool native_api(std::string_view api_version) {
  return api_version.starts_with("scheduling.k8s.io/");
}

WorkKey group_key(bool native, ObjectKey key) {
  return {native ? WorkKey::Kind::NativeGroup : WorkKey::Kind::FallbackGroup, std::move(key)};
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

// Something about the pod changed that its place depends on.
bool moved(const objects::Pod& now, const objects::Pod& before) {
  return now.meta.uid != before.meta.uid || now.phase != before.phase ||
         now.node_name != before.node_name || now.terminating() != before.terminating() ||
         now.spec->scheduling_gates != before.spec->scheduling_gates;
}

// What a write is counted as.
std::string kind_of(const Write& write) {
  constexpr const char* kKinds[] = {"workload_create",
                                    "workload_spec",
                                    "workload_delete",
                                    "workload_status",
                                    "release",
                                    "finalizers",
                                    "job",
                                    "job_status",
                                    "pod_group_create",
                                    "pod_group",
                                    "owner_delete",
                                    "pod_delete",
                                    "annotation",
                                    "event",
                                    "failed_nodes",
                                    "pod_ungate",
                                    "pod_fail"};
  static_assert(std::size(kKinds) == std::variant_size_v<Write>);
  if (const auto* status = std::get_if<ApplyWorkloadStatus>(&write)) {
    if (status->manager == "kueue-reclaimable-pods") return "workload_reclaimable";
    if (status->manager == "kueue-job-controller-PodsReady") return "workload_ready";
    if (status->manager == "kueue-job-controller-Finished") return "workload_finish";
  }
  return kKinds[write.index()];
}

}  // namespace

bool selects_namespace(const LabelSelector& selector, const Store<objects::Namespace>& namespaces,
                       const std::string& ns) {
  const auto known = namespaces.find({"", ns});
  if (known != nullptr) return selector.matches(known->meta.labels);
  return selector.matches(Labels{{std::string(names::kNamespaceName), ns}});
}

ReconcileHost::ReconcileHost(Dependencies dependencies, ReconcileParts parts,
                             ReconcileSettings settings, LabelSelector managed_namespaces)
    : to_(std::move(dependencies)),
      parts_(parts),
      settings_(std::move(settings)),
      managed_namespaces_(std::move(managed_namespaces)),
      queue_(to_.client.loop(), {.base = Duration::millis(20), .max = Duration::seconds(60)}) {}

ReconcileHost::~ReconcileHost() { stop(); }

void ReconcileHost::start(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void ReconcileHost::stop() {
  queue_.shut_down();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

// ---- what a change concerns

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
  if (now != nullptr) add({WorkKey::Kind::ClusterQueue, now->meta.key});
  for (const objects::ClusterQueue* queue : {now, before}) {
    if (queue == nullptr) continue;
    for (const objects::ResourceGroup& group : queue->resource_groups) {
      for (const objects::FlavorQuotas& flavor : group.flavors) {
        add({WorkKey::Kind::Flavor, {"", flavor.name}});
      }
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

// ---- looking

bool ReconcileHost::namespace_selected(const std::string& ns) const {
  return selects_namespace(managed_namespaces_, to_.caches.namespaces, ns);
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

// ---- carrying out

void ReconcileHost::work() {
  while (const std::optional<WorkKey> key = queue_.next()) {
    process(*key);
    queue_.done(*key);
  }
}

void ReconcileHost::process(const WorkKey& key) {
  Plan plan = look(key);
  if (plan.look_again > Duration{}) queue_.add_after(key, plan.look_again);

  const std::pair<int, ObjectKey> burst{static_cast<int>(key.kind), key.key};
  bool burst_over = false;
  {
    const std::int64_t now = to_.client.loop().now().nanos;
    MutexLock lock(mutex_);
    if (plan.later.empty()) {
      wanted_since_.erase(burst);
    } else {
      const auto [since, fresh] = wanted_since_.emplace(burst, now);
      if (fresh) {
        queue_.add_after(key, kBurst);
      } else if (now - since->second >= kBurst.nanos) {
        burst_over = true;
        wanted_since_.erase(since);
      }
    }
  }
  if (burst_over) {
    plan.writes.insert(plan.writes.end(), std::make_move_iterator(plan.later.begin()),
                       std::make_move_iterator(plan.later.end()));
  }
  for (auto at = plan.writes.begin(); at != plan.writes.end();) {
    const Write& write = *at;
    const auto end = std::find_if(at, plan.writes.end(), [](const Write& one) {
      return !std::holds_alternative<UngatePod>(one);
    });
    const bool together = end - at > 1;
    const Outcome<void> done = together ? carry_out_together({at, end}) : carry_out(key, write);
    at = together ? end : at + 1;
    if (!done) {
      const Error& why = done.error();
      if (why.code == Errc::Fenced) return;
      if (why.code != Errc::Conflict) {
        log_warn("write failed", {{"write", describe(write)}, {"reason", why.message}});
      }
      if (why.code == Errc::Invalid) report_refused(key, write, why);
      return queue_.retry(key);
    }
  }
  queue_.forget(key);
}

// What the API server takes from nobody is said on the object whose owner can change it: its
// queue's name, its labels and its pod template become those of the Workload.
void ReconcileHost::report_refused(const WorkKey& key, const Write& write, const Error& why) {
  const std::string note = "Cannot " + describe(write) + ": " + why.message;
  if (key.kind == WorkKey::Kind::Job) {
    if (const auto job = to_.caches.jobs.find(key.key)) {
      to_.job_events.record(job_event(*job, kube::EventType::Warning, "ErrWorkloadCompose", note));
    }
  } else if (key.kind == WorkKey::Kind::NativeGroup || key.kind == WorkKey::Kind::FallbackGroup) {
    const bool native = key.kind == WorkKey::Kind::NativeGroup;
    if (const auto group = to_.caches.groups.of(native).find(key.key)) {
      to_.job_events.record(
          group_event(*group, kube::EventType::Warning, "ErrWorkloadCompose", note));
    }
  }
}

Outcome<void> ReconcileHost::carry_out(const WorkKey& key, const Write& write) {
  if (const auto* event = std::get_if<kube::Event>(&write)) {
    const bool of_job = key.kind == WorkKey::Kind::Job;
    (of_job ? to_.job_events : to_.workload_events).record(*event);
    return {};
  }
  if (const auto* release = std::get_if<ReleaseQuota>(&write)) {
    to_.status_writer.submit(*release);
    return {};
  }
  if (const auto* record = std::get_if<RecordFailedNodes>(&write)) {
    to_.status_writer.submit(*record);
    return {};
  }
  return take_answer(write, to_.client.call(to_request(write)));
}

// Pods of one workload go on at the same time and not one after the other.
Outcome<void> ReconcileHost::carry_out_together(std::span<const Write> ungates) {
  struct Answers {
    Mutex mutex;
    CondVar all;
    std::vector<std::optional<Outcome<kube::Document>>> got GUARDED_BY(mutex);
    std::size_t missing GUARDED_BY(mutex) = 0;
  };
  const auto answers = std::make_shared<Answers>();
  {
    MutexLock lock(answers->mutex);
    answers->got.resize(ungates.size());
    answers->missing = ungates.size();
  }
  for (std::size_t i = 0; i < ungates.size(); ++i) {
    to_.client.submit(to_request(ungates[i]), [answers, i](Outcome<kube::Document> answer) {
      MutexLock lock(answers->mutex);
      answers->got[i] = std::move(answer);
      if (--answers->missing == 0) answers->all.notify_one();
    });
  }
  std::vector<std::optional<Outcome<kube::Document>>> got;
  {
    MutexLock lock(answers->mutex);
    while (answers->missing > 0) answers->all.wait(answers->mutex);
    got.swap(answers->got);
  }
  Outcome<void> worst;
  for (std::size_t i = 0; i < ungates.size(); ++i) {
    if (Outcome<void> done = take_answer(ungates[i], std::move(*got[i])); !done) {
      worst = std::move(done);
    }
  }
  return worst;
}

Outcome<void> ReconcileHost::take_answer(const Write& write, Outcome<kube::Document> answer) {
  to_.metrics.add(
      "quorate_api_writes_total",
      {kind_of(write),
       answer ? "ok" : (answer.error().code == Errc::Conflict ? "conflict" : "failed")});
  if (answer) {
    log_debug("written", {{"write", describe(write)}});
    remember(write, *answer);
    return {};
  }
  const Error& why = answer.error();
  // Whoever is gone needs nothing more, and its watch event is on its way. What is made anew is not
  // gone: its kind or its namespace is, and the kind may come back.
  const bool makes = std::holds_alternative<CreateWorkload>(write) ||
                     std::holds_alternative<CreatePodGroup>(write);
  if (why.code == Errc::NotFound && !makes) return {};
  if (why.code == Errc::AlreadyExists) {
    // Ours from before, and not in the cache yet; or somebody else's, which stays an error.
    if (const auto* create = std::get_if<CreateWorkload>(&write)) {
      Outcome<kube::Document> there =
          to_.client.call(kube::get(resource_of(kinds::kWorkload), create->workload.meta.key));
      if (!there) return tl::unexpected(there.error());
      const Outcome<kube::RawObject> raw = there->object();
      if (!raw) return tl::unexpected(raw.error());
      Outcome<objects::Workload> workload = decode<objects::Workload>(*raw);
      if (!workload) return tl::unexpected(workload.error());
      const objects::OwnerReference* owner = objects::controller_of(workload->meta);
      if (owner != nullptr && owner->uid == create->workload.meta.owners.front().uid) {
        to_.caches.workloads.assume(std::move(*workload));
        return {};
      }
    }
    if (const auto* create = std::get_if<CreatePodGroup>(&write)) {
      Outcome<kube::Document> there = to_.client.call(
          kube::get(resource_of(objects::kind_of(create->group.api)), create->group.meta.key));
      if (!there) return tl::unexpected(there.error());
      remember(write, *there);
      // Looked at again with it in the cache: it may be ours, or block the Job.
      return error(Errc::Conflict, why.message);
    }
  }
  return tl::unexpected(why);
}

void ReconcileHost::remember(const Write& write, const kube::Document& answer) {
  const Outcome<kube::RawObject> raw = answer.object();
  if (!raw) return;
  Caches& caches = to_.caches;
  const auto take = [&]<class T>(Store<T>& store) {
    if (Outcome<T> object = decode<T>(*raw)) store.assume(std::move(*object));
  };
  if (std::holds_alternative<CreateWorkload>(write) ||
      std::holds_alternative<PatchWorkloadSpec>(write) ||
      std::holds_alternative<SetAnnotation>(write)) {
    take(caches.workloads);
  } else if (const auto* status = std::get_if<ApplyWorkloadStatus>(&write)) {
    take(caches.workloads);
    if (status->manager != "kueue-job-controller-Finished") return;
    if (const auto workload = caches.workloads.find(status->key)) {
      const std::string queue =
          workload->status.admission ? workload->status.admission->cluster_queue : "";
      const std::string name = workload->priority_class ? workload->priority_class->name : "";
      to_.metrics.add("kueue_finished_workloads_total", {queue, name, "leader"});
      to_.metrics.add("kueue_local_queue_finished_workloads_total",
                      {workload->queue_name, status->key.ns, name, "leader"});
    }
  } else if (const auto* finalizers = std::get_if<SetFinalizers>(&write)) {
    if (finalizers->kind == kinds::kWorkload) take(caches.workloads);
    if (finalizers->kind == kinds::kClusterQueue) take(caches.cluster_queues);
    if (finalizers->kind == kinds::kResourceFlavor) take(caches.flavors);
  } else if (std::holds_alternative<PatchJob>(write) ||
             std::holds_alternative<ClearJobStart>(write)) {
    take(caches.jobs);
  } else if (std::holds_alternative<UngatePod>(write) || std::holds_alternative<FailPod>(write)) {
    take(caches.pods);
  } else if (const auto* create = std::get_if<CreatePodGroup>(&write)) {
    take(caches.groups.of(create->group.api != objects::PodGroupApi::Fallback));
  } else if (const auto* minimum = std::get_if<SetGroupMinimum>(&write)) {
    take(caches.groups.of(minimum->api != objects::PodGroupApi::Fallback));
  }
}

}  // namespace quorate::controller
