// Carrying out what a look asked for, and what its answer says.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "controller/live/feed.h"
#include "controller/live/log.h"
#include "controller/live/owners.h"
#include "controller/live/reconcile_host.h"
#include "controller/reconcile/group_reconciler.h"
#include "controller/reconcile/job_reconciler.h"
#include "controller/reconcile/placement_reconciler.h"

namespace quorate::controller {
namespace {

namespace kinds = objects::kinds;

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
                                    "pod_fail",
                                    "family",
                                    "label"};
  static_assert(std::size(kKinds) == std::variant_size_v<Write>);
  if (const auto* status = std::get_if<ApplyWorkloadStatus>(&write)) {
    if (status->manager == "kueue-reclaimable-pods") return "workload_reclaimable";
    if (status->manager == "kueue-job-controller-PodsReady") return "workload_ready";
    if (status->manager == "kueue-job-controller-Finished") return "workload_finish";
  }
  return kKinds[write.index()];
}

}  // namespace

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
    if (key.kind == WorkKey::Kind::Family) {
      to_.family_events.record(*event);
    } else {
      const bool of_job = key.kind == WorkKey::Kind::Job;
      (of_job ? to_.job_events : to_.workload_events).record(*event);
    }
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
  if (const auto* follow = std::get_if<FollowFamily>(&write)) {
    to_.status_writer.submit(*follow);
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
    if (const auto* ungate = std::get_if<UngatePod>(&write)) measure(*ungate);
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

// How long a pod waited behind its gates since its workload was admitted, or since it was made
// where that came later.
void ReconcileHost::measure(const UngatePod& ungate) {
  const auto pod = to_.caches.pods.find(ungate.key);
  if (pod == nullptr) return;
  std::vector<std::shared_ptr<const objects::Workload>> named;
  const std::string group(objects::group_of(*pod));
  if (const std::string_view name = workload_name_of(*pod); !name.empty()) {
    named = to_.caches.workloads.find_by(by_workload(ungate.key.ns, name));
  } else if (!group.empty()) {
    named = to_.caches.workloads.find_by(by_group_name({ungate.key.ns, group}));
  }
  for (const auto& workload : named) {
    const objects::Condition* admitted =
        objects::find_condition(workload->status.conditions, objects::conditions::kAdmitted);
    if (!workload->status.admission || admitted == nullptr ||
        admitted->status != objects::ConditionStatus::True) {
      continue;
    }
    const Time since = std::max(admitted->last_transition, pod->meta.created);
    const Duration waited =
        std::max(to_.client.loop().wall() - since, Duration{});  // clocks may differ
    const std::string of_group =
        is_group(objects::controller_of(workload->meta)) ? "true" : "false";
    for (const std::string& gate : ungate.gates) {
      to_.metrics.observe("kueue_pod_scheduling_gate_removal_seconds",
                          {gate, workload->status.admission->cluster_queue, of_group},
                          static_cast<double>(waited.nanos) / 1e9);
    }
    return;
  }
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
      std::holds_alternative<SetAnnotation>(write) || std::holds_alternative<SetLabel>(write)) {
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
