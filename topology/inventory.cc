#include "topology/inventory.h"

namespace quorate::topology {
namespace {

// A pod that takes room which no topology workload accounts for.
bool is_foreign(const cluster::PodSpec& pod) {
  return !pod.node.empty() && !pod.finished() && !by_topology(pod);
}

ResourceList room_of(const cluster::PodSpec& pod) {
  ResourceList room = pod.requests;
  room["pods"] = Quantity{1};
  return room;
}

}  // namespace

bool by_topology(const cluster::PodSpec& pod) {
  for (const char* key :
       {"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology",
        "kueue.x-k8s.io/podset-unconstrained-topology"}) {
    if (pod.spec->annotations.contains(key)) return true;
  }
  return false;
}

void Inventory::set_model(const cluster::Model* model) {
  model_ = model;
  for (auto& [name, flavor] : flavors_) build(flavor);
}

void Inventory::put_topology(const std::string& name, std::vector<std::string> levels) {
  if (levels.empty()) return remove_topology(name);
  const auto known = topologies_.find(name);
  if (known != topologies_.end() && known->second == levels) return;
  topologies_[name] = std::move(levels);
  for (auto& [key, flavor] : flavors_) {
    if (flavor.topology == name) build(flavor);
  }
}

void Inventory::remove_topology(const std::string& name) {
  if (topologies_.erase(name) == 0) return;
  for (auto& [key, flavor] : flavors_) {
    if (flavor.topology == name) build(flavor);
  }
}

void Inventory::put_flavor(const std::string& name, const std::string& topology,
                           const Labels& node_labels) {
  if (topology.empty()) return remove_flavor(name);
  Flavor& flavor = flavors_[name];
  if (flavor.topology == topology && flavor.node_labels == node_labels) return;
  flavor.topology = topology;
  flavor.node_labels = node_labels;
  build(flavor);
}

void Inventory::remove_flavor(const std::string& name) {
  if (flavors_.erase(name) > 0) rebuilt_ = true;
}

void Inventory::build(Flavor& flavor) {
  rebuilt_ = true;
  flavor.tree.reset();
  const auto levels = topologies_.find(flavor.topology);
  if (levels == topologies_.end()) return;
  flavor.tree = std::make_unique<Tree>(flavor.topology, levels->second, flavor.node_labels);
  if (model_ == nullptr) return;
  for (const cluster::NodeId id : model_->nodes()) {
    const cluster::Node& node = model_->node(id);
    if (!flavor.tree->takes_part(*node.spec)) continue;
    flavor.tree->put_node(node.spec, node.node_class.slot, foreign_on(id));
  }
  flavor.tree->settle();
}

ResourceList Inventory::foreign_on(cluster::NodeId id) const {
  ResourceList sum;
  const cluster::Node& node = model_->node(id);
  for (const cluster::PodId pod : node.pods) {
    const cluster::PodSpec& spec = model_->pod(pod).info->spec;
    if (!is_foreign(spec) || spec.node != node.spec->name) continue;
    for (const auto& [resource, amount] : room_of(spec)) sum[resource] += amount;
  }
  return sum;
}

void Inventory::observe(const cluster::NodeChange& change) {
  if (model_ == nullptr || change.before == change.after) return;
  for (auto& [name, flavor] : flavors_) {
    if (!flavor.tree) continue;
    if (!change.after) {
      flavor.tree->remove_node(change.before->name);
    } else if (flavor.tree->takes_part(*change.after)) {
      const cluster::Node& node = model_->node(change.id);
      flavor.tree->put_node(node.spec, node.node_class.slot, foreign_on(change.id));
    } else {
      flavor.tree->remove_node(change.after->name);
    }
  }
}

void Inventory::observe(const cluster::PodChange& change) {
  if (model_ == nullptr || change.ignored) return;
  if (change.replaced_pod) count_pod(*change.replaced_pod, -1);
  if (change.before) count_pod(*change.before, -1);
  if (change.after) count_pod(*change.after, 1);
}

void Inventory::count_pod(const cluster::PodInfo& pod, std::int64_t sign) {
  if (!is_foreign(pod.spec)) return;
  for (auto& [name, flavor] : flavors_) {
    if (flavor.tree && flavor.tree->has_node(pod.spec.node)) {
      flavor.tree->add_foreign(pod.spec.node, room_of(pod.spec), sign);
    }
  }
}

Tree* Inventory::tree(std::string_view flavor) {
  const auto found = flavors_.find(flavor);
  return found == flavors_.end() ? nullptr : found->second.tree.get();
}

const Tree* Inventory::tree(std::string_view flavor) const {
  const auto found = flavors_.find(flavor);
  return found == flavors_.end() ? nullptr : found->second.tree.get();
}

bool Inventory::take_rebuilt() { return std::exchange(rebuilt_, false); }

void Inventory::clear_usage() {
  for (auto& [name, flavor] : flavors_) {
    if (flavor.tree) flavor.tree->clear_usage();
  }
}

void Inventory::charge(Journal& journal, std::string_view flavor, const Assignment& assignment,
                       const ResourceList& pod, std::int64_t sign) {
  const auto charge_to = [&](Tree& tree) {
    if (assignment.levels != tree.assignment_levels()) return;
    const Amounts amounts = tree.amounts(pod);
    for (const Assignment::Domain& domain : assignment.domains) {
      tree.charge(journal, domain.values, amounts, domain.count * sign);
    }
  };
  if (!shared_hosts_ || assignment.levels != std::vector<std::string>{kHostname}) {
    if (Tree* own = tree(flavor); own != nullptr) charge_to(*own);
    return;
  }
  for (auto& [name, other] : flavors_) {
    if (other.tree) charge_to(*other.tree);
  }
}

}  // namespace quorate::topology
