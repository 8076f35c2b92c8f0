// Workloads coming, changing and going; who holds quota.

#include <algorithm>
#include <utility>

#include "admission/core.h"

namespace quorate::admission {
namespace {

void add_all(quota::ResourceMap& sum, const quota::ResourceMap& more, int sign) {
  for (const auto& [fr, amount] : more) sum.add(fr, amount * sign);
}

bool later(const std::pair<Time, WorkloadId>& a, const std::pair<Time, WorkloadId>& b) {
  return a.first > b.first;
}

}  // namespace

WorkloadId Core::find(const ObjectKey& key) const {
  const std::uint32_t slot = index_.find(key, [this](std::uint32_t at) -> const ObjectKey& {
    return workloads_.at(ids_[at]).facts->key;
  });
  return slot == KeyIndex::kNone ? WorkloadId{} : ids_[slot];
}

// --- membership of LocalQueues ---

void Core::attach(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (facts.queue_name.empty()) return;
  const LocalId local_id = local_ref({facts.key.ns, facts.queue_name});
  LocalQueue& local = locals_.at(local_id);
  workload.local = local_id;
  workload.local_at = static_cast<std::uint32_t>(local.members.size());
  local.members.push_back(id);
}

void Core::detach(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  leave_queue(id);
  drop_penalty(id);
  if (!workload.local) return;
  const LocalId local_id = workload.local;
  std::vector<WorkloadId>& members = locals_.at(local_id).members;
  workloads_.at(members.back()).local_at = workload.local_at;
  members[workload.local_at] = members.back();
  members.pop_back();
  workload.local = {};
  drop_local_if_unused(local_id);
}

void Core::forget(WorkloadId id) {
  if (workloads_.at(id).held) release_quota(id, true);
  detach(id);
  leave_family(id);
  index_.erase(workloads_.at(id).facts->key, [this](std::uint32_t at) -> const ObjectKey& {
    return workloads_.at(ids_[at]).facts->key;
  });
  workloads_.erase(id);
}

// --- quota ---

quota::ResourceMap Core::usage_of(const Facts& facts, const Admission& admission) {
  quota::ResourceMap usage;
  for (const PodSetAssignment& assigned : admission.pod_sets) {
    const auto pods =
        std::find_if(facts.pod_sets.begin(), facts.pod_sets.end(),
                     [&](const PodSetFacts& one) { return one.name == assigned.name; });
    const bool known = pods != facts.pod_sets.end();
    // An admission without a count is of all pods.
    const std::int32_t count = assigned.count > 0 || !known ? assigned.count : pods->count;
    const std::int32_t left = known ? std::min(count, pods->remaining) : count;
    for (const auto& [resource, amount] : rescale(assigned.usage, count, left)) {
      const auto flavor = assigned.flavors.find(resource);
      if (flavor == assigned.flavors.end()) continue;
      usage.add(names_.pair(flavor->second, resource), amount.or_zero());
    }
  }
  return usage;
}

// Adds the usage of a workload to its queue (sign 1) or takes it out (-1).
void Core::charge_usage(WorkloadId id, int sign) {
  const Workload& workload = workloads_.at(id);
  ClusterQueue& queue = queues_.at(workload.held->queue);
  if (!queue.node) return;
  for (const auto& [fr, amount] : workload.held->usage) {
    if (sign > 0) {
      tree_.charge(queue.node, fr, amount);
    } else {
      tree_.release(queue.node, fr, amount);
    }
  }
}

void Core::hold_quota(WorkloadId id, std::shared_ptr<const Admission> admission) {
  settle();
  leave_queue(id);
  Workload& workload = workloads_.at(id);
  workload.leaving = Leaving::No;
  check(!workload.held, "a workload holds quota twice");
  auto held = std::make_shared<Reservation>();
  held->queue = queue_ref(admission->cluster_queue);
  held->usage = usage_of(*workload.facts, *admission);
  held->places = places_of(*workload.facts, *admission);
  held->admission = std::move(admission);
  const QueueId queue_id = held->queue;
  workload.held = std::move(held);
  ClusterQueue& queue = queues_.at(queue_id);
  workload.held_at = static_cast<std::uint32_t>(queue.holders.size());
  queue.holders.push_back(id);
  charge_usage(id, 1);
  count_unready(id);
  charge_places(workload.held->places, 1);
  changed(queue_id);
  if (!workload.local) return;
  LocalQueue& local = locals_.at(workload.local);
  ++local.reserving;
  add_all(local.reserved_usage, workload.held->usage, 1);
  changed(workload.local);
}

void Core::set_admitted(WorkloadId id, bool admitted) {
  Workload& workload = workloads_.at(id);
  if (workload.admitted == admitted) return;
  workload.admitted = admitted;
  const int sign = admitted ? 1 : -1;
  ClusterQueue& queue = queues_.at(workload.held->queue);
  queue.admitted += sign;
  add_all(queue.admitted_usage, workload.held->usage, sign);
  changed(workload.held->queue);
  if (!workload.local) return;
  LocalQueue& local = locals_.at(workload.local);
  local.admitted += sign;
  add_all(local.admitted_usage, workload.held->usage, sign);
  changed(workload.local);
  local.at_rest = false;
  schedule_sample(workload.local);
}

void Core::release_quota(WorkloadId id, bool placement_too) {
  settle();
  set_admitted(id, false);
  charge_usage(id, -1);
  Workload& workload = workloads_.at(id);
  charge_places(workload.held->places, -1);
  places_freed(*workload.held);
  const QueueId queue_id = workload.held->queue;
  const ConditionFacts* evicted = workload.facts->condition(Cond::Evicted);
  const bool preempted = workload.facts->evicted() && evicted->reason == "Preempted";
  ClusterQueue& queue = queues_.at(queue_id);
  workloads_.at(queue.holders.back()).held_at = workload.held_at;
  queue.holders[workload.held_at] = queue.holders.back();
  queue.holders.pop_back();
  if (workload.local) {
    LocalQueue& local = locals_.at(workload.local);
    --local.reserving;
    add_all(local.reserved_usage, workload.held->usage, -1);
    changed(workload.local);
  }
  workload.held.reset();
  workload.leaving = Leaving::No;
  count_unready(id);
  workload.before_pass.reset();
  workload.assumed = false;
  workload.written = false;
  workload.decided_on.reset();
  if (queue.node) tree_.count_generation(queue.node);
  changed(queue_id);
  if (placement_too && port_ != nullptr) port_->release(workload.facts->uid);
  request_move_back(queue_id);
  if (!preempted || workload.facts->finished()) request_offer(queue_id);
  wake(queue_id);
  drop_queue_if_unused(queue_id);
}

// --- events ---

void Core::apply(const WorkloadSpec& spec) {
  const std::shared_ptr<const Facts> facts =
      compiler_.compile(spec, request_context(spec.key.ns), names_, order_);
  WorkloadId id = find(spec.key);
  if (id && workloads_.at(id).facts->uid != spec.uid) {
    forget(id);  // deleted and made again under the same name
    id = {};
  }
  std::shared_ptr<const Facts> old;
  if (!id) {
    Workload workload;
    workload.facts = facts;
    id = workloads_.insert(std::move(workload));
    if (ids_.size() <= id.slot) ids_.resize(id.slot + 1);
    ids_[id.slot] = id;
    index_.insert(spec.key, id.slot, [this](std::uint32_t at) -> const ObjectKey& {
      return workloads_.at(ids_[at]).facts->key;
    });
    attach(id);
    join_family(id);
  } else {
    Workload& workload = workloads_.at(id);
    old = workload.facts;
    const bool moved = old->queue_name != facts->queue_name;
    const std::shared_ptr<const Reservation> held = workload.held;
    if (moved && held) {
      // Its usage shows in the LocalQueue that it is in.
      const bool admitted = workload.admitted, assumed = workload.assumed,
                 written = workload.written;
      const std::shared_ptr<const Facts> decided_on = workload.decided_on;
      release_quota(id, false);
      detach(id);
      workload.facts = facts;
      attach(id);
      hold_quota(id, held->admission);
      set_admitted(id, admitted);
      workload.assumed = assumed;
      workload.written = written;
      workload.decided_on = decided_on;
    } else if (moved) {
      detach(id);
      workload.facts = facts;
      attach(id);
    }
    workload.facts = facts;
    workload.vanished = false;
  }
  take_admission(id, old.get());
  if (old) holder_changed(id, *old);
  count_unready(id);
  // One that ended before it was admitted, or will not run, owes nothing.
  const bool ended = facts->finished() || (!facts->active && !workloads_.at(id).held);
  if (ended) drop_penalty(id);
  place(id, old.get());
  mark_dirty(id);
  if (facts->requeue_at && *facts->requeue_at > now_) set_timer(id, *facts->requeue_at);
}

// Brings what is charged in line with what the API shows, which always wins over what was assumed.
void Core::take_admission(WorkloadId id, const Facts* old) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  // What a parent shows is its variant's.
  if (!facts.admission || facts.finished() || facts.is_parent()) {
    if (!workload.held) return;
    if (workload.assumed && !facts.is_parent() && !lost_assumption(workload, facts)) return;
    release_quota(id, true);
    return;
  }
  const bool same = workload.held && *workload.held->admission == *facts.admission;
  const bool pods_done = old != nullptr && old->scheduling_hash != facts.scheduling_hash;
  if (!same || pods_done) {
    if (workload.held) release_quota(id, false);
    hold_quota(id, facts.admission);
  }
  workload.assumed = false;
  workload.written = false;
  workload.before_pass.reset();
  workload.decided_on.reset();
  set_admitted(id, facts.is_true(Cond::Admitted));
  settle_penalty(id);
}

// What of a workload that holds quota matters to those who might preempt it.
void Core::holder_changed(WorkloadId id, const Facts& old) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (!workload.held) return;
  const bool was_leaving = workload.leaving != Leaving::No;
  if (facts.evicted()) workload.leaving = Leaving::No;  // it shows by itself now
  if (old.priority != facts.priority) request_move_back(workload.held->queue);
  if (was_leaving || old.priority != facts.priority || old.queued_at != facts.queued_at ||
      old.evicted() != facts.evicted()) {
    wake(workload.held->queue);
  }
}

// Whether an object without admission is newer than our decision to admit it. Until the write is
// known to have succeeded it cannot be; after that, an object from before the write must be told
// from one whose admission came and went: the latter carries a condition that is neither what we
// saw when deciding nor what we wrote before, and that is not older than the decision.
bool Core::lost_assumption(const Workload& workload, const Facts& now) const {
  if (now.finished()) return true;
  if (!workload.written) return false;
  const ConditionFacts* reserved = now.condition(Cond::QuotaReserved);
  if (reserved == nullptr || reserved->status != ConditionView::Status::False) return false;
  const ConditionFacts* before =
      workload.decided_on ? workload.decided_on->condition(Cond::QuotaReserved) : nullptr;
  if (before != nullptr && *before == *reserved) return false;
  if (workload.verdict && workload.verdict->text == reserved->text) return false;
  constexpr std::int64_t kSecond = 1'000'000'000;  // conditions carry whole seconds
  return reserved->last_transition.nanos >= workload.decided.nanos / kSecond * kSecond;
}

void Core::workload_gone(const ObjectKey& key, const std::string& uid) {
  const WorkloadId id = find(key);
  if (!id || workloads_.at(id).facts->uid != uid) return;
  forget(id);
}

void Core::workload_written(const ObjectKey& key, const std::string& uid, bool succeeded,
                            bool gone) {
  const WorkloadId id = find(key);
  if (!id || workloads_.at(id).facts->uid != uid) return;
  Workload& workload = workloads_.at(id);
  if (succeeded) {
    if (!workload.assumed) return;
    workload.written = true;
    settle_penalty(id);
    return;
  }
  workload.issued = 0;
  workload.issued_hold = 0;
  workload.vanished = gone;
  if (std::exchange(workload.leaving, Leaving::No) != Leaving::No && workload.held) {
    wake(workload.held->queue);
  }
  if (workload.assumed && !workload.written && !undo_second_pass(id)) {
    // It did fit; that an equal one failed behind it says nothing about it.
    const QueueId queue = workload.held->queue;
    ClassTable& classes = queues_.at(queue).classes;
    const std::uint32_t number = classes.find(workload.facts->scheduling_hash);
    if (number != ClassTable::kNone) classes.at(number).failed = {};
    drop_penalty(id);
    release_quota(id, true);
  }
  place(id, workload.facts.get());
  mark_dirty(id);
}

void Core::mark_dirty(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (workload.dirty) return;
  workload.dirty = true;
  dirty_.push_back(id);
}

// --- time ---

// One that goes off earlier does for this one too: whoever looks then sets the next.
void Core::set_timer(WorkloadId id, Time at) {
  Workload& workload = workloads_.at(id);
  if (workload.timer > now_ && workload.timer <= at) return;
  workload.timer = at;
  timers_.push_back({at, id});
  std::push_heap(timers_.begin(), timers_.end(), later);
}

void Core::fire_timers() {
  while (!timers_.empty() && timers_.front().first <= now_) {
    std::pop_heap(timers_.begin(), timers_.end(), later);
    const WorkloadId id = timers_.back().second;
    timers_.pop_back();
    Workload* workload = workloads_.find(id);
    if (workload == nullptr) continue;
    if (workload->timer <= now_) workload->timer = {};
    mark_dirty(id);
    if (workload->bucket != Bucket::Parked || workload->bypassed) continue;
    if (!backoff_over(*workload->facts)) continue;
    // Only its backoff kept it out, or it is tried once more for nothing.
    leave_bucket(id);
    place(id, nullptr);
  }
}

}  // namespace quorate::admission
