#include "controller/reconcile/workload_reconciler.h"

#include <utility>

#include "admission/variants.h"
#include "controller/reconcile/job_reconciler.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;

// Deactivated by a controller, not by its user, and still so.
bool given_up(const objects::Workload& workload) {
  const objects::Condition* evicted =
      objects::find_condition(workload.status.conditions, conditions::kEvicted);
  return !workload.active && evicted != nullptr &&
         evicted->status == objects::ConditionStatus::True &&
         evicted->reason.starts_with("DeactivatedDueTo");
}

// Whether the condition has been true for that long; if not yet, the plan says when to look again.
bool due(const std::optional<Duration>& keep, const objects::Workload& workload,
         std::string_view type, Time now, Plan& plan) {
  if (!keep) return false;
  const objects::Condition* since = objects::find_condition(workload.status.conditions, type);
  const Time end = since->last_transition + *keep;
  if (end <= now) return true;
  plan.look_again = end - now;
  return false;
}

kube::Event deleted_event(const kube::Resource& resource, const ObjectKey& key,
                          const std::string& uid, std::string note) {
  kube::Event event;
  event.regarding = {resource.api_version(), resource.kind, key, uid, ""};
  event.reason = "Deleted";
  event.note = std::move(note);
  return event;
}

}  // namespace

Plan reconcile(const WorkloadView& seen, const ReconcileSettings& settings, Time now) {
  const objects::Workload& workload = seen.workload;
  const bool finished = objects::is_true(workload.status.conditions, conditions::kFinished);
  const bool ours = objects::has_finalizer(workload.meta, objects::names::kResourceInUse);
  const bool ownerless = objects::controller_of(workload.meta) == nullptr;
  Plan plan;

  if (workload.meta.deleted) {
    if (ours && (seen.owner_gone || ownerless || finished)) {
      plan.writes.push_back(drop_finalizer(workload));
    }
    return plan;
  }
  if (finished) {
    if (due(settings.retain_finished, workload, conditions::kFinished, now, plan)) {
      if (ours) plan.writes.push_back(drop_finalizer(workload));
      plan.writes.push_back(DeleteWorkload{workload.meta.key, workload.meta.uid});
      plan.writes.push_back(deleted_event(resource_of(objects::kinds::kWorkload), workload.meta.key,
                                          workload.meta.uid,
                                          "Deleted finished workload due to elapsed retention"));
    }
    return plan;
  }
  if (seen.owner_gone) {
    if (settings.finish_orphans) {
      plan.writes.push_back(
          finish_workload(workload, "OwnerNotFound", "The workload's owner no longer exists", now));
    }
    return plan;
  }
  const objects::OwnerReference* owner = objects::controller_of(workload.meta);
  if (seen.owner && owner != nullptr && given_up(workload) &&
      due(settings.retain_deactivated, workload, conditions::kEvicted, now, plan)) {
    const ObjectKey key{workload.meta.key.ns, owner->name};
    plan.writes.push_back(DeleteOwner{*seen.owner, key, owner->uid});
    plan.writes.push_back(deleted_event(*seen.owner, key, owner->uid,
                                        "Deleted job: deactivation retention period expired"));
    return plan;
  }
  if (seen.wants_variants && settings.concurrent_admission) {
    plan.writes.push_back(SetLabel{objects::kinds::kWorkload, workload.meta.key,
                                   workload.meta.resource_version,
                                   std::string(admission::kVariantParentLabel), "true"});
    return plan;
  }
  objects::WorkloadSpecChange change;
  bool changed = false;
  if (workload.active &&
      objects::is_true(workload.status.conditions, conditions::kDeactivationTarget)) {
    change.active = false;
    changed = true;
  }
  if (seen.class_value && seen.class_value != workload.priority) {
    change.priority = seen.class_value;
    changed = true;
  }
  if (changed) {
    plan.writes.push_back(
        PatchWorkloadSpec{workload.meta.key, workload.meta.resource_version, change});
  }
  return plan;
}

}  // namespace quorate::controller
