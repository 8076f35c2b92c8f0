#include "controller/reconcile/workload_status.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "admission/messages.h"
#include "admission/variants.h"
#include "controller/reconcile/placement_reconciler.h"
#include "src/translate/variants.h"

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

// Those that its assignment names: it may have been decided on anew meanwhile.
std::vector<std::string> still_used(const Workload& workload, const RecordFailedNodes& record) {
  std::vector<std::string> nodes;
  if (!has_places(workload)) return nodes;
  const std::vector<std::string> hosts = hosts_of(workload);
  std::ranges::copy_if(record.nodes, std::back_inserter(nodes), [&](const std::string& node) {
    return std::ranges::binary_search(hosts, node);
  });
  return nodes;
}

void open_gate(Workload& variant, Time now) {
  auto& states = variant.status.preemption_gates;
  const auto state =
      std::ranges::find(states, admission::kVariantGate, &objects::PreemptionGateState::name);
  if (state == states.end()) {
    states.push_back({std::string(admission::kVariantGate), true, now});
  } else if (!state->open) {
    *state = {state->name, true, now};
  }
}

// Asked for again while it is being written, it does nothing more.
void follow_family(Workload& workload, const FollowFamily& follow, const StatusContext& context) {
  if (follow.open_gate) open_gate(workload, context.now);
  const bool evicted = objects::is_true(workload.status.conditions, conditions::kEvicted);
  const bool admitted = objects::is_true(workload.status.conditions, conditions::kAdmitted);
  for (const admission::Decision& decision : follow.decisions) {
    const auto* evict = std::get_if<admission::Evict>(&decision);
    if (evict == nullptr) {
      if (!admitted || evicted) translate::write_decision(workload, decision, context);
      continue;
    }
    if (evicted) continue;
    const std::vector<objects::EvictionCount> counted = workload.status.evictions;
    translate::write_decision(workload, decision, context);
    // A parent that stops with its variant: that one is counted.
    if (translate::is_parent_of_variants(workload)) workload.status.evictions = counted;
    if (follow.requeue) workload.status.requeue = follow.requeue;
    if (objects::controller_of(workload.meta) == nullptr) {
      translate::finish_eviction(workload, context.now);
    }
  }
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

std::optional<admission::Evict> eviction_of(const Workload& workload,
                                            const RecordFailedNodes& record) {
  const std::vector<std::string> nodes = still_used(workload, record);
  if (!record.evict || nodes.size() < 2) return std::nullopt;
  std::string names;
  for (const std::string& node : nodes) names += (names.empty() ? "" : ", ") + node;
  admission::Evict evict;
  evict.workload = record.key;
  evict.uid = record.uid;
  evict.reason = "NodeFailures";
  evict.message =
      "Workload eviction triggered due to multiple TAS assigned node failures, including: " + names;
  return evict;
}

void apply(Workload& workload, const StatusChange& change, const StatusContext& context) {
  if (const auto* record = std::get_if<RecordFailedNodes>(&change)) {
    if (std::optional<admission::Evict> evict = eviction_of(workload, *record)) {
      return apply(workload, admission::Decision{std::move(*evict)}, context);
    }
    if (has_places(workload)) workload.status.unhealthy_nodes = still_used(workload, *record);
    return;
  }
  if (const auto* follow = std::get_if<FollowFamily>(&change)) {
    return follow_family(workload, *follow, context);
  }
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
  const ObjectKey& operator()(const FollowFamily& one) const { return one.key; }
  const ObjectKey& operator()(const ReleaseQuota& one) const { return one.key; }
  const ObjectKey& operator()(const RecordFailedNodes& one) const { return one.key; }
  const ObjectKey& operator()(const admission::Decision& decision) const {
    return std::visit([](const auto& one) -> const ObjectKey& { return one.workload; }, decision);
  }
};
struct UidOf {
  const std::string& operator()(const FollowFamily& one) const { return one.uid; }
  const std::string& operator()(const ReleaseQuota& one) const { return one.uid; }
  const std::string& operator()(const RecordFailedNodes& one) const { return one.uid; }
  const std::string& operator()(const admission::Decision& decision) const {
    return std::visit([](const auto& one) -> const std::string& { return one.uid; }, decision);
  }
};

}  // namespace

const ObjectKey& workload_of(const StatusChange& change) { return std::visit(KeyOf{}, change); }
const std::string& uid_of(const StatusChange& change) { return std::visit(UidOf{}, change); }

bool held_quota(const Workload& before) {
  return objects::is_true(before.status.conditions, conditions::kQuotaReserved) &&
         !objects::is_true(before.status.conditions, conditions::kEvicted);
}

bool was_admitted(const Workload& before) {
  return held_quota(before) && objects::is_true(before.status.conditions, conditions::kAdmitted);
}

Time reserved_at(const Workload& workload, Time now) {
  const Condition* reserved =
      objects::find_condition(workload.status.conditions, conditions::kQuotaReserved);
  return held_quota(workload) ? reserved->last_transition : now;
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
  if (const auto* record = std::get_if<RecordFailedNodes>(&change)) {
    const std::optional<admission::Evict> evict = eviction_of(before, *record);
    return evict ? events_of(before, admission::Decision{*evict}, now) : events;
  }
  const auto* decision = std::get_if<admission::Decision>(&change);
  if (decision == nullptr) return events;
  if (const auto* admit = std::get_if<admission::Admit>(decision)) {
    const std::string& queue = admit->admission.cluster_queue;
    if (!held_quota(before)) {
      events.push_back(workload_event(before, EventType::Normal, "QuotaReserved",
                                      "Quota reserved in ClusterQueue " + queue +
                                          ", wait time since queued was " +
                                          seconds_between(queued_at(before), now) + "s"));
    }
    if (admit->admitted && !was_admitted(before)) {
      events.push_back(workload_event(before, EventType::Normal, "Admitted",
                                      "Admitted by ClusterQueue " + queue +
                                          ", wait time since reservation was " +
                                          seconds_between(reserved_at(before, now), now) + "s"));
    }
  } else if (std::get_if<admission::ConfirmAdmission>(decision) != nullptr) {
    const std::string queue =
        before.status.admission ? before.status.admission->cluster_queue : std::string();
    events.push_back(workload_event(before, EventType::Normal, "Admitted",
                                    "Admitted by ClusterQueue " + queue +
                                        ", wait time since reservation was " +
                                        seconds_between(reserved_at(before, now), now) + "s"));
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
  } else if (const auto* finish = std::get_if<admission::Finish>(decision)) {
    events.push_back(workload_event(before, EventType::Normal, finish->reason, finish->message));
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
