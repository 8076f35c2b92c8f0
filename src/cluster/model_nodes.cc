// The part of the model that nodes change.

#include <algorithm>

#include "src/base/check.h"
#include "src/cluster/model.h"

namespace quorate::cluster {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

std::uint64_t class_digest(const NodeSpec& spec) {
  Digest digest;
  for (const auto& [key, value] : spec.labels) {
    if (key != kHostname) digest.text(key).text(value);
  }
  for (const Taint& taint : spec.taints)
    digest.text(taint.key).text(taint.value).text(taint.effect);
  for (const auto& [name, amount] : spec.allocatable) digest.text(name).number(amount.base_units());
  return digest.number(spec.unschedulable ? 1 : 0).value();
}

bool same_labels_but_hostname(const Labels& a, const Labels& b) {
  auto in_a = a.begin();
  auto in_b = b.begin();
  for (;; ++in_a, ++in_b) {
    if (in_a != a.end() && in_a->first == kHostname) ++in_a;
    if (in_b != b.end() && in_b->first == kHostname) ++in_b;
    if (in_a == a.end() || in_b == b.end()) return in_a == a.end() && in_b == b.end();
    if (*in_a != *in_b) return false;
  }
}

bool same_class(const NodeSpec& a, const NodeSpec& b) {
  return a.unschedulable == b.unschedulable && a.taints == b.taints &&
         a.allocatable == b.allocatable && same_labels_but_hostname(a.labels, b.labels);
}

// First place in a list sorted by node name whose name is not less.
template <class List>
auto place(const SlotMap<NodeTag, Node>& nodes, List& list, std::string_view name) {
  return std::ranges::lower_bound(
      list, name, {}, [&](NodeId id) { return std::string_view(nodes.at(id).spec->name); });
}

template <class List>
NodeId find_in(const SlotMap<NodeTag, Node>& nodes, List& list, std::string_view name) {
  const auto at = place(nodes, list, name);
  return at != list.end() && nodes.at(*at).spec->name == name ? *at : NodeId{};
}

}  // namespace

NodeId Model::find_node(std::string_view name) const { return find_in(nodes_, by_name_, name); }

NodeId Model::node_or_placeholder(Journal& journal, std::string_view name) {
  if (const NodeId known = find_node(name)) return known;
  if (const NodeId there = find_in(nodes_, placeholders_, name)) return there;
  check(!journal.recording(), "a placeholder node made inside a transaction");
  return insert_placeholder(name);
}

NodeId Model::insert_placeholder(std::string_view name) {
  auto spec = std::make_shared<NodeSpec>();
  spec->name = name;
  const NodeId id = nodes_.insert(Node{std::move(spec)});
  usage_.grow(resources_.size(), nodes_.slots());
  placeholders_.insert(place(nodes_, placeholders_, name), id);
  return id;
}

void Model::drop_if_empty(NodeId id) {
  const Node* node = nodes_.find(id);
  if (node == nullptr || node->known || used(id, kPods) != 0) return;
  placeholders_.erase(place(nodes_, placeholders_, node->spec->name));
  nodes_.erase(id);
}

void Model::join_class(Node& node) {
  const std::uint64_t digest = class_digest(*node.spec);
  const auto [first, last] = classes_by_digest_.equal_range(digest);
  for (auto at = first; at != last; ++at) {
    NodeClass& candidate = classes_.at(at->second);
    if (!same_class(*candidate.sample, *node.spec)) continue;
    ++candidate.members;
    node.node_class = at->second;
    return;
  }
  node.node_class = classes_.insert({node.spec, 1});
  classes_by_digest_.emplace(digest, node.node_class);
}

void Model::leave_class(Node& node) {
  NodeClass& left = classes_.at(node.node_class);
  if (--left.members == 0) {
    const auto [first, last] = classes_by_digest_.equal_range(class_digest(*left.sample));
    for (auto at = first; at != last; ++at) {
      if (at->second != node.node_class) continue;
      classes_by_digest_.erase(at);
      break;
    }
    classes_.erase(node.node_class);
  }
  node.node_class = {};
}

NodeChange Model::apply(Journal& journal, NodeSpec spec) {
  check(!journal.recording(), "a node event inside a transaction");
  NodeChange change;
  NodeId id = find_node(spec.name);
  if (!id) {
    id = find_in(nodes_, placeholders_, spec.name);
    if (!id) id = insert_placeholder(spec.name);
    placeholders_.erase(place(nodes_, placeholders_, spec.name));
    by_name_.insert(place(nodes_, by_name_, spec.name), id);
  } else {
    change.before = nodes_.at(id).spec;
    if (*change.before == spec) return {id, change.before, change.before};
  }
  ++nodes_version_;
  Node& node = nodes_.at(id);
  if (node.known) leave_class(node);
  for (const auto& [name, amount] : node.spec->allocatable) {
    usage_.set_allocatable(journal, id.slot, resources_.find(name).slot, 0);
  }
  node.spec = std::make_shared<const NodeSpec>(std::move(spec));
  node.known = true;
  join_class(node);
  for (const auto& [name, amount] : node.spec->allocatable) {
    const ResourceId resource = resources_.intern(name);
    usage_.grow(resources_.size(), nodes_.slots());
    usage_.set_allocatable(journal, id.slot, resource.slot, amount.or_zero().base_units());
  }
  change.id = id;
  change.after = node.spec;
  return change;
}

NodeChange Model::node_gone(Journal& journal, std::string_view name) {
  check(!journal.recording(), "a node event inside a transaction");
  const NodeId id = find_node(name);
  if (!id) return {};
  Node& node = nodes_.at(id);
  ++nodes_version_;
  NodeChange change{id, node.spec, nullptr};
  for (const auto& [resource, amount] : node.spec->allocatable) {
    usage_.set_allocatable(journal, id.slot, resources_.find(resource).slot, 0);
  }
  leave_class(node);
  by_name_.erase(place(nodes_, by_name_, name));
  placeholders_.insert(place(nodes_, placeholders_, name), id);
  auto bare = std::make_shared<NodeSpec>();
  bare->name = name;
  node.spec = std::move(bare);
  node.known = false;
  drop_if_empty(id);
  return change;
}

void Model::apply_namespace(std::string_view name, Labels labels) {
  const auto known = namespaces_.find(name);
  if (known != namespaces_.end() && known->second == labels) return;
  namespaces_.insert_or_assign(std::string(name), std::move(labels));
  ++nodes_version_;
}

void Model::namespace_gone(std::string_view name) {
  const auto known = namespaces_.find(name);
  if (known == namespaces_.end()) return;
  namespaces_.erase(known);
  ++nodes_version_;
}

const Labels* Model::namespace_labels(std::string_view name) const {
  const auto known = namespaces_.find(name);
  return known == namespaces_.end() ? nullptr : &known->second;
}

}  // namespace quorate::cluster
