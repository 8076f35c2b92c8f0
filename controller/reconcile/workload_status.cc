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

constexpr std::string_view kSliceReplaced = "WorkloadSliceReplaced";

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

// On the preemptor.
kube::Event preempted_workload(const Workload& victim, const admission::Evict& evict) {
  const std::string queue =
      victim.status.admission ? victim.status.admission->cluster_queue : std::string();
  kube::Event event =
      workload_event(victim, kube::EventType::Normal, "PreemptedWorkload",
                     "Preempted workload " + evict.workload.text() + " (UID: " + evict.uid +
                         ") in ClusterQueue " + queue + evict.priorities);
  event.related = event.regarding;
  event.regarding.key = evict.preemptor.value_or(ObjectKey{});
  event.regarding.uid = evict.preemptor_uid;
  return event;
}

}  // namespace

void apply(Workload& workload, const StatusChange& change, const StatusContext& context) {
  const auto* decision = std::get_if<admission::Decision>(&change);
  if (decision == nullptr) return translate::finish_eviction(workload, context.now);
  translate::write_decision(workload, *decision, context);
  if (std::holds_alternative<admission::Evict>(*decision) &&
      objects::controller_of(workload.meta) == nullptr) {
    translate::finish_eviction(workload, context.now);
  }
}

WorkloadStatus admission_share(const WorkloadStatus& status) {
  WorkloadStatus share = status;
  std::erase_if(share.conditions, [](const Condition& condition) {
    // The end of a job has a manager of its own; that of a slice that was replaced is ours.
    if (condition.type == conditions::kFinished) return condition.reason != kSliceReplaced;
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

namespace {

struct KeyOf {
  const ObjectKey& operator()(const ReleaseQuota& one) const { return one.key; }
  const ObjectKey& operator()(const admission::Decision& decision) const {
    return std::visit([](const auto& one) -> const ObjectKey& { return one.workload; }, decision);
  }
};
struct UidOf {
  const std::string& operator()(const ReleaseQuota& one) const { return one.uid; }
  const std::string& operator()(const admission::Decision& decision) const {
    return std::visit([](const auto& one) -> const std::string& { return one.uid; }, decision);
  }
};

}  // namespace

const ObjectKey& workload_of(const StatusChange& change) { return std::visit(KeyOf{}, change); }
const std::string& uid_of(const StatusChange& change) { return std::visit(UidOf{}, change); }

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
  const auto* decision = std::get_if<admission::Decision>(&change);
  if (decision == nullptr) return events;
  if (const auto* admit = std::get_if<admission::Admit>(decision)) {
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
  } else if (std::get_if<admission::ConfirmAdmission>(decision) != nullptr) {
    const Condition* reserved =
        objects::find_condition(before.status.conditions, conditions::kQuotaReserved);
    const std::string queue =
        before.status.admission ? before.status.admission->cluster_queue : std::string();
    events.push_back(workload_event(
        before, EventType::Normal, "Admitted",
        "Admitted by ClusterQueue " + queue + ", wait time since reservation was " +
            seconds_between(reserved != nullptr ? reserved->last_transition : now, now) + "s"));
  } else if (const auto* hold = std::get_if<admission::Hold>(decision)) {
    events.push_back(workload_event(before, EventType::Warning, hold->reason, hold->message));
  } else if (const auto* evict = std::get_if<admission::Evict>(decision)) {
    if (!evict->preemption_reason.empty()) {
      events.push_back(workload_event(before, EventType::Normal, "Preempted",
                                      evict->message + evict->priorities));
      events.push_back(preempted_workload(before, *evict));
    }
    events.push_back(
        workload_event(before, EventType::Normal, "EvictedDueTo" + evict->reason, evict->message));
  } else if (const auto* deactivate = std::get_if<admission::Deactivate>(decision)) {
    if (deactivate->reason == "AdmissionCheck") {
      events.push_back(workload_event(before, EventType::Warning, "AdmissionCheckRejected",
                                      "Deactivated due to " + deactivate->message));
    } else if (deactivate->reason == "MaximumExecutionTimeExceeded") {
      events.push_back(workload_event(
          before, EventType::Warning, "MaximumExecutionTimeExceeded",
          "The maximum execution time (" +
              std::to_string(before.maximum_execution_seconds.value_or(0)) + "s) exceeded"));
    }
  }
  return events;
}

}  // namespace quorate::controller
