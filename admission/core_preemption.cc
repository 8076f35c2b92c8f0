// Who may be preempted, and telling them.

#include "admission/core.h"

namespace quorate::admission {
namespace {

std::string priority_text(const char* who, const Facts& facts) {
  return std::string("; ") + who + " effective priority: " + std::to_string(facts.priority) +
         " (base: " + std::to_string(facts.priority - facts.boost) +
         ", boost: " + std::to_string(facts.boost) + ")";
}

}  // namespace

// It shows that it was evicted, or was told and has not had the time to show it.
bool Core::is_leaving(const Workload& workload) const {
  if (workload.facts->evicted()) return true;
  return workload.leaving != Leaving::No && now_ < workload.leaving_since + kPatience;
}

Candidate Core::candidate(WorkloadId id, quota::NodeId node) const {
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  constexpr std::int64_t kSecond = 1'000'000'000;  // conditions carry whole seconds
  const ConditionFacts* reserved = facts.condition(Cond::QuotaReserved);
  Time since = now_;
  if (workload.assumed) {
    since = Time{workload.decided.nanos / kSecond * kSecond};
  } else if (reserved != nullptr && reserved->status == ConditionView::Status::True) {
    since = reserved->last_transition;
  }
  Candidate one{id,
                node,
                &facts,
                &workload.held->usage,
                &workload.held->places,
                is_leaving(workload),
                since,
                facts.queue_name,
                {}};
  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  if (local != nullptr && local->ledger && local->ledger->is_open()) one.local_usage = local->usage;
  return one;
}

// Not those who are somebody's victims in this cycle already.
void Core::each_holder(quota::NodeId node, WorkloadId besides,
                       const std::function<void(const Candidate&)>& visit) const {
  const ClusterQueue& queue = queues_.at(queue_of_node_.at(node.slot));
  if (!queue.active.active) return;
  for (const WorkloadId id : queue.holders) {
    if (workloads_.at(id).claimed != cycle_ && id != besides) visit(candidate(id, node));
  }
}

std::string Core::path_of(quota::NodeId queue) const {
  std::string path;
  for (quota::NodeId at = queue; at; at = tree_.parent(at)) path.insert(0, "/" + tree_.name(at));
  return path;
}

void Core::tell_to_leave(WorkloadId id, Leaving how) {
  Workload& workload = workloads_.at(id);
  workload.leaving = how;
  workload.leaving_since = now_;
}

// Tells the targets of the entry to leave, those who are not leaving already. True if there were
// any.
bool Core::preempt(const Entry& entry) {
  const Facts& preemptor = *workloads_.at(entry.workload).facts;
  const std::string path = path_of(queues_.at(entry.queue).node);
  AwaitsVictims awaited;
  bool told = false;
  for (const Target& target : entry.assignment.targets) {
    const Candidate& victim = target.victim;
    awaited.victims.push_back(victim.facts->key);
    if (is_leaving(workloads_.at(victim.workload))) continue;
    tell_to_leave(victim.workload, Leaving::Preempted);
    told = true;
    const std::string_view kind = kind_name(target.kind);
    Evict evict{victim.facts->key, victim.facts->uid, "Preempted"};
    evict.message =
        preempted_message(kind, preemptor.uid, preemptor.job_uid, path, path_of(victim.node));
    evict.preemption_reason = kind;
    evict.preemptor = preemptor.key;
    evict.preemptor_uid = preemptor.uid;
    evict.preempting_queue = queues_.at(entry.queue).name;
    evict.priorities =
        priority_text("preemptor", preemptor) + priority_text("preemptee", *victim.facts);
    out_.push_back(std::move(evict));
  }
  Proof proof{Layer::Quota, entry.assignment.facts};
  proof.facts.push_back(std::move(awaited));
  hold(entry.workload, Reason::WaitingForPreemptedWorkloads, std::move(proof));
  return told;
}

}  // namespace quorate::admission
