#include "controller/reconcile/pods_ready.h"

#include <utility>

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using objects::Condition;
using objects::ConditionStatus;

// What the condition has to be; its status and reason decide whether it is there already.
Condition wanted(const Condition* before, bool admitted, bool all_ready) {
  Condition condition{.type = std::string(conditions::kPodsReady),
                      .status = ConditionStatus::False,
                      .reason = "WaitForStart",
                      .message = "Not all pods are ready or succeeded"};
  if (!admitted) return condition;
  const bool recovered =
      before != nullptr && (before->reason == "WaitForRecovery" || before->reason == "Recovered");
  if (all_ready) {
    condition.status = ConditionStatus::True;
    condition.reason = recovered ? "Recovered" : "Started";
    condition.message = "All pods reached readiness and the workload is running";
  } else if (before != nullptr && (before->status == ConditionStatus::True || recovered)) {
    condition.reason = "WaitForRecovery";
    condition.message = "At least one pod has failed, waiting for recovery";
  }
  return condition;
}

}  // namespace

std::optional<ApplyWorkloadStatus> pods_ready_change(const objects::Workload& workload,
                                                     bool all_ready, Time now) {
  const auto& shown = workload.status.conditions;
  const Condition* before = objects::find_condition(shown, conditions::kPodsReady);
  const bool admitted = objects::is_true(shown, conditions::kAdmitted) &&
                        !objects::is_true(shown, conditions::kEvicted);
  Condition condition = wanted(before, admitted, all_ready);
  if (before == nullptr && condition.status == ConditionStatus::False) return std::nullopt;
  if (before != nullptr && before->status == condition.status &&
      before->reason == condition.reason) {
    return std::nullopt;
  }
  condition.observed_generation = workload.meta.generation;
  const bool same = before != nullptr && before->status == condition.status;
  condition.last_transition = same ? before->last_transition : now;
  ApplyWorkloadStatus change{
      workload.meta.key, workload.meta.uid, "kueue-job-controller-PodsReady", {}};
  change.status.conditions = {std::move(condition)};
  return change;
}

}  // namespace quorate::controller
