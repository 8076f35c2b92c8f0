#include "controller/reconcile/workload_status.h"

#include <algorithm>
#include <array>

#include "admission/messages.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using objects::Condition;
using objects::ConditionStatus;
using objects::Workload;
using objects::WorkloadStatus;

// Of the conditions those that admission decides; the others have managers of their own.
constexpr std::array<std::string_view, 8> kOwnConditions = {conditions::kQuotaReserved,
                                                            conditions::kAdmitted,
                                                            conditions::kEvicted,
                                                            conditions::kPreempted,
                                                            conditions::kRequeued,
                                                            conditions::kDeactivationTarget,
                                                            conditions::kBlockedOnPreemptionGates,
                                                            kWaitingCondition};

class Change {
 public:
  Change(Workload& workload, const StatusContext& context)
      : workload_(workload), status_(workload.status), context_(context) {}

  void operator()(const admission::Admit& admit) {
    for (const std::string_view type :
         {conditions::kEvicted, conditions::kPreempted, conditions::kBlockedOnPreemptionGates}) {
      const Condition* before = objects::find_condition(status_.conditions, type);
      if (before == nullptr || before->status != ConditionStatus::True) continue;
      set(type, ConditionStatus::False, "QuotaReserved", "Previously: " + before->message);
    }
    objects::remove_condition(status_.conditions, kWaitingCondition);
    status_.admission = to_object(admit.admission);
    status_.resource_requests.clear();
    set(conditions::kQuotaReserved, ConditionStatus::True, "QuotaReserved", admit.message);
    require_checks();
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
    say_layer(hold.proof);
    require_checks();
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
    const Condition* blocked =
        objects::find_condition(status_.conditions, conditions::kBlockedOnPreemptionGates);
    if (blocked != nullptr && blocked->status == ConditionStatus::True) {
      set(conditions::kBlockedOnPreemptionGates, ConditionStatus::False, evict.reason,
          evict.message);
    }
    objects::remove_condition(status_.conditions, conditions::kDeactivationTarget);
    if (evict.reason.starts_with("Deactivated")) status_.requeue.reset();
    count_eviction(evict.reason);
    if (objects::controller_of(workload_.meta) == nullptr) release();
  }

  void operator()(const admission::Requeue& requeue) {
    set(conditions::kRequeued, ConditionStatus::True, requeue.reason, requeue.message);
    if (requeue.reason == "Reactivated") {
      status_.requeue.reset();
    } else if (status_.requeue) {
      status_.requeue->requeue_at.reset();
    }
  }

  void operator()(const ReleaseQuota&) { release(); }

 private:
  void set(std::string_view type, ConditionStatus status, std::string reason, std::string message) {
    objects::set_condition(status_.conditions,
                           {.type = std::string(type),
                            .status = status,
                            .reason = std::move(reason),
                            .message = std::move(message),
                            .observed_generation = workload_.meta.generation},
                           context_.now);
  }

  void unreserve(const std::string& reason, const std::string& message) {
    const Condition* admitted = objects::find_condition(status_.conditions, conditions::kAdmitted);
    if (admitted != nullptr && admitted->status == ConditionStatus::True) {
      const Duration ran = context_.now - admitted->last_transition;
      status_.accumulated_past_execution_seconds =
          status_.accumulated_past_execution_seconds.value_or(0) +
          static_cast<std::int32_t>(std::max<std::int64_t>(ran.nanos / 1'000'000'000, 0));
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

  // The end of an eviction.
  void release() {
    const Condition* evicted = objects::find_condition(status_.conditions, conditions::kEvicted);
    const std::string reason = evicted != nullptr ? evicted->reason : "Pending";
    const std::string message = evicted != nullptr ? evicted->message : "";
    unreserve("PendingEvaluation", message);
    const bool at_once = reason == "Preempted" || reason == "NodeFailures";
    set(conditions::kRequeued, at_once ? ConditionStatus::True : ConditionStatus::False, reason,
        message);
  }

  void require_checks() {
    if (!context_.required_checks) return;
    std::erase_if(status_.admission_checks, [&](const objects::AdmissionCheckState& check) {
      return !std::ranges::binary_search(*context_.required_checks, check.name);
    });
    for (const std::string& name : *context_.required_checks) {
      if (std::ranges::find(status_.admission_checks, name, &objects::AdmissionCheckState::name) ==
          status_.admission_checks.end()) {
        objects::AdmissionCheckState check;
        check.name = name;
        check.last_transition = context_.now;
        status_.admission_checks.push_back(std::move(check));
      }
    }
    std::ranges::sort(status_.admission_checks, {}, &objects::AdmissionCheckState::name);
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

  // Statistics name the root reason; "DeactivatedDueToX" is Deactivated with cause X.
  void count_eviction(std::string_view reason) {
    constexpr std::string_view kDueTo = "DeactivatedDueTo";
    std::string cause;
    if (reason.starts_with(kDueTo)) {
      cause = reason.substr(kDueTo.size());
      reason = "Deactivated";
    }
    for (objects::EvictionCount& count : status_.evictions) {
      if (count.reason == reason && count.underlying_cause == cause) {
        ++count.count;
        return;
      }
    }
    status_.evictions.push_back({std::string(reason), std::move(cause), 1});
  }

  Workload& workload_;
  WorkloadStatus& status_;
  const StatusContext& context_;
};

std::string seconds_between(Time from, Time to) {
  return std::to_string(std::max<std::int64_t>((to - from).nanos / 1'000'000'000, 0));
}

kube::Event workload_event(const Workload& workload, kube::EventType type, std::string reason,
                           std::string note) {
  kube::Event event;
  event.regarding = {objects::kinds::kWorkload.api_version(), "Workload", workload.meta.key,
                     workload.meta.uid, ""};
  event.type = type;
  event.reason = std::move(reason);
  event.note = std::move(note);
  return event;
}

}  // namespace

void apply(Workload& workload, const StatusChange& change, const StatusContext& context) {
  Change worker(workload, context);
  std::visit(worker, change);
}

WorkloadStatus admission_share(const WorkloadStatus& status) {
  WorkloadStatus share = status;
  std::erase_if(share.conditions, [](const Condition& condition) {
    return std::ranges::find(kOwnConditions, condition.type) == kOwnConditions.end();
  });
  share.reclaimable_pods.clear();
  return share;
}

bool says_the_same(const WorkloadStatus& before, const WorkloadStatus& after) {
  const auto without_generation = [](WorkloadStatus status) {
    status = admission_share(status);
    for (Condition& condition : status.conditions) {
      condition.observed_generation = 0;
      condition.last_transition = {};
    }
    std::ranges::sort(status.conditions, {}, &Condition::type);
    return status;
  };
  return without_generation(before) == without_generation(after);
}

objects::Admission to_object(const admission::Admission& admission) {
  objects::Admission object;
  object.cluster_queue = admission.cluster_queue;
  for (const admission::PodSetAssignment& assignment : admission.pod_sets) {
    objects::PodSetAssignment out;
    out.name = assignment.name;
    out.flavors = assignment.flavors;
    out.usage = assignment.usage;
    out.count = assignment.count;
    if (assignment.topology) {
      objects::TopologyAssignment topology;
      topology.levels = assignment.topology->levels;
      for (const auto& domain : assignment.topology->domains) {
        topology.domains.push_back({domain.values, domain.count});
      }
      out.topology = std::move(topology);
    }
    object.pod_sets.push_back(std::move(out));
  }
  return object;
}

const ObjectKey& workload_of(const StatusChange& change) {
  return std::visit(
      [](const auto& c) -> const ObjectKey& {
        if constexpr (requires { c.workload; }) {
          return c.workload;
        } else {
          return c.key;
        }
      },
      change);
}

const std::string& uid_of(const StatusChange& change) {
  return std::visit([](const auto& c) -> const std::string& { return c.uid; }, change);
}

Time queued_at(const Workload& workload) {
  const Condition* requeued =
      objects::find_condition(workload.status.conditions, conditions::kRequeued);
  return requeued != nullptr && requeued->status == ConditionStatus::True
             ? requeued->last_transition
             : workload.meta.created;
}

std::vector<kube::Event> events_of(const Workload& before, const StatusChange& change, Time now) {
  using kube::EventType;
  std::vector<kube::Event> events;
  if (const auto* admit = std::get_if<admission::Admit>(&change)) {
    const std::string& queue = admit->admission.cluster_queue;
    events.push_back(workload_event(before, EventType::Normal, "QuotaReserved",
                                    "Quota reserved in ClusterQueue " + queue +
                                        ", wait time since queued was " +
                                        seconds_between(queued_at(before), now) + "s"));
    if (admit->admitted) {
      events.push_back(workload_event(
          before, EventType::Normal, "Admitted",
          "Admitted by ClusterQueue " + queue + ", wait time since reservation was 0s"));
    }
  } else if (std::get_if<admission::ConfirmAdmission>(&change) != nullptr) {
    const Condition* reserved =
        objects::find_condition(before.status.conditions, conditions::kQuotaReserved);
    const std::string queue =
        before.status.admission ? before.status.admission->cluster_queue : std::string();
    events.push_back(workload_event(
        before, EventType::Normal, "Admitted",
        "Admitted by ClusterQueue " + queue + ", wait time since reservation was " +
            seconds_between(reserved != nullptr ? reserved->last_transition : now, now) + "s"));
  } else if (const auto* hold = std::get_if<admission::Hold>(&change)) {
    events.push_back(workload_event(before, EventType::Warning, hold->reason, hold->message));
  } else if (const auto* evict = std::get_if<admission::Evict>(&change)) {
    if (!evict->preemption_reason.empty()) {
      events.push_back(workload_event(before, EventType::Normal, "Preempted", evict->message));
    }
    events.push_back(
        workload_event(before, EventType::Normal, "EvictedDueTo" + evict->reason, evict->message));
  }
  return events;
}

}  // namespace quorate::controller
