#include "src/simulate/write_status.h"

#include <algorithm>
#include <array>
#include <variant>

namespace quorate::simulate {
namespace {

namespace conditions = objects::conditions;
using objects::Condition;
using objects::ConditionStatus;
using objects::Workload;

constexpr std::int64_t kSecond = 1'000'000'000;

void set(Workload& workload, std::string_view type, ConditionStatus status, std::string reason,
         std::string message, Time now) {
  // The reference leaves the generation out of Preempted.
  const bool bare = type == conditions::kPreempted;
  objects::set_condition(workload.status.conditions,
                         {.type = std::string(type),
                          .status = status,
                          .reason = std::move(reason),
                          .message = std::move(message),
                          .observed_generation = bare ? 0 : workload.meta.generation},
                         now);
}

// Turns a condition that is True to False; one that is not stays.
void lower(Workload& workload, std::string_view type, const std::string& reason,
           const std::string& message, Time now) {
  if (objects::is_true(workload.status.conditions, type)) {
    set(workload, type, ConditionStatus::False, reason, message, now);
  }
}

objects::Admission to_object(const admission::Admission& admission) {
  objects::Admission object{.cluster_queue = admission.cluster_queue};
  for (const admission::PodSetAssignment& each : admission.pod_sets) {
    objects::PodSetAssignment& out = object.pod_sets.emplace_back();
    out.name = each.name;
    out.flavors = each.flavors;
    out.usage = each.usage;
    out.count = each.count;
    if (!each.topology) continue;
    out.topology.emplace().levels = each.topology->levels;
    for (const auto& domain : each.topology->domains) {
      out.topology->domains.push_back({domain.values, domain.count});
    }
  }
  return object;
}

void require_checks(Workload& workload, const std::vector<std::string>& wanted, Time now) {
  auto& checks = workload.status.admission_checks;
  std::erase_if(checks, [&](const objects::AdmissionCheckState& check) {
    return !std::ranges::binary_search(wanted, check.name);
  });
  for (const std::string& name : wanted) {
    if (std::ranges::find(checks, name, &objects::AdmissionCheckState::name) != checks.end()) {
      continue;
    }
    checks.push_back({.name = name, .last_transition = now});
  }
  std::ranges::sort(checks, {}, &objects::AdmissionCheckState::name);
}

void reset(objects::AdmissionCheckState& check, Time now) {
  static constexpr std::array<const char*, 4> kStates = {"Pending", "Ready", "Retry", "Rejected"};
  if (check.state == objects::CheckState::Pending) return;
  check.message = std::string("Reset to Pending after eviction. Previously: ") +
                  kStates[static_cast<std::size_t>(check.state)];
  if (check.state == objects::CheckState::Retry) {
    check.retry_count = check.retry_count.value_or(0) + 1;
  } else {
    check.retry_count.reset();
  }
  check.state = objects::CheckState::Pending;
  check.last_transition = now;
  check.pod_set_updates.clear();
}

// Statistics count by the root reason; what follows "DeactivatedDueTo" is its cause.
void count_eviction(Workload& workload, std::string_view reason) {
  constexpr std::string_view kDueTo = "DeactivatedDueTo";
  std::string cause;
  if (reason.starts_with(kDueTo)) {
    cause = reason.substr(kDueTo.size());
    reason = "Deactivated";
  }
  for (objects::EvictionCount& count : workload.status.evictions) {
    if (count.reason == reason && count.underlying_cause == cause) {
      ++count.count;
      return;
    }
  }
  workload.status.evictions.push_back({std::string(reason), std::move(cause), 1});
}

void unreserve(Workload& workload, const std::string& reason, const std::string& message,
               Time now) {
  const Condition* admitted =
      objects::find_condition(workload.status.conditions, conditions::kAdmitted);
  if (admitted != nullptr && admitted->status == ConditionStatus::True) {
    const std::int64_t ran = std::max<std::int64_t>((now - admitted->last_transition).nanos, 0);
    workload.status.accumulated_past_execution_seconds =
        workload.status.accumulated_past_execution_seconds.value_or(0) +
        static_cast<std::int32_t>(ran / kSecond);
  }
  workload.status.admission.reset();
  set(workload, conditions::kQuotaReserved, ConditionStatus::False, reason, message, now);
  set(workload, conditions::kAdmitted, ConditionStatus::False, "NoReservation",
      "The workload has no reservation", now);
}

struct Writer {
  Workload& workload;
  const std::vector<std::string>& checks;
  Time now;

  void operator()(const admission::Admit& admit) const {
    for (const std::string_view type :
         {conditions::kEvicted, conditions::kPreempted, conditions::kBlockedOnPreemptionGates}) {
      const Condition* before = objects::find_condition(workload.status.conditions, type);
      if (before != nullptr) {
        lower(workload, type, "QuotaReserved", "Previously: " + before->message, now);
      }
    }
    workload.status.admission = to_object(admit.admission);
    workload.status.resource_requests.clear();
    set(workload, conditions::kQuotaReserved, ConditionStatus::True, "QuotaReserved", admit.message,
        now);
    require_checks(workload, checks, now);
    if (admit.admitted) {
      set(workload, conditions::kAdmitted, ConditionStatus::True, "Admitted",
          "The workload is admitted", now);
    } else {
      set(workload, conditions::kAdmitted, ConditionStatus::False, "UnsatisfiedAdmissionChecks",
          "The workload has not all checks ready", now);
    }
  }
  void operator()(const admission::ConfirmAdmission& confirm) const {
    set(workload, conditions::kAdmitted, ConditionStatus::True, "Admitted",
        confirm.message.empty() ? "The workload is admitted" : confirm.message, now);
  }
  void operator()(const admission::Hold& hold) const {
    unreserve(workload, hold.reason, hold.message, now);
    require_checks(workload, checks, now);
  }
  void operator()(const admission::DropReservation& drop) const {
    unreserve(workload, drop.reason, drop.message, now);
  }
  void operator()(const admission::Evict& evict) const {
    set(workload, conditions::kEvicted, ConditionStatus::True, evict.reason, evict.message, now);
    if (!evict.preemption_reason.empty()) {
      set(workload, conditions::kPreempted, ConditionStatus::True, evict.preemption_reason,
          evict.message, now);
    }
    workload.status.cluster_name.clear();
    workload.status.nominated_cluster_names.clear();
    workload.status.unhealthy_nodes.clear();
    for (objects::AdmissionCheckState& check : workload.status.admission_checks) reset(check, now);
    for (objects::PreemptionGateState& gate : workload.status.preemption_gates) {
      if (gate.open) gate.last_transition = now;
      gate.open = false;
    }
    lower(workload, conditions::kBlockedOnPreemptionGates, evict.reason, evict.message, now);
    objects::remove_condition(workload.status.conditions, conditions::kDeactivationTarget);
    if (evict.reason.starts_with("Deactivated")) workload.status.requeue.reset();
    if (evict.deactivate && workload.active) {
      workload.active = false;
      ++workload.meta.generation;
    }
    count_eviction(workload, evict.reason);
  }
  void operator()(const admission::Requeue& requeue) const {
    set(workload, conditions::kRequeued, ConditionStatus::True, requeue.reason, requeue.message,
        now);
    if (requeue.reason == "Reactivated") {
      workload.status.requeue.reset();
    } else if (workload.status.requeue) {
      workload.status.requeue->requeue_at.reset();
    }
  }
};

}  // namespace

void write_decision(Workload& workload, const admission::Decision& decision,
                    const std::vector<std::string>& checks, Time now) {
  std::visit(Writer{workload, checks, now}, decision);
}

void finish_eviction(Workload& workload, Time now) {
  const Condition* evicted =
      objects::find_condition(workload.status.conditions, conditions::kEvicted);
  const std::string reason = evicted != nullptr ? evicted->reason : "Pending";
  const std::string message = evicted != nullptr ? evicted->message : "";
  unreserve(workload, "PendingEvaluation", message, now);
  const bool at_once = reason == "Preempted" || reason == "NodeFailures";
  set(workload, conditions::kRequeued, at_once ? ConditionStatus::True : ConditionStatus::False,
      reason, message, now);
}

bool being_evicted(const Workload& workload) {
  return objects::is_true(workload.status.conditions, conditions::kEvicted) &&
         workload.status.admission.has_value() && !finished(workload);
}

void pods_ready(Workload& workload, Time now) {
  set(workload, conditions::kPodsReady, ConditionStatus::True, "Started",
      "All pods reached readiness and the workload is running", now);
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
