// Topologies and who has places in them.

#include <algorithm>

#include "admission/core.h"

namespace quorate::admission {

void Core::set_cluster(const cluster::Model* model) {
  if (model != nullptr && inventory_.has_model()) return inventory_.adopt_model(model);
  inventory_.set_model(model);
}

void Core::apply(const TopologySpec& spec) {
  const bool known = inventory_.has_topology(spec.name);
  inventory_.put_topology(spec.name, spec.levels);
  topology_changed(spec.name, !known);
}

void Core::topology_gone(const std::string& name) {
  if (!inventory_.has_topology(name)) return;
  inventory_.remove_topology(name);
  topology_changed(name, true);
}

void Core::topology_changed(const std::string& topology, bool came_or_went) {
  for (const auto& [name, id] : queue_names_) {
    if (!uses_topology(queues_.at(id), [&](const FlavorSpec& flavor) {
          return flavor.topology_name == topology;
        })) {
      continue;
    }
    if (came_or_went) refresh_active(id);
    request_move_back(id);
    wake(id);
  }
}

bool Core::uses_topology(const ClusterQueue& queue,
                         const std::function<bool(const FlavorSpec&)>& which) const {
  for (const QueuePlan::Group& group : queue.plan.groups) {
    for (const std::uint32_t slot : group.flavors) {
      const auto flavor = flavors_.find(slot);
      if (flavor != flavors_.end() && !flavor->second->topology_name.empty() &&
          which(*flavor->second)) {
        return true;
      }
    }
  }
  return false;
}

// Room came or went on a node: whoever may use it is tried again.
void Core::room_changed(const std::string& node) {
  for (const auto& [name, id] : queue_names_) {
    if (!uses_topology(queues_.at(id), [&](const FlavorSpec& flavor) {
          const topology::Tree* tree = inventory_.tree(flavor.name);
          return tree != nullptr && tree->has_node(node);
        })) {
      continue;
    }
    request_move_back(id);
    wake(id);
  }
}

void Core::observe(const cluster::NodeChange& change) {
  if (change.before == change.after) return;
  if (change.before) room_changed(change.before->name);
  inventory_.observe(change);
  if (change.after) room_changed(change.after->name);
}

void Core::observe(const cluster::PodChange& change) {
  inventory_.observe(change);
  if (change.ignored) return;
  for (const auto& pod : {change.replaced_pod, change.before}) {
    if (pod == nullptr || pod->spec.node.empty() || pod->spec.finished()) continue;
    const bool same = pod == change.before && change.after && !change.after->spec.finished() &&
                      change.after->spec.node == pod->spec.node &&
                      change.after->spec.requests == pod->spec.requests;
    if (!same && !topology::by_topology(pod->spec)) room_changed(pod->spec.node);
  }
}

// --- usage ---

bool Core::is_topology_flavor(const std::string& flavor) const {
  const quota::FlavorId id = names_.flavors.find(flavor);
  const auto found = id ? flavors_.find(id.slot) : flavors_.end();
  return found != flavors_.end() && !found->second->topology_name.empty();
}

std::vector<TopologyUse> Core::places_of(const Facts& facts, const Admission& admission) const {
  return topology_uses(facts, admission,
                       [this](const std::string& flavor) { return is_topology_flavor(flavor); });
}

void Core::charge_places(const std::vector<TopologyUse>& places, std::int64_t sign) {
  for (const TopologyUse& use : places) {
    inventory_.charge(*journal_, use.flavor, use.places, use.pod, sign);
  }
}

// Nodes do not belong to a cohort: whoever may use them is tried again, whatever tree it is in.
void Core::places_freed(const Reservation& held) {
  if (held.places.empty()) return;
  const auto shares = [&](const FlavorSpec& flavor) {
    return std::any_of(held.places.begin(), held.places.end(), [&](const TopologyUse& use) {
      if (use.flavor == flavor.name) return true;
      const topology::Tree* own = inventory_.tree(use.flavor);
      const topology::Tree* other = inventory_.tree(flavor.name);
      return own != nullptr && other != nullptr && own->by_host() && other->by_host();
    });
  };
  const ClusterQueue& from = queues_.at(held.queue);
  for (const auto& [name, id] : queue_names_) {
    const ClusterQueue& queue = queues_.at(id);
    if (queue.parked.empty() || !queue.node) continue;
    if (from.node && tree_.root(from.node) == tree_.root(queue.node)) continue;  // told anyway
    if (!uses_topology(queue, shares)) continue;
    request_move_back(id);
    wake(id);
  }
}

std::vector<TopologyUse> Core::places_of(const Entry& entry) const {
  std::vector<TopologyUse> uses;
  const Facts& facts = *workloads_.at(entry.workload).facts;
  for (std::size_t i = 0; i < entry.assignment.pod_sets.size(); ++i) {
    const PodSetResult& pods = entry.assignment.pod_sets[i];
    if (!pods.topology) continue;
    uses.push_back(
        {pods.topology_flavor, *pods.topology, pod_requests(*facts.pod_sets[i].shape->pod)});
  }
  return uses;
}

// A pod set that is placed only when the checks are ready has no place yet.
bool Core::awaits_places(const Workload& workload) const {
  if (!workload.held) return false;
  const std::vector<PodSetAssignment>& pod_sets = workload.held->admission->pod_sets;
  return std::any_of(pod_sets.begin(), pod_sets.end(), [](const PodSetAssignment& pods) {
    return pods.delayed == DelayedTopology::Pending && !pods.topology;
  });
}

// A tree that was built anew knows of no usage.
void Core::recharge_places() {
  if (!inventory_.take_rebuilt()) return;
  inventory_.clear_usage();
  workloads_.each([this](WorkloadId id, const Workload& seen) {
    if (!seen.held) return;
    auto held = std::make_shared<Reservation>(*seen.held);
    held->places = places_of(*seen.facts, *held->admission);
    workloads_.at(id).held = held;
    charge_places(held->places, 1);
  });
}

}  // namespace quorate::admission
