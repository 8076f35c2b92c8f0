// Queues and cohorts coming, going and changing; recomputing what hangs on them.

#include <algorithm>
#include <utility>

#include "quota/cohort_tree.h"

namespace quorate::quota {

std::vector<CohortTree::OwnQuota> CohortTree::read(const std::vector<ResourceGroup>& groups,
                                                   Names& names) {
  std::vector<OwnQuota> own;
  for (const ResourceGroup& group : groups) {
    for (const FlavorQuotas& flavor : group.flavors) {
      for (const ResourceQuota& quota : flavor.resources) {
        const bool cpu = quota.resource == "cpu";
        Limit borrowing = quota.borrowing_limit;
        if (borrowing.bound && quota_amount(cpu, *borrowing.bound).is_unlimited()) borrowing = {};
        own.push_back({names.pair(flavor.flavor, quota.resource), quota_amount(cpu, quota.nominal),
                       borrowing, quota.lending_limit});
      }
    }
  }
  return own;
}

void CohortTree::mark(NodeId node) {
  if (std::exchange(nodes_.at(node).dirty, true)) return;
  dirty_.push_back(node);
}

NodeId CohortTree::cohort_for(const std::string& name) {
  if (name.empty()) return {};
  if (const auto found = cohorts_.find(name); found != cohorts_.end()) return found->second;
  Node node;
  node.name = name;
  const NodeId id = nodes_.insert(std::move(node));
  cohorts_.emplace(name, id);
  return id;
}

void CohortTree::set_parent(NodeId id, NodeId parent) {
  Node& node = nodes_.at(id);
  if (node.parent == parent) return;
  const NodeId old = node.parent;
  node.parent = parent;
  if (parent) nodes_.at(parent).children.push_back(id);
  if (old) {
    std::vector<NodeId>& siblings = nodes_.at(old).children;
    siblings.erase(std::find(siblings.begin(), siblings.end(), id));
    mark(old);
    drop_if_unused(old);
  }
}

// An implicit cohort lives as long as something refers to it.
void CohortTree::drop_if_unused(NodeId id) {
  const Node& node = nodes_.at(id);
  if (node.exists || !node.children.empty() || node.is_queue) return;
  check(!node.parent, "an implicit cohort has no parent");
  for (const auto& [fr, cell] : node.cells) free_cell(cell);
  cohorts_.erase(node.name);
  nodes_.erase(id);
}

NodeId CohortTree::put_cluster_queue(const std::string& name, const std::string& cohort,
                                     const std::vector<ResourceGroup>& groups, Names& names) {
  check(!journal_->recording(), "the shape of the tree changes inside a transaction");
  NodeId id = cluster_queue(name);
  if (!id) {
    Node node;
    node.name = name;
    node.is_queue = true;
    node.exists = true;
    id = nodes_.insert(std::move(node));
    queues_.emplace(name, id);
  }
  nodes_.at(id).own = read(groups, names);
  set_parent(id, cohort_for(cohort));
  mark(id);
  return id;
}

void CohortTree::remove_cluster_queue(const std::string& name) {
  check(!journal_->recording(), "the shape of the tree changes inside a transaction");
  const NodeId id = cluster_queue(name);
  if (!id) return;
  set_parent(id, {});
  for (const auto& [fr, cell] : nodes_.at(id).cells) free_cell(cell);
  queues_.erase(name);
  nodes_.erase(id);
}

void CohortTree::put_cohort(const std::string& name, const std::string& parent,
                            const std::vector<ResourceGroup>& groups, Names& names) {
  check(!journal_->recording(), "the shape of the tree changes inside a transaction");
  const NodeId id = cohort_for(name);
  nodes_.at(id).exists = true;
  nodes_.at(id).own = read(groups, names);
  set_parent(id, cohort_for(parent));
  mark(id);
}

void CohortTree::remove_cohort(const std::string& name) {
  check(!journal_->recording(), "the shape of the tree changes inside a transaction");
  const NodeId id = cohort(name);
  if (!id) return;
  nodes_.at(id).exists = false;
  nodes_.at(id).own.clear();
  set_parent(id, {});
  if (!has(id)) return;  // it was its own parent
  mark(id);
  drop_if_unused(id);
}

NodeId CohortTree::find_root(NodeId node) const {
  // A path longer than there are cohorts, and the queue, goes round in circles.
  std::size_t steps = 0;
  while (nodes_.at(node).parent) {
    node = nodes_.at(node).parent;
    if (++steps > cohorts_.size() + 1) return {};
  }
  return node;
}

std::vector<NodeId> CohortTree::settle() {
  if (dirty_.empty()) return {};
  check(!journal_->recording(), "the shape of the tree changes inside a transaction");
  std::vector<NodeId> dirty;
  dirty.swap(dirty_);

  std::vector<NodeId> roots;
  std::vector<bool> done(nodes_.slots(), false);  // roots, or vertices of a cycle
  for (const NodeId id : dirty) {
    if (!has(id)) continue;
    nodes_.at(id).dirty = false;
    if (const NodeId root = find_root(id); root) {
      if (!done[root.slot]) {
        done[root.slot] = true;
        roots.push_back(root);
        rebuild(root);
      }
      continue;
    }
    // The subtree of every vertex of the cycle is cut off; walk down from each of them.
    std::vector<NodeId> stack{id};
    for (NodeId up = nodes_.at(id).parent; !done[up.slot]; up = nodes_.at(up).parent) {
      done[up.slot] = true;
      stack.push_back(up);
    }
    std::vector<bool> visited(nodes_.slots(), false);
    while (!stack.empty()) {
      const NodeId next = stack.back();
      stack.pop_back();
      if (visited[next.slot]) continue;
      visited[next.slot] = true;
      for (const NodeId child : nodes_.at(next).children) stack.push_back(child);
      rebuild_node(next, {}, true);
    }
  }
  return roots;
}

void CohortTree::rebuild(NodeId root) {
  // Children before parents: a list in which every vertex stands behind its parent, read backwards.
  std::vector<NodeId> order{root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const NodeId child : nodes_.at(order[i]).children) order.push_back(child);
  }
  for (auto id = order.rbegin(); id != order.rend(); ++id) rebuild_node(*id, root, false);
}

void CohortTree::rebuild_node(NodeId id, NodeId root, bool in_cycle) {
  Node& node = nodes_.at(id);
  node.root = root;
  node.in_cycle = in_cycle;
  ++node.generation;
  node.height = 0;

  // What the vertex has to know: its own quota, the usage of a queue, everything below a cohort.
  std::vector<std::pair<FlavorResource, std::int64_t>> known;
  for (const OwnQuota& own : node.own) known.push_back({own.fr, 0});
  for (const auto& [fr, cell] : node.cells) {
    if (node.is_queue && usage_[cell] != 0) known.push_back({fr, usage_[cell]});
    free_cell(cell);
  }
  node.cells.clear();
  if (!in_cycle) {
    for (const NodeId child : node.children) {
      const Node& below = nodes_.at(child);
      if (!node.is_queue) node.height = std::max(node.height, below.height + 1);
      for (const auto& [fr, cell] : below.cells) known.push_back({fr, 0});
    }
  }
  std::sort(known.begin(), known.end());
  for (const auto& [fr, used] : known) {
    if (!node.cells.empty() && node.cells.back().first == fr) {
      // The usage sorts behind the zero of the quota.
      usage_.set(*journal_, node.cells.back().second,
                 (Amount{usage_[node.cells.back().second]} + Amount{used}).base_units());
      continue;
    }
    const CellIndex cell = new_cell(id);
    usage_.set(*journal_, cell, used);
    node.cells.push_back({fr, cell});
  }

  std::vector<Limit> lending(node.cells.size());
  for (const OwnQuota& own : node.own) {
    const CellIndex index = find_cell(id, own.fr);
    Cell& cell = cells_[index];
    cell.nominal = own.nominal;
    cell.borrowing = own.borrowing;
    cell.subtree = own.nominal;
    for (std::size_t i = 0; i < node.cells.size(); ++i) {
      if (node.cells[i].second == index) lending[i] = own.lending;
    }
  }
  if (!in_cycle) {
    for (const NodeId child : node.children) {
      for (const auto& [fr, below_index] : nodes_.at(child).cells) {
        const CellIndex index = find_cell(id, fr);
        Cell& below = cells_[below_index];
        Cell& cell = cells_[index];
        below.parent = index;
        cell.subtree = cell.subtree + (below.subtree - below.local);
        usage_.set(*journal_, index,
                   (used(index) + (used(below_index) - below.local).or_zero()).base_units());
      }
    }
  }
  for (std::size_t i = 0; i < node.cells.size(); ++i) {
    Cell& cell = cells_[node.cells[i].second];
    if (lending[i].bound) cell.local = (cell.subtree - Amount{*lending[i].bound}).or_zero();
  }
}

CohortTree::CellIndex CohortTree::new_cell(NodeId node) {
  CellIndex index = kNoCell;
  if (!free_cells_.empty()) {
    index = free_cells_.back();
    free_cells_.pop_back();
  } else {
    index = static_cast<CellIndex>(cells_.size());
    cells_.push_back({});
    usage_.grow(cells_.size());
  }
  cells_[index] = Cell{};
  cells_[index].node = node;
  return index;
}

// Free cells hold zero, so that one taken inside a transaction needs no undo.
void CohortTree::free_cell(CellIndex cell) {
  usage_.set(*journal_, cell, 0);
  free_cells_.push_back(cell);
}

}  // namespace quorate::quota
