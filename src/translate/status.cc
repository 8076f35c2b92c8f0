#include "src/translate/status.h"

#include <algorithm>
#include <array>
#include <variant>

#include "admission/messages.h"

namespace quorate::translate {
namespace {

namespace conditions = objects::conditions;
using objects::Condition;
using objects::ConditionStatus;
using objects::Workload;
using objects::WorkloadStatus;

constexpr std::int64_t kSecond = 1'000'000'000;

class Change {
 public:
  Change(Workload& workload, const StatusContext& context)
      : workload_(workload), status_(workload.status), context_(context) {}

  void operator()(const admission::Admit& admit) {
    for (const std::string_view type :
         {conditions::kEvicted, conditions::kPreempted, conditions::kBlockedOnPreemptionGates}) {
      const Condition* before = objects::find_condition(status_.conditions, type);
      if (before != nullptr) lower(type, "QuotaReserved", "Previously: " + before->message);
    }
    objects::remove_condition(status_.conditions, kWaitingCondition);
    status_.admission = to_object(admit.admission);
    if (status_.cluster_name.empty()) status_.cluster_name = context_.replaced_cluster;
    status_.unhealthy_nodes.clear();  // a new placement does without them
    status_.resource_requests.clear();
    set(conditions::kQuotaReserved, ConditionStatus::True, "QuotaReserved", admit.message);
    require_checks(context_.required_checks);
    if (admit.admitted) {
      set(conditions::kAdmitted, ConditionStatus::True, "Admitted", "The workload is admitted");
    } else {
      set(conditions::kAdmitted, ConditionStatus::False, "UnsatisfiedAdmissionChecks",
          "The workload has not all checks ready");
    }
  }

  void operator()(const admission::ConfirmAdmission& confirm) {
    set(conditions::kAdmitted, ConditionStatus::True, "Admitted",
        confirm.message.empty() ? "The workload is admitted" : confirm.message);
  }

  void operator()(const admission::Hold& hold) {
    unreserve(hold.reason, hold.message);
    if (preemption_gated(hold.proof)) {
      set(conditions::kBlockedOnPreemptionGates, ConditionStatus::True, "PreemptionGated",
          hold.message);
    }
    if (context_.say_layer) say_layer(hold.proof);
    require_checks(context_.required_checks);
  }

  void operator()(const admission::DropReservation& drop) { unreserve(drop.reason, drop.message); }

  void operator()(const admission::Evict& evict) {
    set(conditions::kEvicted, ConditionStatus::True, evict.reason, evict.message);
    if (!evict.preemption_reason.empty()) {
      set(conditions::kPreempted, ConditionStatus::True, evict.preemption_reason, evict.message);
    }
    status_.cluster_name.clear();
    status_.nominated_cluster_names.clear();
    status_.unhealthy_nodes.clear();
    for (objects::AdmissionCheckState& check : status_.admission_checks) reset(check);
    for (objects::PreemptionGateState& gate : status_.preemption_gates) {
      if (gate.open) gate.last_transition = context_.now;
      gate.open = false;
    }
    lower(conditions::kBlockedOnPreemptionGates, evict.reason, evict.message);
    objects::remove_condition(status_.conditions, conditions::kDeactivationTarget);
    if (evict.requeue) put_requeue(*evict.requeue);
    if (evict.reason.starts_with("Deactivated")) status_.requeue.reset();
    count_eviction(class_of(evict));
  }

  void operator()(const admission::Requeue& requeue) {
    set(conditions::kRequeued, ConditionStatus::True, requeue.reason, requeue.message);
    if (requeue.reason == "Reactivated") {
      status_.requeue.reset();
    } else if (status_.requeue) {
      status_.requeue->requeue_at.reset();
    }
  }

  void operator()(const admission::Deactivate& deactivate) {
    set(conditions::kDeactivationTarget, ConditionStatus::True, deactivate.reason,
        deactivate.message);
    if (deactivate.reset_execution_time) status_.accumulated_past_execution_seconds.reset();
  }

  void operator()(const admission::Postpone& postpone) {
    if (!status_.requeue) status_.requeue.emplace();
    status_.requeue->requeue_at = postpone.until;
  }

  void operator()(const admission::ListChecks& list) { require_checks(list.checks); }

  void operator()(const admission::Finish& finish) {
    set(conditions::kFinished, ConditionStatus::True, finish.reason, finish.message);
  }

  void finish_eviction() {
    const Condition* evicted = objects::find_condition(status_.conditions, conditions::kEvicted);
    const std::string reason = evicted != nullptr ? evicted->reason : "Pending";
    const std::string message = evicted != nullptr ? evicted->message : "";
    // A workload that used its time up starts with all of it when it is activated again; the
    // reference counts its last run, and deactivates it at once.
    const bool time_is_up = reason == "DeactivatedDueToMaximumExecutionTimeExceeded";
    const std::optional<std::int32_t> spent = status_.accumulated_past_execution_seconds;
    unreserve("PendingEvaluation", message);
    if (time_is_up) status_.accumulated_past_execution_seconds = spent;
    const bool at_once = reason == "Preempted" || reason == "NodeFailures";
    set(conditions::kRequeued, at_once ? ConditionStatus::True : ConditionStatus::False, reason,
        message);
  }

 private:
  static bool preemption_gated(const admission::Proof& proof) {
    return std::ranges::any_of(proof.facts, [](const admission::Fact& fact) {
      const auto* closed = std::get_if<admission::QueueClosed>(&fact);
      return closed != nullptr && closed->reason == "PreemptionGated";
    });
  }

  void set(std::string_view type, ConditionStatus status, std::string reason, std::string message) {
    // The reference leaves the generation out of Preempted.
    const bool bare = type == conditions::kPreempted;
    objects::set_condition(status_.conditions,
                           {.type = std::string(type),
                            .status = status,
                            .reason = std::move(reason),
                            .message = std::move(message),
                            .observed_generation = bare ? 0 : workload_.meta.generation},
                           context_.now);
  }

  // Turns a condition that is True to False; one that is not stays.
  void lower(std::string_view type, const std::string& reason, const std::string& message) {
    if (objects::is_true(status_.conditions, type)) {
      set(type, ConditionStatus::False, reason, message);
    }
  }

  void unreserve(const std::string& reason, const std::string& message) {
    const Condition* admitted = objects::find_condition(status_.conditions, conditions::kAdmitted);
    if (admitted != nullptr && admitted->status == ConditionStatus::True) {
      const std::int64_t ran = (context_.now - admitted->last_transition).nanos / kSecond;
      status_.accumulated_past_execution_seconds =
          status_.accumulated_past_execution_seconds.value_or(0) +
          static_cast<std::int32_t>(std::max<std::int64_t>(ran, 0));
    }
    status_.admission.reset();
    set(conditions::kQuotaReserved, ConditionStatus::False, reason, message);
    set(conditions::kAdmitted, ConditionStatus::False, "NoReservation",
        "The workload has no reservation");
  }

  void say_layer(const admission::Proof& proof) {
    std::string layer(admission::layer_text(proof.layer));
    layer.front() = static_cast<char>(layer.front() - 'a' + 'A');  // a reason is CamelCase
    std::string why = admission::explain(proof);
    set(kWaitingCondition, ConditionStatus::True, std::move(layer), std::move(why));
  }

  void put_requeue(const admission::RequeueState& state) {
    if (!status_.requeue) status_.requeue.emplace();
    status_.requeue->count = state.count;
    status_.requeue->requeue_at = state.at;
  }

  void require_checks(const std::optional<std::vector<std::string>>& wanted) {
    if (!wanted) return;
    std::vector<objects::AdmissionCheckState>& checks = status_.admission_checks;
    std::erase_if(checks, [&](const objects::AdmissionCheckState& check) {
      return !std::ranges::binary_search(*wanted, check.name);
    });
    for (const std::string& name : *wanted) {
      if (std::ranges::find(checks, name, &objects::AdmissionCheckState::name) != checks.end()) {
        continue;
      }
      objects::AdmissionCheckState& check = checks.emplace_back();
      check.name = name;
      check.last_transition = context_.now;
    }
    std::ranges::sort(checks, {}, &objects::AdmissionCheckState::name);
  }

  void reset(objects::AdmissionCheckState& check) {
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
    check.last_transition = context_.now;
    check.pod_set_updates.clear();
  }

  void count_eviction(EvictionClass as) {
    for (objects::EvictionCount& count : status_.evictions) {
      if (count.reason == as.reason && count.underlying_cause == as.cause) {
        ++count.count;
        return;
      }
    }
    status_.evictions.push_back({std::move(as.reason), std::move(as.cause), 1});
  }

  Workload& workload_;
  WorkloadStatus& status_;
  const StatusContext& context_;
};

}  // namespace

void write_decision(Workload& workload, const admission::Decision& decision,
                    const StatusContext& context) {
  Change change(workload, context);
  std::visit(change, decision);
}

void finish_eviction(Workload& workload, Time now) {
  const StatusContext context{now, std::nullopt, false};
  Change(workload, context).finish_eviction();
}

EvictionClass class_of(const admission::Evict& evict) {
  constexpr std::string_view kDueTo = "DeactivatedDueTo";
  if (!evict.reason.starts_with(kDueTo)) return {evict.reason, evict.cause};
  return {"Deactivated", evict.reason.substr(kDueTo.size())};
}

objects::Admission to_object(const admission::Admission& admission) {
  objects::Admission object;
  object.cluster_queue = admission.cluster_queue;
  for (const admission::PodSetAssignment& assignment : admission.pod_sets) {
    objects::PodSetAssignment& out = object.pod_sets.emplace_back();
    out.name = assignment.name;
    out.flavors = assignment.flavors;
    out.usage = assignment.usage;
    out.count = assignment.count;
    switch (assignment.delayed) {
      case admission::DelayedTopology::None:
        break;
      case admission::DelayedTopology::Pending:
        out.delayed_topology_request = "Pending";
        break;
      case admission::DelayedTopology::Ready:
        out.delayed_topology_request = "Ready";
        break;
    }
    if (!assignment.topology) continue;
    objects::TopologyAssignment& topology = out.topology.emplace();
    topology.levels = assignment.topology->levels;
    for (const auto& domain : assignment.topology->domains) {
      topology.domains.push_back({domain.values, domain.count});
    }
  }
  return object;
}

}  // namespace quorate::translate
