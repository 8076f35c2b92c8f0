// What each workload's object should show, from what it shows: looks at what is, never at which
// event arrived.

#include <algorithm>

#include "admission/active.h"
#include "admission/core.h"
#include "src/base/digest.h"

namespace quorate::admission {
namespace {

// After this long without any effect a decision is made again.
constexpr Duration kPatience = Duration::seconds(30);

std::uint64_t digest_of(std::string_view kind, const std::string& reason,
                        const std::string& message) {
  return Digest().text(kind).text(reason).text(message).value();
}

std::string_view kind_of(const ConfirmAdmission&) { return "confirm"; }
std::string_view kind_of(const Evict&) { return "evict"; }
std::string_view kind_of(const DropReservation&) { return "drop"; }
std::string_view kind_of(const Requeue&) { return "requeue"; }
std::string reason_of(const ConfirmAdmission&) { return ""; }
template <class D>
std::string reason_of(const D& decision) {
  return decision.reason;
}

}  // namespace

void Core::reconcile_dirty() {
  std::vector<WorkloadId> ids;
  for (const WorkloadId id : dirty_) {
    if (Workload* workload = workloads_.find(id)) {
      workload->dirty = false;
      ids.push_back(id);
    }
  }
  dirty_.clear();
  std::sort(ids.begin(), ids.end(), [this](WorkloadId a, WorkloadId b) {
    return workloads_.at(a).facts->key < workloads_.at(b).facts->key;
  });
  for (const WorkloadId id : ids) reconcile(id);
}

void Core::reconcile(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (facts.finished() || facts.terminating || workload.vanished) return;
  if (workload.assumed) return;  // the object does not show what we decided last
  if (reconcile_checks(id)) return;
  if (reconcile_inactive(id) || reconcile_requeued(id)) return;
  if (workload.held) {
    reconcile_reserved(id);
  } else {
    reconcile_pending(id);
  }
}

// Waits while a check asks for a later retry, and while the object itself is told to wait: until
// then everything else waits as well.
bool Core::reconcile_checks(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  Time until = facts.active && facts.requeue_at ? *facts.requeue_at : Time{};
  if (workload.held && !facts.evicted()) {
    for (const CheckStatus& check : facts.checks) {
      if (check.state != CheckState::Retry || !check.requeue_after_seconds) continue;
      until =
          std::max(until, check.last_transition + Duration::seconds(*check.requeue_after_seconds));
    }
  }
  if (until <= now_) return false;
  set_timer(id, until);
  return true;
}

bool Core::reconcile_inactive(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const ConditionView* target = facts.condition("DeactivationTarget");
  const bool doomed = target != nullptr && target->status == ConditionView::Status::True;
  if (facts.active && !doomed) return false;
  if (!facts.evicted()) {
    Evict evict{facts.key, facts.uid, "Deactivated", deactivated_message(""), "", {}, facts.active};
    if (doomed) {
      evict.reason = "DeactivatedDueTo" + target->reason;
      evict.message = deactivated_message(target->message);
    }
    issue(id, std::move(evict));
  } else if (!workload.held && !facts.active) {
    hold(id, Reason::Deactivated, {Layer::Queue, {QueueClosed{"", "Deactivated", ""}}});
  }
  return true;
}

// Whether what kept an evicted workload out of the queue is over.
bool Core::reconcile_requeued(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const ConditionView* requeued = facts.condition("Requeued");
  if (workload.held || requeued == nullptr || requeued->status != ConditionView::Status::False) {
    return false;
  }
  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  const ClusterQueue* queue =
      local != nullptr && local->queue ? &queues_.at(local->queue) : nullptr;
  const std::string& why = requeued->reason;
  std::string reason;
  if (why.starts_with("Deactivated")) {
    reason = "Reactivated";
  } else if (why == "PodsReadyTimeout" || why == "AdmissionCheck") {
    reason = "BackoffFinished";
  } else if (why == "LocalQueueStopped" && local != nullptr && local->open()) {
    reason = "LocalQueueRestarted";
  } else if (why == "ClusterQueueStopped" && queue != nullptr && queue->spec &&
             queue->spec->stop_policy == StopPolicy::None) {
    reason = "ClusterQueueRestarted";
  }
  if (reason.empty()) return false;
  issue(id, Requeue{facts.key, facts.uid, reason, requeued_message(reason)});
  return true;
}

void Core::reconcile_pending(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  workload.issued = 0;
  const Facts& facts = *workload.facts;
  const ConditionView* reserved = facts.condition("QuotaReserved");
  if (reserved != nullptr && reserved->status == ConditionView::Status::False &&
      reserved->reason == "OnHold") {
    return;
  }
  const auto closed = [&](const std::string& queue, const char* why, const std::string& subject) {
    hold(id, admission::reason_of(Fact(QueueClosed{queue, why, subject})),
         {Layer::Queue, {QueueClosed{queue, why, subject}}});
  };
  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  if (local == nullptr || !local->spec) {
    return closed("", "LocalQueueMissing", facts.queue_name);
  }
  if (!local->open()) return closed("", "LocalQueueStopped", facts.queue_name);
  const std::string& name = local->spec->cluster_queue;
  if (!local->queue || !queues_.at(local->queue).spec) {
    return closed(name, "ClusterQueueMissing", "");
  }
  const ClusterQueue& queue = queues_.at(local->queue);
  if (!queue.active.active) return closed(name, "Inactive", "");
  if (facts.gated) return closed(name, "Gated", facts.gated_by);
  if (workload.bypassed) {
    if (const ParkedClass* parked = parked_class(queue, facts); parked && parked->verdict) {
      hold(id, parked->verdict->reason, kBypassedMessage, parked->verdict->proof);
    }
    return;
  }
  show(id);
}

std::vector<std::string> Core::required_checks(const Workload& workload) const {
  QueueId id;
  if (workload.held) {
    id = workload.held->queue;
  } else if (workload.local) {
    id = locals_.at(workload.local).queue;
  }
  if (!id || !queues_.at(id).spec) return {};
  return admission::required_checks(*queues_.at(id).spec,
                                    workload.held ? workload.held->admission.get() : nullptr);
}

std::vector<std::string> Core::required_checks(const ObjectKey& key) const {
  const WorkloadId id = find(key);
  return id ? required_checks(workloads_.at(id)) : std::vector<std::string>{};
}

// All checks that the workload must have are there, and all that are there are ready.
bool Core::checks_ready(const Workload& workload) const {
  const std::vector<CheckStatus>& have = workload.facts->checks;
  for (const std::string& name : required_checks(workload)) {
    if (std::none_of(have.begin(), have.end(),
                     [&](const CheckStatus& check) { return check.name == name; })) {
      return false;
    }
  }
  return std::all_of(have.begin(), have.end(),
                     [](const CheckStatus& check) { return check.state == CheckState::Ready; });
}

void Core::reconcile_reserved(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (facts.evicted()) {
    workload.issued = 0;
    return;
  }
  const ClusterQueue& queue = queues_.at(workload.held->queue);
  const auto drop = [&](Reason reason, const std::string& message) {
    issue(id, DropReservation{facts.key, facts.uid, reason_text(reason), message});
  };
  const auto evict = [&](const char* reason, const std::string& message, bool deactivate) {
    issue(id, Evict{facts.key, facts.uid, reason, message, "", {}, deactivate});
  };

  if (!workload.admitted && queue.spec && checks_ready(workload)) {
    issue(id, ConfirmAdmission{facts.key, facts.uid, kAdmittedMessage});
    return;
  }
  if (const std::string text = checks_in(facts.checks, CheckState::Rejected); !text.empty()) {
    return evict("DeactivatedDueToAdmissionCheck", deactivated_message(text), true);
  }
  if (const std::string text = checks_in(facts.checks, CheckState::Retry); !text.empty()) {
    return evict("AdmissionCheck", "Evicted due to " + text, false);
  }

  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  const bool local_there = local != nullptr && local->spec && !local->spec->terminating;
  if (!local_there && !workload.admitted) {
    return drop(Reason::Misconfigured,
                "LocalQueue " + facts.queue_name + " is terminating or missing");
  }
  if (local_there && local->spec->stop_policy != StopPolicy::None) {
    if (!workload.admitted) {
      return drop(Reason::Suspended, "LocalQueue " + facts.queue_name + " is stopped");
    }
    if (local->spec->stop_policy == StopPolicy::HoldAndDrain) {
      return evict("LocalQueueStopped", "The LocalQueue is stopped", false);
    }
  }
  const bool queue_there = queue.spec && !queue.spec->terminating;
  if (!queue_there && !workload.admitted) {
    return drop(Reason::Misconfigured, "ClusterQueue " + queue.name + " is terminating or missing");
  }
  if (queue_there && queue.spec->stop_policy != StopPolicy::None) {
    if (!workload.admitted) {
      return drop(Reason::Suspended, "ClusterQueue " + queue.name + " is stopped");
    }
    if (queue.spec->stop_policy == StopPolicy::HoldAndDrain) {
      return evict("ClusterQueueStopped", "The ClusterQueue is stopped", false);
    }
  }
  workload.issued = 0;
}

// --- saying it ---

void Core::hold(WorkloadId id, Reason reason, Proof proof) {
  std::string message = message_of(proof);
  hold(id, reason_text(reason), std::move(message), std::move(proof));
}

void Core::hold(WorkloadId id, std::string reason, std::string message, Proof proof) {
  Workload& workload = workloads_.at(id);
  if (!workload.verdict || workload.verdict->reason != reason ||
      workload.verdict->message != message || workload.verdict->proof != proof) {
    workload.verdict = std::make_shared<const Verdict>(
        Verdict{std::move(reason), std::move(message), std::move(proof)});
  }
  show(id);
}

void Core::show(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (!workload.verdict) return;
  const Verdict& verdict = *workload.verdict;
  const ConditionView* shown = workload.facts->condition("QuotaReserved");
  if (shown != nullptr && shown->status == ConditionView::Status::False &&
      shown->reason == verdict.reason && shown->message == verdict.message) {
    workload.issued_hold = 0;
    return;
  }
  const std::uint64_t digest = digest_of("hold", verdict.reason, verdict.message);
  if (workload.issued_hold == digest && now_ < workload.issued_at + kPatience) return;
  workload.issued_hold = digest;
  workload.issued_at = now_;
  out_.push_back(Hold{workload.facts->key, workload.facts->uid, verdict.reason, verdict.message,
                      verdict.proof});
}

template <class D>
void Core::issue(WorkloadId id, D decision) {
  Workload& workload = workloads_.at(id);
  const std::uint64_t digest = digest_of(kind_of(decision), reason_of(decision), decision.message);
  if (workload.issued == digest && now_ < workload.issued_at + kPatience) return;
  workload.issued = digest;
  workload.issued_at = now_;
  out_.push_back(std::move(decision));
}

}  // namespace quorate::admission
