#include "controller/reconcile/job_reconciler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controller/reconcile/job_groups.h"
#include "controller/reconcile/job_slices.h"
#include "controller/reconcile/pods_ready.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::Condition;
using objects::ConditionStatus;
using objects::is_true;
using objects::Job;
using objects::Workload;

bool stopping(const Job& job) {
  return objects::value_of(job.meta.annotations, names::kStopping) == "true";
}

const Condition* finished_condition(const Job& job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    const Condition* condition = objects::find_condition(job.status.conditions, type);
    if (condition != nullptr && condition->status == ConditionStatus::True) return condition;
  }
  return nullptr;
}

// No pod of the Job runs, and none is about to.
bool inactive(const Job& job) {
  return job.suspend && job.status.active == 0 &&
         (!job.status.started || is_true(job.status.conditions, "Suspended"));
}

// One look at one Job. Each step either adds writes and ends the look, or passes it on.
class Look {
 public:
  Look(const JobView& seen, const ReconcileSettings& settings, Time now)
      : seen_(seen),
        job_(seen.job),
        settings_(settings),
        now_(now),
        elastic_(jobs::is_elastic(seen.job, settings)) {}

  Plan take() && {
    run();
    return std::move(plan_);
  }

 private:
  void run();
  bool managed() const;
  void choose(const objects::PodSet& pod_set);
  void choose_slice(const objects::PodSet& pod_set);
  bool resize(const objects::PodSet& pod_set);
  void without_workload(const objects::PodSet& pod_set);
  void with_workload();
  void stop(const Workload* workload, std::string message);
  void evicted();
  void start();
  void waiting();
  void progress();
  void record_readiness();

  // Its pods are gated one by one, so that the Job itself need not be stopped.
  bool waits_by_itself() const {
    const std::vector<std::string>& gates = job_.pod_template.parsed->scheduling_gates;
    return elastic_ && std::ranges::find(gates, names::kElasticGate) != gates.end();
  }
  void write(Write write) { plan_.writes.push_back(std::move(write)); }
  void event(kube::EventType type, std::string_view reason, std::string note) {
    write(job_event(job_, type, reason, std::move(note)));
  }
  void drop_workload_finalizer(const Workload& workload) {
    if (objects::has_finalizer(workload.meta, names::kResourceInUse))
      write(drop_finalizer(workload));
  }

  const JobView& seen_;
  const Job& job_;
  const ReconcileSettings& settings_;
  const Time now_;
  const bool elastic_;
  const Workload* workload_ = nullptr;  // the one that describes the Job
  // Of what was there, the one that comes closest; nullptr if there is nothing.
  const Workload* candidate_ = nullptr;
  const Workload* next_ = nullptr;  // of an elastic Job: waits to take the place of `workload_`
  Plan plan_;
};

bool Look::managed() const {
  if (!seen_.workloads.empty()) return true;
  if (!seen_.namespace_selected) return false;
  return !queue_name(job_.meta).empty() || settings_.manage_jobs_without_queue_name;
}

void Look::run() {
  if (!managed()) return;
  if (job_.meta.deleted) {
    // The garbage collector waits for what we hold.
    for (const Workload& workload : seen_.workloads) {
      if (workload.meta.deleted) drop_workload_finalizer(workload);
    }
    return;
  }
  Outcome<objects::PodSet> pod_set = jobs::job_pod_set(job_, settings_);
  if (!pod_set) {
    return event(kube::EventType::Warning, "ErrWorkloadCompose", pod_set.error().message);
  }
  elastic_ ? choose_slice(*pod_set) : choose(*pod_set);
  if (workload_ == nullptr) return without_workload(*pod_set);
  if (elastic_ && resize(*pod_set)) return;
  with_workload();
}

void Look::choose(const objects::PodSet& pod_set) {
  if (!seen_.workloads.empty()) candidate_ = &seen_.workloads.front();
  for (const Workload& workload : seen_.workloads) {
    if (describes(workload, job_, pod_set) ||
        is_true(workload.status.conditions, conditions::kFinished)) {
      workload_ = &workload;
      break;
    }
  }
  for (const Workload& workload : seen_.workloads) {
    if (&workload == workload_ || workload_ == nullptr) continue;
    drop_workload_finalizer(workload);
    if (!workload.meta.deleted) {
      write(DeleteWorkload{workload.meta.key, workload.meta.uid});
      event(kube::EventType::Normal, "DeletedWorkload",
            "Deleted not matching Workload: " + workload.meta.key.text());
    }
  }
}

// Slices differ in their counts alone; one of another shape describes another Job.
void Look::choose_slice(const objects::PodSet& pod_set) {
  const Slices slices = choose_slices(seen_.workloads);
  for (const auto& [slice, replaced] : slices.surplus) {
    write(replaced
              ? finish_workload(*slice, "WorkloadSliceReplaced",
                                "Replaced to accommodate a new slice of its job", now_)
              : finish_workload(*slice, "OutOfSync",
                                "The workload slice is out of sync with its parent job", now_));
  }
  candidate_ = slices.holder;
  if (slices.holder == nullptr) {
    // The last one of a Job that is over.
    const bool over = finished_condition(job_) != nullptr;
    for (const Workload& workload : seen_.workloads) {
      if (over) workload_ = candidate_ = &workload;
    }
    return;
  }
  objects::PodSet same_size = pod_set;
  if (!slices.holder->pod_sets.empty()) {
    same_size.count = slices.holder->pod_sets.front().count;
    same_size.min_count = slices.holder->pod_sets.front().min_count;
  }
  if (!describes(*slices.holder, job_, same_size)) return;
  workload_ = slices.holder;
  next_ = slices.next;
}

// Brings the slices to the size that the Job has now. True if that ends the look.
bool Look::resize(const objects::PodSet& pod_set) {
  const Workload& holder = *workload_;
  if (finished_condition(job_) != nullptr || holder.meta.deleted || holder.pod_sets.size() != 1) {
    return false;
  }
  objects::PodSet wanted = pod_set;
  wanted.name = holder.pod_sets.front().name;
  const Resize size = resize_of(holder, {wanted});
  const auto resize_in_place = [&](const Workload& slice) {
    objects::WorkloadSpecChange change;
    change.pod_sets = slice.pod_sets;
    change.pod_sets->front().count = wanted.count;
    write(PatchWorkloadSpec{slice.meta.key, slice.meta.resource_version, std::move(change)});
    event(kube::EventType::Normal, "UpdatedWorkload",
          "Updated workload slice to " + std::to_string(wanted.count) +
              " pods: " + slice.meta.key.text());
  };
  if (size != Resize::NewSlice) {
    // What waits for more than the Job wants now is not needed.
    if (next_ != nullptr) {
      write(finish_workload(*next_, "OutOfSync",
                            "The workload slice is out of sync with its parent job", now_));
    }
    if (size == Resize::InPlace) resize_in_place(holder);
    return size == Resize::InPlace;
  }
  if (is_true(holder.status.conditions, conditions::kEvicted)) return false;
  if (next_ != nullptr) {
    if (next_->pod_sets.size() == 1 && next_->pod_sets.front().count != wanted.count &&
        !next_->meta.deleted) {
      resize_in_place(*next_);
    }
    return false;
  }
  if (!seen_.priority) return false;
  Outcome<Workload> slice = next_slice(job_, holder, wanted.count, *seen_.priority, settings_);
  if (!slice) return false;
  const std::string name = slice->meta.key.text();
  write(CreateWorkload{std::move(*slice)});
  event(kube::EventType::Normal, "CreatedWorkload", "Created Workload: " + name);
  return false;
}

void Look::without_workload(const objects::PodSet& pod_set) {
  if (finished_condition(job_) != nullptr && candidate_ == nullptr) return;
  if (candidate_ != nullptr) {
    const Workload& candidate = *candidate_;
    const bool reserved = is_true(candidate.status.conditions, conditions::kQuotaReserved);
    if (!job_.suspend || stopping(job_)) {
      return stop(&candidate,
                  "No matching Workload; restoring pod templates according to existent Workload");
    }
    if (candidate.meta.deleted) return drop_workload_finalizer(candidate);
    if (!reserved) {
      objects::WorkloadSpecChange change;
      change.pod_sets = {pod_set};
      if (queue_name(job_.meta) != candidate.queue_name) change.queue_name = queue_name(job_.meta);
      write(PatchWorkloadSpec{candidate.meta.key, candidate.meta.resource_version, change});
      return event(kube::EventType::Normal, "UpdatedWorkload",
                   "Updated not matching Workload for suspended job: " + candidate.meta.key.text());
    }
    if (!inactive(job_)) return;
    drop_workload_finalizer(candidate);
    write(DeleteWorkload{candidate.meta.key, candidate.meta.uid});
    return event(kube::EventType::Normal, "DeletedWorkload",
                 "Deleted not matching Workload: " + candidate.meta.key.text());
  }
  // Pods of an elastic Job wait behind their gate, whatever the Job does.
  if (!waits_by_itself()) {
    if (!job_.suspend) return stop(nullptr, "Missing Workload; unable to restore pod templates");
    if (stopping(job_)) return stop(nullptr, "");
    if (!inactive(job_)) return;
  }
  if (!seen_.priority) {
    const bool class_label = !objects::value_of(job_.meta.labels, names::kPriorityClass).empty();
    return event(kube::EventType::Warning,
                 class_label ? "WorkloadPriorityClassNotFound" : "ErrWorkloadCompose",
                 seen_.priority.error().message);
  }
  Outcome<Workload> workload = jobs::workload_of(job_, *seen_.priority, settings_);
  if (!workload) {
    return event(kube::EventType::Warning, "ErrWorkloadCompose", workload.error().message);
  }
  const std::string name = workload->meta.key.text();
  write(CreateWorkload{std::move(*workload)});
  event(kube::EventType::Normal, "CreatedWorkload", "Created Workload: " + name);
  for (std::string& part : jobs::ignored_parts(job_, settings_)) {
    event(kube::EventType::Warning, "InvalidJobSetting", std::move(part));
  }
}

void Look::with_workload() {
  const Workload& workload = *workload_;
  const auto& status = workload.status.conditions;
  if (is_true(status, conditions::kFinished)) {
    // The finalizer of a finished Workload stays until somebody deletes it: taking it off now would
    // cost each job one more write.
    if (workload.meta.deleted) drop_workload_finalizer(workload);
    if (!job_.suspend && finished_condition(job_) == nullptr) {
      stop(&workload, objects::find_condition(status, conditions::kFinished)->message);
    }
    return;
  }
  if (workload.meta.deleted) {
    if (!job_.suspend || stopping(job_)) return stop(&workload, "Workload is deleted");
    if (inactive(job_)) drop_workload_finalizer(workload);
    return;
  }
  if (const Condition* condition = finished_condition(job_)) {
    const char* how = condition->type == "Failed" ? "Failed" : "Succeeded";
    write(finish_workload(workload, how, condition->message, now_));
    if (next_ != nullptr) write(finish_workload(*next_, how, condition->message, now_));
    return event(kube::EventType::Normal, "FinishedWorkload",
                 "Workload '" + workload.meta.key.text() + "' is declared finished");
  }
  if (is_true(status, conditions::kEvicted)) {
    evicted();
    return record_readiness();
  }
  if (job_.suspend) {
    if (stopping(job_)) return stop(&workload, "");
    return is_true(status, conditions::kAdmitted) ? start() : waiting();
  }
  if (!is_true(status, conditions::kAdmitted)) {
    if (waits_by_itself()) return waiting();
    return stop(&workload, "Not admitted by cluster queue");
  }
  progress();
}

// In up to three steps, each seen before the next: suspend; wait until the pods are gone, clearing
// the start time where the server wants that; give the template its original directives back.
void Look::stop(const Workload* workload, std::string message) {
  if (!job_.suspend) {
    objects::JobChange change;
    change.suspend = true;
    Labels annotations = job_.meta.annotations;
    annotations[std::string(names::kStopping)] = "true";
    change.annotations = std::move(annotations);
    write(PatchJob{job_, std::move(change)});
    return event(kube::EventType::Normal, "Stopped", std::move(message));
  }
  if (!inactive(job_)) return;
  if (job_.status.started) {
    return write(ClearJobStart{job_.meta.key, job_.meta.resource_version});
  }
  objects::JobChange change = restore_change(job_, workload);
  if (objects::job_patch(job_, job_.meta.resource_version, change) != "{}") {
    write(PatchJob{job_, std::move(change)});
  }
}

void Look::evicted() {
  const Workload& workload = *workload_;
  const bool reserved = is_true(workload.status.conditions, conditions::kQuotaReserved);
  if (!job_.suspend || stopping(job_)) {
    stop(&workload,
         objects::find_condition(workload.status.conditions, conditions::kEvicted)->message);
  } else if (!reserved) {
    return waiting();
  }
  if (inactive(job_) && reserved) write(ReleaseQuota{workload.meta.key, workload.meta.uid});
}

void Look::start() {
  const Workload& workload = *workload_;
  Outcome<objects::JobChange> change = start_change(job_, workload, seen_.flavors, settings_);
  if (!change) {
    if (change.error().code != Errc::Invalid) return;  // looked at again when the flavor comes
    return write(finish_workload(workload, "FailedToStart", change.error().message, now_));
  }
  const GroupPlan group = plan_group(job_, seen_.groups, admitted_count(workload), settings_);
  for (const Write& step : group.writes) write(step);
  if (group.blocked) {
    if (!group.why.empty()) event(kube::EventType::Warning, "PodGroupConflict", group.why);
    return;
  }
  write(PatchJob{job_, std::move(*change)});
  event(kube::EventType::Normal, "Started",
        "Admitted by clusterQueue " + workload.status.admission->cluster_queue);
}

// Suspended and not admitted: the Workload follows what a user may change meanwhile.
void Look::waiting() {
  const Workload& workload = *workload_;
  if (settings_.admission_gated_by) {
    const std::string_view wanted =
        objects::value_of(job_.meta.annotations, names::kAdmissionGatedBy);
    if (wanted != objects::value_of(workload.meta.annotations, names::kAdmissionGatedBy)) {
      write(SetAnnotation{objects::kinds::kWorkload, workload.meta.key,
                          workload.meta.resource_version, std::string(names::kAdmissionGatedBy),
                          std::string(wanted)});
      return event(kube::EventType::Normal, "UpdatedWorkload",
                   "Updated workload AdmissionGatedBy to \"" + std::string(wanted) + "\"");
    }
  }
  objects::WorkloadSpecChange change;
  bool changed = false;
  std::string what;
  const bool reserved = is_true(workload.status.conditions, conditions::kQuotaReserved);
  const std::string queue = queue_name(job_.meta);
  if (!reserved && !queue.empty() && queue != workload.queue_name) {
    change.queue_name = queue;
    changed = true;
  }
  const bool own_class =
      !workload.priority_class || workload.priority_class->kind == "WorkloadPriorityClass";
  if (!reserved && own_class && seen_.priority &&
      seen_.priority->source != workload.priority_class &&
      !objects::value_of(job_.meta.labels, names::kPriorityClass).empty()) {
    change.priority = seen_.priority->value;
    change.priority_class = seen_.priority->source;
    changed = true;
    what = "Updated workload priority class: " + workload.meta.key.text();
  }
  if (!changed) return;
  write(PatchWorkloadSpec{workload.meta.key, workload.meta.resource_version, change});
  if (!what.empty()) event(kube::EventType::Normal, "UpdatedWorkload", std::move(what));
}

void Look::progress() {
  const Workload& workload = *workload_;
  GroupPlan group = plan_group(job_, seen_.groups, admitted_count(workload), settings_);
  std::ranges::move(group.writes, std::back_inserter(plan_.writes));
  std::ranges::move(group.later, std::back_inserter(plan_.later));
  if (elastic_) {
    std::ranges::move(ungate_slice(workload, seen_.pods), std::back_inserter(plan_.writes));
  }
  if (settings_.reclaimable_pods) {
    const std::int32_t whole = workload.pod_sets.front().count;
    const std::int32_t count = std::min(reclaimable_pods(job_), whole);
    std::int32_t known = 0;
    for (const objects::ReclaimablePod& pod : workload.status.reclaimable_pods) known += pod.count;
    // All of them: the Job is about to finish, which says the same.
    if (count > known && count < whole) {
      ApplyWorkloadStatus reclaim{
          workload.meta.key, workload.meta.uid, "kueue-reclaimable-pods", {}};
      reclaim.status.reclaimable_pods = {{workload.pod_sets.front().name, count}};
      // Pods that end together cost one write and not one each.
      plan_.later.push_back(std::move(reclaim));
    }
  }
  record_readiness();
}

void Look::record_readiness() {
  if (!settings_.wait_for_pods_ready) return;
  const std::int32_t ready =
      job_.status.succeeded + job_.status.ready + job_.status.uncounted_succeeded;
  const bool runs = !job_.suspend && workload_->status.admission.has_value();
  const bool all = runs && ready >= admitted_count(*workload_);
  if (auto change = pods_ready_change(*workload_, all, now_)) write(std::move(*change));
}

}  // namespace

kube::Event job_event(const Job& job, kube::EventType type, std::string_view reason,
                      std::string note) {
  kube::Event event;
  event.regarding = {"batch/v1", "Job", job.meta.key, job.meta.uid, ""};
  event.type = type;
  event.reason = std::string(reason);
  event.note = std::move(note);
  return event;
}

ApplyWorkloadStatus finish_workload(const Workload& workload, std::string_view reason,
                                    std::string message, Time now) {
  ApplyWorkloadStatus finish{
      workload.meta.key, workload.meta.uid, "kueue-job-controller-Finished", {}};
  finish.status.conditions = {{.type = std::string(conditions::kFinished),
                               .status = ConditionStatus::True,
                               .reason = std::string(reason),
                               .message = std::move(message),
                               .observed_generation = workload.meta.generation,
                               .last_transition = now}};
  return finish;
}

SetFinalizers drop_finalizer(const Workload& workload) {
  std::vector<std::string> rest = workload.meta.finalizers;
  std::erase(rest, names::kResourceInUse);
  return {objects::kinds::kWorkload, workload.meta.key, workload.meta.resource_version,
          std::move(rest)};
}

Plan reconcile(const JobView& seen, const ReconcileSettings& settings, Time now) {
  return Look(seen, settings, now).take();
}

}  // namespace quorate::controller
