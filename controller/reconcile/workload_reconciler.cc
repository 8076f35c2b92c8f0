#include "controller/reconcile/workload_reconciler.h"

#include "controller/reconcile/job_reconciler.h"
#include "src/objects/names.h"

namespace quorate::controller {

Plan reconcile(const WorkloadView& seen, const ReconcileSettings& settings, Time now) {
  namespace conditions = objects::conditions;
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
  if (finished) return plan;
  if (seen.owner_gone) {
    if (settings.finish_orphans) {
      plan.writes.push_back(
          finish_workload(workload, "OwnerNotFound", "The workload's owner no longer exists", now));
    }
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
