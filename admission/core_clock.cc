// What a workload's clock says: delays that hold everything else back, and deadlines.

#include <algorithm>
#include <utility>

#include "admission/backoff.h"
#include "admission/core.h"

namespace quorate::admission {

// Waits while a check asks for a later retry, and while the object itself is told to wait: until
// then everything else waits as well, quota is kept. True if that is so.
bool Core::reconcile_delays(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (workload.held && !facts.evicted()) {
    Time retry;
    for (const CheckStatus& check : facts.checks) {
      if (check.state != CheckState::Retry || !check.requeue_after_seconds) continue;
      retry =
          std::max(retry, check.last_transition + Duration::seconds(*check.requeue_after_seconds));
    }
    if (retry > now_) {
      if (!facts.requeue_at || retry > *facts.requeue_at) {
        issue(id, Postpone{facts.key, facts.uid, retry});
      }
      set_timer(id, retry);
      return true;
    }
  }
  if (!facts.active || !facts.requeue_at || *facts.requeue_at <= now_) return false;
  set_timer(id, *facts.requeue_at);
  return true;
}

// Its pods were not ready, or not ready again, in time.
bool Core::reconcile_pods_ready(WorkloadId id) {
  if (!config_.pods_ready) return false;
  const PodsReadyConfig& config = *config_.pods_ready;
  const Facts& facts = *workloads_.at(id).facts;
  const ConditionFacts* admitted = facts.condition(Cond::Admitted);
  if (admitted == nullptr || admitted->status != ConditionView::Status::True) return false;
  if (facts.is_true(Cond::PodsReady)) return false;

  const ConditionFacts* ready = facts.condition(Cond::PodsReady);
  // One from before this admission is about pods of an earlier one.
  const bool recovering = ready != nullptr && ready->reason == "WaitForRecovery" &&
                          ready->last_transition >= admitted->last_transition;
  if (recovering && !config.recovery_timeout) return false;
  const Time deadline = recovering ? ready->last_transition + *config.recovery_timeout
                                   : admitted->last_transition + config.timeout;
  if (deadline > now_) {
    set_timer(id, deadline);
    return false;
  }
  const std::int32_t count = facts.requeue_count + 1;
  if (config.backoff_limit && count > *config.backoff_limit) {
    issue(id, Deactivate{facts.key, facts.uid, "RequeuingLimitExceeded",
                         "exceeding the maximum number of re-queuing retries", false});
    return true;
  }
  Evict evict{facts.key,
              facts.uid,
              "PodsReadyTimeout",
              "Exceeded the PodsReady timeout " + facts.key.text(),
              "",
              {},
              "",
              {}};
  evict.cause = recovering ? "WaitForRecovery" : "WaitForStart";
  const Time back = now_ + requeue_delay(count, config.backoff_base_seconds,
                                         config.backoff_max_seconds, facts.uid);
  evict.requeue = RequeueState{count, std::max(back, facts.requeue_at.value_or(Time{}))};
  issue(id, std::move(evict));
  return true;
}

// It ran as long as it may, all its admissions together.
bool Core::reconcile_execution_time(WorkloadId id) {
  const Facts& facts = *workloads_.at(id).facts;
  const ConditionFacts* admitted = facts.condition(Cond::Admitted);
  if (!facts.max_execution_seconds || admitted == nullptr ||
      admitted->status != ConditionView::Status::True) {
    return false;
  }
  const std::int64_t left =
      std::int64_t{*facts.max_execution_seconds} - facts.past_execution_seconds;
  const Time end = admitted->last_transition + Duration::seconds(left);
  if (end > now_) {
    set_timer(id, end);
    return false;
  }
  issue(id, Deactivate{facts.key, facts.uid, "MaximumExecutionTimeExceeded",
                       "exceeding the maximum execution time", true});
  return true;
}

// --- who holds quota without being ready ---

void Core::count_unready(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const bool unready = workload.held && !workload.facts->is_true(Cond::PodsReady);
  if (unready == workload.unready) return;
  workload.unready = unready;
  unready_ += unready ? 1 : -1;
  if (unready_ > 0 || !std::exchange(waits_for_ready_, false)) return;
  for (const auto& [name, queue] : queue_names_) wake(queue);
}

bool Core::must_wait_for_ready() const {
  return config_.pods_ready && config_.pods_ready->block_admission && unready_ > 0;
}

}  // namespace quorate::admission
