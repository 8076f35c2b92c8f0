// Read-only answers, and which of them may have changed.

#include <algorithm>

#include "admission/core.h"

namespace quorate::admission {

// Versions count readings, not changes: whatever changes between two readings gets one version, so
// that most changes cost a comparison.
void Core::changed(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  if (!queue.spec || queue.changed == version_) return;
  changed_queues_.erase({queue.changed, queue.name});
  queue.changed = version_;
  changed_queues_.insert({queue.changed, queue.name});
}

void Core::changed(LocalId id) {
  LocalQueue& local = locals_.at(id);
  if (!local.spec || local.changed == version_) return;
  changed_locals_.erase({local.changed, local.key});
  local.changed = version_;
  changed_locals_.insert({local.changed, local.key});
}

std::vector<std::string> Core::changed_cluster_queues(std::uint64_t& cursor) {
  std::vector<std::string> names;
  for (auto at = changed_queues_.lower_bound({cursor + 1, ""}); at != changed_queues_.end(); ++at) {
    names.push_back(at->second);
  }
  cursor = version_++;
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<ObjectKey> Core::changed_local_queues(std::uint64_t& cursor) {
  std::vector<ObjectKey> keys;
  for (auto at = changed_locals_.lower_bound({cursor + 1, {}}); at != changed_locals_.end(); ++at) {
    keys.push_back(at->second);
  }
  cursor = version_++;
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> Core::cluster_queues() const {
  std::vector<std::string> names;
  for (const auto& [name, id] : queue_names_) {
    if (queues_.at(id).spec) names.push_back(name);
  }
  return names;
}

std::vector<ObjectKey> Core::local_queues() const {
  std::vector<ObjectKey> keys;
  for (const auto& [key, id] : local_keys_) {
    if (locals_.at(id).spec) keys.push_back(key);
  }
  return keys;
}

namespace {

template <class Visit>
void each_quota(const ClusterQueueSpec& spec, Visit visit) {
  for (const quota::ResourceGroup& group : spec.resource_groups) {
    for (const quota::FlavorQuotas& flavor : group.flavors) {
      for (const quota::ResourceQuota& resource : flavor.resources) {
        visit(flavor.flavor, resource.resource);
      }
    }
  }
}

}  // namespace

std::optional<QueueView> Core::cluster_queue(const std::string& name) {
  const auto found = queue_names_.find(name);
  if (found == queue_names_.end() || !queues_.at(found->second).spec) return std::nullopt;
  settle();
  const ClusterQueue& queue = queues_.at(found->second);
  QueueView view;
  view.active = queue.active;
  view.pending = static_cast<std::int32_t>(in_heap(queue).size() + queue.parked.size());
  view.reserving = static_cast<std::int32_t>(queue.holders.size());
  view.admitted = queue.admitted;
  if (config_.fair_sharing) view.share = sharing_.share(tree_, queue.node);
  const bool in_cohort = !queue.spec->cohort.empty();
  each_quota(*queue.spec, [&](const std::string& flavor, const std::string& resource) {
    const quota::FlavorResource fr = names_.pair(flavor, resource);
    const auto row = [&](quota::Amount used) {
      const quota::Amount over =
          in_cohort ? (used - tree_.nominal(queue.node, fr)).or_zero() : quota::Amount{};
      return ResourceUsageView{flavor, resource, used.quantity(), over.quantity()};
    };
    view.reservation.push_back(row(tree_.usage(queue.node, fr)));
    view.usage.push_back(row(quota::Amount{queue.admitted_usage[fr]}));
  });
  return view;
}

// A share changes with the usage of any queue below, so all cohorts of a tree count as changed with
// it.
std::vector<std::string> Core::changed_cohorts(std::uint64_t& cursor) {
  std::vector<std::string> names;
  if (!config_.fair_sharing) return names;
  settle();
  std::set<std::uint32_t> roots;
  for (auto at = changed_queues_.lower_bound({cursor + 1, ""}); at != changed_queues_.end(); ++at) {
    const ClusterQueue& queue = queues_.at(queue_names_.at(at->second));
    if (!queue.in_cycle) roots.insert(tree_.root(queue.node).slot);
  }
  cursor = version_++;
  for (const std::string& name : cohorts_) {
    const quota::NodeId node = tree_.cohort(name);
    if (!tree_.in_cycle(node) && roots.contains(tree_.root(node).slot)) names.push_back(name);
  }
  return names;
}

std::optional<fairshare::Share> Core::cohort_share(const std::string& name) {
  settle();
  if (!config_.fair_sharing || !cohorts_.contains(name)) return std::nullopt;
  return sharing_.share(tree_, tree_.cohort(name));
}

std::optional<QueueView> Core::local_queue(const ObjectKey& key) {
  const auto found = local_keys_.find(key);
  if (found == local_keys_.end() || !locals_.at(found->second).spec) return std::nullopt;
  settle();
  const LocalQueue& local = locals_.at(found->second);
  const ClusterQueue* queue = local.queue ? &queues_.at(local.queue) : nullptr;
  const bool queue_there = queue != nullptr && queue->spec;
  QueueView view;
  if (local.spec->stop_policy != StopPolicy::None) {
    view.active = {false, "Stopped", "LocalQueue is stopped"};
  } else if (!queue_there) {
    view.active = {false, "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue"};
  } else if (!queue->active.active) {
    view.active = {false, "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue"};
  } else {
    view.active = {true, "Ready", "Can submit new workloads to localQueue"};
  }
  if (!queue_there) return view;  // figures of a queue that is not there would be stale
  if (local.ledger && local.ledger->is_open()) {
    view.consumed = {local.ledger->consumed(), *local.ledger->updated(), local.usage};
  }
  view.pending = local.pending;
  view.reserving = local.reserving;
  view.admitted = local.admitted;
  each_quota(*queue->spec, [&](const std::string& flavor, const std::string& resource) {
    const quota::FlavorResource fr = names_.pair(flavor, resource);
    view.reservation.push_back({flavor, resource, local.reserved_usage[fr], Quantity{}});
    view.usage.push_back({flavor, resource, local.admitted_usage[fr], Quantity{}});
  });
  return view;
}

std::optional<Hold> Core::waiting(const ObjectKey& key) const {
  const WorkloadId id = find(key);
  if (!id || workloads_.at(id).held) return std::nullopt;
  const Workload& workload = workloads_.at(id);
  const Facts& facts = *workload.facts;
  if (workload.bypassed) {
    if (const Workload* equal = failed_equal(queues_.at(workload.queue), facts)) {
      return hold_of(workload, *equal->verdict, kBypassedMessage);
    }
  }
  if (!workload.verdict) return std::nullopt;
  return hold_of(workload, *workload.verdict, message_of(workload.verdict->proof));
}

std::vector<ObjectKey> Core::pending(const std::string& name, bool parked_only) const {
  const auto found = queue_names_.find(name);
  if (found == queue_names_.end()) return {};
  const ClusterQueue& queue = queues_.at(found->second);
  std::vector<WorkloadId> ids = queue.parked;
  if (parked_only && moves_back_at_once(queue)) {
    std::erase_if(ids, [&](WorkloadId id) { return moves_back(queue, id); });
  }
  if (!parked_only) {
    const std::vector<WorkloadId> heap = in_heap(queue);
    ids.insert(ids.end(), heap.begin(), heap.end());
  }
  std::sort(ids.begin(), ids.end(),
            [&](WorkloadId a, WorkloadId b) { return before(queue, a, b); });
  std::vector<ObjectKey> keys;
  for (const WorkloadId id : ids) keys.push_back(workloads_.at(id).facts->key);
  return keys;
}

}  // namespace quorate::admission
