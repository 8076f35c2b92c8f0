// Trees of queues: which may have something to decide, and when parked workloads are tried again.

#include <algorithm>
#include <utility>

#include "admission/core.h"

namespace quorate::admission {

void Core::settle() {
  if (tree_.settled()) return;
  const std::vector<quota::NodeId> roots = tree_.settle();
  sharing_.shape_changed();
  std::map<std::uint32_t, Tree> trees;
  std::vector<QueueId> turned;
  for (const auto& [name, id] : queue_names_) {
    ClusterQueue& queue = queues_.at(id);
    if (!queue.node) continue;
    const bool in_cycle = tree_.in_cycle(queue.node);
    if (!in_cycle) trees[tree_.root(queue.node).slot].queues.push_back(id);
    if (std::exchange(queue.in_cycle, in_cycle) != in_cycle) turned.push_back(id);
  }
  for (auto& [slot, tree] : trees) {
    const auto old = trees_.find(slot);
    tree.awake = old != trees_.end() && old->second.awake;
  }
  trees_ = std::move(trees);
  for (const QueueId id : turned) refresh_active(id);
  // What there is to lend may be another now, and with it every share.
  if (config_.fair_sharing) {
    for (const quota::NodeId root : roots) {
      if (const auto tree = trees_.find(root.slot); tree != trees_.end()) {
        for (const QueueId id : tree->second.queues) changed(id);
      }
    }
  }
  for (const quota::NodeId root : roots) {
    wake_root(root);
    request_move_back_root(root);
  }
}

void Core::wake_root(quota::NodeId root) {
  const auto tree = trees_.find(root.slot);
  if (tree == trees_.end()) return;
  tree->second.awake = true;
  tree->second.unchanged = 0;
}

void Core::wake(QueueId id) {
  const ClusterQueue& queue = queues_.at(id);
  if (!queue.node || !tree_.has(queue.node)) return;
  // Before the tree has settled its root may be another; settling wakes what it touched.
  if (const quota::NodeId root = tree_.root(queue.node); root) wake_root(root);
}

void Core::request_move_back(QueueId id) {
  const ClusterQueue& queue = queues_.at(id);
  if (!queue.node || !tree_.has(queue.node)) return;
  if (const quota::NodeId root = tree_.root(queue.node); root) request_move_back_root(root);
}

void Core::request_move_back_root(quota::NodeId root) {
  move_backs_.emplace(root.slot, MoveBack{root, std::nullopt});
}

// Requests that came since the last cycle get their time now; those whose time has come are served.
void Core::run_move_backs() {
  for (auto at = move_backs_.begin(); at != move_backs_.end();) {
    MoveBack& request = at->second;
    if (!request.due) request.due = now_ + config_.move_back_batch;
    if (*request.due > now_) {
      ++at;
      continue;
    }
    if (const auto tree = trees_.find(at->first); tree != trees_.end() && tree_.has(request.root)) {
      for (const QueueId id : tree->second.queues) move_back(id);
    }
    at = move_backs_.erase(at);
  }
}

void Core::move_back(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  forget_classes(queue);
  queue.offering = false;
  for (const WorkloadId workload : std::vector<WorkloadId>(queue.parked)) {
    if (!moves_back(queue, workload)) continue;
    leave_bucket(workload);
    heap_push(id, workload);
  }
}

bool Core::moves_back(const ClusterQueue& queue, WorkloadId id) const {
  const Facts& facts = *workloads_.at(id).facts;
  return backoff_over(facts) && namespace_matches(queue, facts.key.ns);
}

// Where requests are not gathered for a time, one that was made counts as served.
bool Core::moves_back_at_once(const ClusterQueue& queue) const {
  return config_.move_back_batch == Duration{} && queue.node &&
         move_backs_.contains(tree_.root(queue.node).slot);
}

void Core::capacity_changed() {
  for (const auto& [slot, tree] : trees_) {
    for (const QueueId id : tree.queues) {
      ClusterQueue* queue = queues_.find(id);  // trees follow deletions in the next cycle
      if (queue == nullptr || !std::exchange(queue->waits_for_nodes, false)) continue;
      request_move_back(id);
      wake(id);
    }
  }
}

}  // namespace quorate::admission
