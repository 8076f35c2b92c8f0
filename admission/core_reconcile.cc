// What each workload's object should show, from what it shows: looks at what is, never at which
// event arrived.

#include <algorithm>
#include <utility>

#include "admission/active.h"
#include "admission/core.h"
#include "src/base/digest.h"

namespace quorate::admission {
namespace {

// What tells a decision about a workload from the last one. The first two are not issued from here.
std::uint64_t digest_of(const Admit&) { return 0; }
std::uint64_t digest_of(const Hold&) { return 0; }
template <class D>
std::uint64_t digest_of(std::string_view kind, const D& decision) {
  return Digest().text(kind).text(decision.reason).text(decision.message).value();
}
std::uint64_t digest_of(const ConfirmAdmission& one) {
  return Digest().text("confirm").text(one.message).value();
}
std::uint64_t digest_of(const Evict& one) { return digest_of("evict", one); }
std::uint64_t digest_of(const DropReservation& one) { return digest_of("drop", one); }
std::uint64_t digest_of(const Requeue& one) { return digest_of("requeue", one); }
std::uint64_t digest_of(const Deactivate& one) { return digest_of("deactivate", one); }
std::uint64_t digest_of(const Finish& one) { return digest_of("finish", one); }
std::uint64_t digest_of(const Postpone& one) {
  return Digest().text("postpone").number(one.until.nanos).value();
}
std::uint64_t digest_of(const ListChecks& one) {
  Digest digest;
  digest.text("checks");
  for (const std::string& check : one.checks) digest.text(check);
  return digest.value();
}

}  // namespace

// Workloads do not look at each other here, so only what is decided needs an order.
void Core::reconcile_dirty() {
  std::vector<WorkloadId> ids;
  ids.swap(dirty_);
  for (const WorkloadId id : ids) {
    Workload* workload = workloads_.find(id);
    if (workload == nullptr) continue;
    workload->dirty = false;
    reconcile(id);
  }
  sort_decisions(0);
}

// At most one decision per workload and part of the cycle, so its key makes a total order.
void Core::sort_decisions(std::size_t from) {
  std::sort(out_.begin() + static_cast<std::ptrdiff_t>(from), out_.end(),
            [](const Decision& a, const Decision& b) {
              const auto key = [](const Decision& decision) -> const ObjectKey& {
                return std::visit([](const auto& one) -> const ObjectKey& { return one.workload; },
                                  decision);
              };
              return key(a) < key(b);
            });
}

void Core::reconcile(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (facts.finished() || facts.terminating || workload.vanished) return;
  if (workload.assumed) return;  // the object does not show what we decided last
  if (reconcile_delays(id)) return;
  if (reconcile_inactive(id)) return;
  if (facts.is_parent()) return reconcile_parent(id);
  if (reconcile_requeued(id)) return;
  if (workload.held) {
    reconcile_reserved(id);
    reconcile_second_pass(id);
  } else {
    reconcile_pending(id);
  }
}

bool Core::reconcile_inactive(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const ConditionFacts* target = facts.condition(Cond::DeactivationTarget);
  const bool doomed = target != nullptr && target->status == ConditionView::Status::True;
  if (facts.active) {
    if (doomed) workload.issued = 0;  // the host sets spec.active=false next
    return doomed;
  }
  if (workload.leaving == Leaving::Preempted) return true;  // it is evicted once only
  // What a controller deactivates while it is on its way out for another reason goes out for good:
  // its target and the states of its checks are cleared, so that it can start afresh later.
  const ConditionFacts* evicted = facts.condition(Cond::Evicted);
  const bool other = doomed && facts.evicted() && !evicted->reason.starts_with("Deactivated");
  if (!facts.evicted() || other) {
    Evict evict{facts.key, facts.uid, "Deactivated", deactivated_message("")};
    if (doomed) {
      evict.reason = "DeactivatedDueTo" + target->reason;
      evict.message = deactivated_message(*facts.target_message);
    }
    issue(id, std::move(evict));
  } else if (!workload.held && !facts.admission) {
    hold(id, Reason::Deactivated, {Layer::Queue, {QueueClosed{"", "Deactivated", ""}}});
  }
  return true;
}

// Whether what kept an evicted workload out of the queue is over.
bool Core::reconcile_requeued(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const ConditionFacts* requeued = facts.condition(Cond::Requeued);
  if (workload.held || requeued == nullptr || requeued->status != ConditionView::Status::False) {
    return false;
  }
  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  const ClusterQueue* queue =
      local != nullptr && local->queue ? &queues_.at(local->queue) : nullptr;
  const std::string& why = requeued->reason;
  std::string reason;
  if (why.starts_with("Deactivated") || (why == "FlavorMigration" && facts.is_variant())) {
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
  const ConditionFacts* reserved = facts.condition(Cond::QuotaReserved);
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
  if (facts.gated_by) return closed(name, "Gated", *facts.gated_by);
  if (workload.bypassed) {
    if (const Workload* equal = failed_equal(queue, facts)) show_bypassed(id, *equal->verdict);
    return;
  }
  if (workload.verdict) return show(id);
  undecided_.push_back(id);
}

// Those who still wait to be looked at after the heads were: whose object gives a reason that is
// over, or does not list the checks that it will have to pass.
void Core::reconcile_undecided() {
  const std::size_t decided = out_.size();
  for (const WorkloadId id : std::exchange(undecided_, {})) {
    const Workload* workload = workloads_.find(id);
    if (workload == nullptr || workload->bucket == Bucket::None || workload->verdict) continue;
    const Facts& facts = *workload->facts;
    const ConditionFacts* shown = facts.condition(Cond::QuotaReserved);
    const bool waits = shown != nullptr && shown->status == ConditionView::Status::False;
    const bool gated = waits && shown->reason == "AdmissionGated";
    const auto says = [&](const char* why, const std::string& queue) {
      const Fact fact = QueueClosed{queue, why, facts.queue_name};
      return shown->text == condition_text(reason_text(admission::reason_of(fact)),
                                           message_of({Layer::Queue, {fact}}));
    };
    const bool over =
        gated || (waits && (shown->reason == "Suspended" || shown->reason == "Deactivated" ||
                            says("LocalQueueMissing", "") ||
                            says("ClusterQueueMissing", queues_.at(workload->queue).name)));
    if (!over) {
      reconcile_check_list(id);
      continue;
    }
    hold(id, Reason::PendingEvaluation,
         {Layer::Queue,
          {QueueClosed{queues_.at(workload->queue).name, "NotEvaluated",
                       gated ? "AdmissionGatedBy" : ""}}});
  }
  sort_decisions(decided);
}

// True if the object does not list the checks that the workload has to pass; then it is told to.
bool Core::reconcile_check_list(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const QueueId queue = workload.held ? workload.held->queue : workload.queue;
  if (!queue || !queues_.at(queue).spec) return false;
  if (queues_.at(queue).spec->admission_checks.empty() && facts.checks.empty()) return false;
  std::vector<std::string> required = required_checks(workload);
  std::vector<std::string> listed;
  for (const CheckStatus& check : facts.checks) listed.push_back(check.name);
  std::sort(listed.begin(), listed.end());
  if (listed == required) return false;
  issue(id, ListChecks{facts.key, facts.uid, std::move(required)});
  return true;
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
  return !awaits_places(workload) &&
         std::all_of(have.begin(), have.end(),
                     [](const CheckStatus& check) { return check.state == CheckState::Ready; });
}

void Core::reconcile_reserved(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const std::string rejected = checks_in(facts.checks, CheckState::Rejected);
  const auto deactivate = [&](const char* reason, const std::string& message) {
    issue(id, Deactivate{facts.key, facts.uid, reason, message, false});
  };
  if (facts.evicted()) {
    if (!rejected.empty()) return deactivate("AdmissionCheck", rejected);
    workload.issued = 0;
    return;
  }
  if (workload.leaving == Leaving::Preempted) return;  // it is evicted once only
  const ClusterQueue& queue = queues_.at(workload.held->queue);
  const auto drop = [&](Reason reason, const std::string& message) {
    issue(id, DropReservation{facts.key, facts.uid, reason_text(reason), message});
  };
  const auto evict = [&](const char* reason, const std::string& message) {
    issue(id, Evict{facts.key, facts.uid, reason, message, "", {}, "", {}});
  };

  if (reconcile_check_list(id)) return;
  if (!workload.admitted && queue.spec && checks_ready(workload)) {
    issue(id, ConfirmAdmission{facts.key, facts.uid, kAdmittedMessage});
    return;
  }
  if (!rejected.empty()) return deactivate("AdmissionCheck", rejected);
  if (const std::string text = checks_in(facts.checks, CheckState::Retry); !text.empty()) {
    return evict("AdmissionCheck", "Evicted due to " + text);
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
      return evict("LocalQueueStopped", "The LocalQueue is stopped");
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
      return evict("ClusterQueueStopped", "The ClusterQueue is stopped");
    }
  }
  // The clocks of a variant are its parent's.
  if (!facts.is_variant() && (reconcile_pods_ready(id) || reconcile_execution_time(id))) return;
  workload.issued = 0;
}

// --- saying it ---

Hold Core::hold_of(const Workload& workload, const Verdict& verdict, std::string message) const {
  return {workload.facts->key, workload.facts->uid, reason_text(verdict.reason), std::move(message),
          verdict.proof};
}

void Core::hold(WorkloadId id, Reason reason, Proof proof) {
  Workload& workload = workloads_.at(id);
  std::string message = message_of(proof);
  const std::uint64_t text = condition_text(reason_text(reason), message);
  // One that fails again when quota came free waits for the same reason, only its numbers differ.
  // They are told when the batch is due, so that not every workload that ends costs a write for
  // each class that waits.
  const bool again = std::exchange(workload.offered, false) && workload.queue &&
                     queues_.at(workload.queue).offering && workload.verdict &&
                     workload.verdict->reason == reason;
  if (!workload.verdict || workload.verdict->text != text || workload.verdict->proof != proof) {
    workload.verdict = std::make_shared<const Verdict>(Verdict{reason, std::move(proof), text});
  }
  if (again || shows(id, text)) return;
  out_.push_back(hold_of(workload, *workload.verdict, std::move(message)));
}

void Core::show(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  if (!workload.verdict || shows(id, workload.verdict->text)) return;
  out_.push_back(hold_of(workload, *workload.verdict, message_of(workload.verdict->proof)));
}

void Core::show_bypassed(WorkloadId id, const Verdict& verdict) {
  if (shows(id, condition_text(reason_text(verdict.reason), kBypassedMessage))) return;
  out_.push_back(hold_of(workloads_.at(id), verdict, kBypassedMessage));
}

// Whether the object has that condition QuotaReserved=False already, or was told to have it lately.
bool Core::shows(WorkloadId id, std::uint64_t text) {
  Workload& workload = workloads_.at(id);
  const ConditionFacts* shown = workload.facts->condition(Cond::QuotaReserved);
  if (shown != nullptr && shown->status == ConditionView::Status::False && shown->text == text) {
    workload.issued_hold = 0;
    return true;
  }
  if (workload.issued_hold == text && now_ < workload.issued_at + kPatience) return true;
  workload.issued_hold = text;
  workload.issued_at = now_;
  return false;
}

void Core::issue(WorkloadId id, Decision decision) {
  Workload& workload = workloads_.at(id);
  const std::uint64_t digest = std::visit([](const auto& one) { return digest_of(one); }, decision);
  if (workload.issued == digest && now_ < workload.issued_at + kPatience) return;
  workload.issued = digest;
  workload.issued_at = now_;
  if (std::holds_alternative<Evict>(decision) && workload.held) tell_to_leave(id, Leaving::Told);
  out_.push_back(std::move(decision));
}

}  // namespace quorate::admission
