// The heap and the parked workloads of each ClusterQueue.

#include <algorithm>
#include <tuple>
#include <utility>

#include "admission/core.h"

namespace quorate::admission {
namespace {

bool same_condition(const Facts& a, const Facts& b, Cond type) {
  const ConditionFacts* x = a.condition(type);
  const ConditionFacts* y = b.condition(type);
  return x == y || (x != nullptr && y != nullptr && *x == *y);
}

// What makes a parked workload worth another try. Everything in the spec that matters shows in the
// generation or the hash.
bool changed_relevantly(const Facts& a, const Facts& b) {
  return a.generation != b.generation || a.scheduling_hash != b.scheduling_hash ||
         a.requeue_at != b.requeue_at || a.preemption_gated() != b.preemption_gated() ||
         (a.invalid == nullptr) != (b.invalid == nullptr) || !same_condition(a, b, Cond::Evicted) ||
         !same_condition(a, b, Cond::Requeued);
}

}  // namespace

bool Core::before(const ClusterQueue& queue, WorkloadId a, WorkloadId b) const {
  if (queue.by_usage) {
    const LocalQueue& mine = locals_.at(workloads_.at(a).local);
    const LocalQueue& other = locals_.at(workloads_.at(b).local);
    if (&mine != &other && mine.usage != other.usage) return mine.usage < other.usage;
  }
  if (!queue.strict() && a != b && (a == queue.preemptor || b == queue.preemptor)) {
    return a == queue.preemptor;
  }
  const Facts& x = *workloads_.at(a).facts;
  const Facts& y = *workloads_.at(b).facts;
  if (x.priority != y.priority) return x.priority > y.priority;
  if (x.queued_at != y.queued_at) return x.queued_at < y.queued_at;
  if (x.uid != y.uid) return x.uid < y.uid;
  return x.key < y.key;
}

// Usage changes with every admission, so a queue that goes by it has a heap for each LocalQueue:
// only their tops are compared.
std::vector<WorkloadId>& Core::heap_of(ClusterQueue& queue, WorkloadId workload) {
  return queue.by_usage ? locals_.at(workloads_.at(workload).local).heap : queue.heap;
}

WorkloadId Core::heap_top(const ClusterQueue& queue) const {
  if (!queue.by_usage) return queue.heap.empty() ? WorkloadId{} : queue.heap.front();
  WorkloadId best;
  for (const LocalId local : queue.locals) {
    const std::vector<WorkloadId>& heap = locals_.at(local).heap;
    if (heap.empty()) continue;
    if (!best || before(queue, heap.front(), best)) best = heap.front();
  }
  return best;
}

std::vector<WorkloadId> Core::in_heap(const ClusterQueue& queue) const {
  if (!queue.by_usage) return queue.heap;
  std::vector<WorkloadId> all;
  for (const LocalId local : queue.locals) {
    const std::vector<WorkloadId>& heap = locals_.at(local).heap;
    all.insert(all.end(), heap.begin(), heap.end());
  }
  return all;
}

// Moves the element up or down until the heap holds again.
void Core::sift(ClusterQueue& queue, WorkloadId moving) {
  std::vector<WorkloadId>& heap = heap_of(queue, moving);
  const auto put = [&](std::size_t place, WorkloadId id) {
    heap[place] = id;
    workloads_.at(id).at = static_cast<std::uint32_t>(place);
  };
  std::size_t at = workloads_.at(moving).at;
  while (at > 0 && before(queue, moving, heap[(at - 1) / 2])) {
    put(at, heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  while (2 * at + 1 < heap.size()) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < heap.size() && before(queue, heap[child + 1], heap[child])) ++child;
    if (!before(queue, heap[child], moving)) break;
    put(at, heap[child]);
    at = child;
  }
  put(at, moving);
}

void Core::add_to_heap(ClusterQueue& queue, WorkloadId workload) {
  std::vector<WorkloadId>& heap = heap_of(queue, workload);
  workloads_.at(workload).at = static_cast<std::uint32_t>(heap.size());
  heap.push_back(workload);
  sift(queue, workload);
}

void Core::take_from_heap(ClusterQueue& queue, WorkloadId workload) {
  std::vector<WorkloadId>& heap = heap_of(queue, workload);
  const std::uint32_t at = workloads_.at(workload).at;
  const WorkloadId last = heap.back();
  heap.pop_back();
  if (last == workload) return;
  heap[at] = last;
  workloads_.at(last).at = at;
  sift(queue, last);
}

void Core::set_bucket(WorkloadId id, Bucket bucket, QueueId queue) {
  Workload& workload = workloads_.at(id);
  const bool was = workload.bucket != Bucket::None, is = bucket != Bucket::None;
  workload.bucket = bucket;
  workload.queue = queue;
  workload.bypassed = false;
  if (was == is || !workload.local) return;
  locals_.at(workload.local).pending += is ? 1 : -1;
  changed(workload.local);
}

void Core::heap_push(QueueId id, WorkloadId workload) {
  ClusterQueue& queue = queues_.at(id);
  set_bucket(workload, Bucket::Heap, id);
  add_to_heap(queue, workload);
  changed(id);
  wake(id);
  if (queue.by_usage) schedule_sample(workloads_.at(workload).local);
}

WorkloadId Core::heap_pop(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  const WorkloadId top = heap_top(queue);
  take_from_heap(queue, top);
  set_bucket(top, Bucket::InFlight, id);
  return top;
}

void Core::park(QueueId id, WorkloadId workload, bool bypassed) {
  ClusterQueue& queue = queues_.at(id);
  set_bucket(workload, Bucket::Parked, id);
  workloads_.at(workload).bypassed = bypassed;
  workloads_.at(workload).at = static_cast<std::uint32_t>(queue.parked.size());
  queue.parked.push_back(workload);
  changed(id);
}

void Core::leave_bucket(WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (workload.bucket == Bucket::None) return;
  ClusterQueue& queue = queues_.at(workload.queue);
  if (workload.bucket == Bucket::Heap) {
    take_from_heap(queue, id);
  } else if (workload.bucket == Bucket::Parked) {
    const std::size_t at = workload.at;
    queue.parked[at] = queue.parked.back();
    workloads_.at(queue.parked[at]).at = static_cast<std::uint32_t>(at);
    queue.parked.pop_back();
    leave_class(queue, id);
  }
  changed(workload.queue);
  set_bucket(id, Bucket::None, {});
}

void Core::leave_queue(WorkloadId id) {
  const Workload& workload = workloads_.at(id);
  if (workload.bucket == Bucket::None) return;
  const QueueId queue_id = workload.queue;
  const std::uint64_t hash = workload.facts->scheduling_hash;
  ClusterQueue& queue = queues_.at(queue_id);
  leave_bucket(id);
  if (queue.preemptor == id) queue.preemptor = {};
  try_next_of_class(queue_id, hash);
}

// Its place in the heap is the caller's to set; that of the one before is set here.
void Core::make_preemptor(QueueId id, WorkloadId workload) {
  ClusterQueue& queue = queues_.at(id);
  const WorkloadId before = std::exchange(queue.preemptor, workload);
  queue.preemptor_generation = workloads_.at(workload).facts->generation;
  if (!before || before == workload) return;
  const Workload& other = workloads_.at(before);
  if (other.bucket == Bucket::Heap) sift(queue, before);
}

bool Core::queueable(const Workload& workload) const {
  const Facts& facts = *workload.facts;
  if (!facts.active || facts.finished() || facts.gated_by || facts.terminating) return false;
  if (facts.is_parent()) return false;
  if (workload.held || workload.vanished) return false;
  const ConditionFacts* reserved = facts.condition(Cond::QuotaReserved);
  if (reserved != nullptr && reserved->status == ConditionView::Status::False &&
      reserved->reason == "OnHold") {
    return false;
  }
  return !facts.is_true(Cond::WaitingForReplacementPods);
}

bool Core::backoff_over(const Facts& facts) const {
  return !facts.is_false(Cond::Requeued) && (!facts.requeue_at || *facts.requeue_at <= now_);
}

void Core::place(WorkloadId id, const Facts* old) {
  Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  const LocalQueue* local = workload.local ? &locals_.at(workload.local) : nullptr;
  const QueueId target = local != nullptr && local->open() ? local->queue : QueueId{};
  const bool known = target && queues_.at(target).spec;
  if (!known || !queueable(workload)) {
    leave_queue(id);
    return;
  }
  if (workload.bucket != Bucket::None && workload.queue != target) leave_queue(id);
  if (old != nullptr && old->scheduling_hash != facts.scheduling_hash) workload.scan.reset();

  if (workload.bucket == Bucket::Parked) {
    if (old != nullptr && old != &facts && !changed_relevantly(*old, facts)) return;
    if (old == &facts) return;  // its LocalQueue changed, which is nothing to it
    leave_bucket(id);
  }
  if (workload.bucket == Bucket::Heap) {
    // What it was told to show does not make it worth another cycle: two messages that take turns
    // would have themselves written for ever.
    sift(queues_.at(target), id);
    if (old == nullptr || changed_relevantly(*old, facts)) wake(target);
    return;
  }
  if (workload.verdict && workload.verdict->proof.layer == Layer::Queue) workload.verdict.reset();
  if (!backoff_over(facts)) {
    park(target, id, false);
    if (facts.requeue_at && *facts.requeue_at > now_) set_timer(id, *facts.requeue_at);
    return;
  }
  if (failed_equal(queues_.at(target), facts) != nullptr) {
    park_bypassed(target, id);
    return;
  }
  heap_push(target, id);
}

void Core::requeue(WorkloadId id, RequeueReason reason, std::shared_ptr<const Scan> scan) {
  Workload& workload = workloads_.at(id);
  const QueueId queue_id = workload.queue;
  ClusterQueue& queue = queues_.at(queue_id);
  // A scan that reached the end starts anew, just as none.
  workload.scan = scan && scan->pending() ? std::move(scan) : nullptr;
  const bool waits_for_room =
      reason == RequeueReason::PendingPreemption || reason == RequeueReason::PendingMigration;
  const bool immediate = queue.strict()
                             ? reason != RequeueReason::NamespaceMismatch
                             : waits_for_room || reason == RequeueReason::FailedAfterNomination;
  if (waits_for_room) make_preemptor(queue_id, id);
  if (immediate || workload.scan) {
    // Back where it was; nothing new that would wake the tree.
    set_bucket(id, Bucket::Heap, queue_id);
    add_to_heap(queue, id);
    return;
  }
  park(queue_id, id, false);
  const bool of_class = reason == RequeueReason::NoFit || reason == RequeueReason::NoCandidates;
  if (!has_classes(queue)) return;
  if (of_class) return fail_class(queue_id, id);
  try_next_of_class(queue_id, workload.facts->scheduling_hash);
}

}  // namespace quorate::admission
