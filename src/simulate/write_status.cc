#include "src/simulate/write_status.h"

namespace quorate::simulate {
namespace {

namespace conditions = objects::conditions;
using objects::ConditionStatus;
using objects::Workload;

void set(Workload& workload, std::string_view type, ConditionStatus status, std::string reason,
         std::string message, Time now) {
  objects::set_condition(workload.status.conditions,
                         {.type = std::string(type),
                          .status = status,
                          .reason = std::move(reason),
                          .message = std::move(message),
                          .observed_generation = workload.meta.generation},
                         now);
}

}  // namespace

bool being_evicted(const Workload& workload) {
  return objects::is_true(workload.status.conditions, conditions::kEvicted) &&
         workload.status.admission.has_value() && !finished(workload);
}

void pods_ready(Workload& workload, Time now) {
  set(workload, conditions::kPodsReady, ConditionStatus::True, "Started",
      "All pods reached readiness and the workload is running", now);
}

void pods_stopped(Workload& workload, Time now) {
  const objects::Condition* ready =
      objects::find_condition(workload.status.conditions, conditions::kPodsReady);
  if (ready == nullptr || ready->reason == "WaitForStart") return;
  set(workload, conditions::kPodsReady, ConditionStatus::False, "WaitForStart",
      "Not all pods are ready or succeeded", now);
}

void finish_workload(Workload& workload, Time now) {
  set(workload, conditions::kFinished, ConditionStatus::True, "Succeeded",
      "Job finished successfully", now);
}

bool reserved(const Workload& workload) {
  return objects::is_true(workload.status.conditions, conditions::kQuotaReserved);
}
bool admitted(const Workload& workload) {
  return objects::is_true(workload.status.conditions, conditions::kAdmitted);
}
bool finished(const Workload& workload) {
  return objects::is_true(workload.status.conditions, conditions::kFinished);
}

}  // namespace quorate::simulate
