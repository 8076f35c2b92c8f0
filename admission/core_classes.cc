// Equal workloads of a ClusterQueue: one that failed answers for all of them, and when quota comes
// free one is tried for all of them.
//
// The reference moves everything back that is parked, a second after quota came free. That is done
// here too, since it finds whoever waits for another reason; but until then the free quota would
// idle. So what comes free is offered at once to the first member of every class: if it is
// admitted, the next follows, and if it fails, none of its equals needs a try. An offer costs as
// much as there are classes, not as there are workloads.
//
// What a victim gives back is not offered: its preemptor waits for it, awake, and who took it first
// would only be the next victim.

#include <algorithm>

#include "admission/core.h"

namespace quorate::admission {
namespace {

// An offer to more classes, or to more workloads where there are no classes, is left to the batch.
constexpr std::size_t kOfferedAtOnce = 1024;

}  // namespace

bool Core::has_classes(const ClusterQueue& queue) const {
  return config_.equivalence_classes && !queue.strict();
}

const Workload* Core::failed_equal(const ClusterQueue& queue, const Facts& facts) const {
  if (!has_classes(queue)) return nullptr;
  const std::uint32_t number = queue.classes.find(facts.scheduling_hash);
  if (number == ClassTable::kNone) return nullptr;
  const WorkloadId id = queue.classes.at(number).failed;
  const Workload* equal = id ? workloads_.find(id) : nullptr;
  if (equal == nullptr || !equal->verdict || !same_class(*equal->facts, facts)) return nullptr;
  // What its queue or its own state stops later says nothing about the others.
  if (equal->verdict->proof.layer == Layer::Queue) return nullptr;
  return equal;
}

// The workload failed for all of its class; its equals at the top of the heap are parked with it,
// the others when they get there: each costs a step of the heap, none an evaluation.
void Core::fail_class(QueueId id, WorkloadId workload) {
  ClusterQueue& queue = queues_.at(id);
  join_class(queue, workload);
  queue.classes.at(workloads_.at(workload).class_number).failed = workload;
  park_failed(id);
}

void Core::park_failed(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  for (WorkloadId top = heap_top(queue);
       top && failed_equal(queue, *workloads_.at(top).facts) != nullptr; top = heap_top(queue)) {
    park_bypassed(id, heap_pop(id));
  }
}

void Core::park_bypassed(QueueId id, WorkloadId workload) {
  park(id, workload, true);
  join_class(queues_.at(id), workload);
}

// Members mostly come in the order in which they are to be tried, hence from the back.
void Core::join_class(ClusterQueue& queue, WorkloadId id) {
  Workload& workload = workloads_.at(id);
  workload.class_number = queue.classes.put(workload.facts->scheduling_hash);
  WorkloadClass& equals = queue.classes.at(workload.class_number);
  std::uint32_t before_it = equals.last;
  while (before_it != ClassTable::kNone && before(queue, id, ids_[before_it])) {
    before_it = workloads_.at(ids_[before_it]).class_before;
  }
  std::uint32_t& from_left =
      before_it == ClassTable::kNone ? equals.first : workloads_.at(ids_[before_it]).class_after;
  workload.class_before = before_it;
  workload.class_after = from_left;
  from_left = id.slot;
  std::uint32_t& from_right = workload.class_after == ClassTable::kNone
                                  ? equals.last
                                  : workloads_.at(ids_[workload.class_after]).class_before;
  from_right = id.slot;
}

void Core::leave_class(ClusterQueue& queue, WorkloadId id) {
  Workload& workload = workloads_.at(id);
  if (workload.class_number == ClassTable::kNone) return;
  WorkloadClass& equals = queue.classes.at(workload.class_number);
  const std::uint32_t left = workload.class_before, right = workload.class_after;
  (left == ClassTable::kNone ? equals.first : workloads_.at(ids_[left]).class_after) = right;
  (right == ClassTable::kNone ? equals.last : workloads_.at(ids_[right]).class_before) = left;
  workload.class_number = ClassTable::kNone;
}

void Core::forget_classes(ClusterQueue& queue) {
  for (const WorkloadId id : queue.parked) workloads_.at(id).class_number = ClassTable::kNone;
  queue.classes.clear();
}

// Lets the next of a class be tried, if none of them has failed since quota came free.
void Core::try_next_of_class(QueueId id, std::uint64_t hash) {
  ClusterQueue& queue = queues_.at(id);
  const std::uint32_t number = queue.classes.find(hash);
  if (number == ClassTable::kNone) return;
  const WorkloadClass& equals = queue.classes.at(number);
  if (equals.failed || equals.first == ClassTable::kNone) return;
  const WorkloadId next = ids_[equals.first];
  if (!moves_back(queue, next)) return;
  leave_bucket(next);
  heap_push(id, next);
  workloads_.at(next).offered = true;
}

void Core::request_offer(QueueId id) {
  const ClusterQueue& queue = queues_.at(id);
  if (!queue.node || !tree_.has(queue.node)) return;
  if (const quota::NodeId root = tree_.root(queue.node); root) offers_.insert(root.slot);
}

void Core::run_offers() {
  for (const std::uint32_t slot : std::exchange(offers_, {})) {
    const auto tree = trees_.find(slot);
    if (tree == trees_.end()) continue;
    for (const QueueId id : tree->second.queues) offer(id);
  }
}

void Core::offer(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  if (queue.parked.empty() || !queue.active.active) return;
  // Where LocalQueues take turns, the order within a class changes with every admission.
  if (!has_classes(queue) || queue.by_usage) {
    if (queue.parked.size() <= kOfferedAtOnce) move_back(id);
    return;
  }
  if (queue.classes.size() > kOfferedAtOnce) return;
  queue.offering = true;
  for (std::uint32_t number = 0; number < queue.classes.size(); ++number) {
    queue.classes.at(number).failed = {};
    try_next_of_class(id, queue.classes.at(number).hash);
  }
}

}  // namespace quorate::admission
