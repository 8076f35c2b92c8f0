// Charging and releasing usage, and the questions about it.

#include <algorithm>

#include "quota/cohort_tree.h"

namespace quorate::quota {

NodeId CohortTree::cluster_queue(const std::string& name) const {
  const auto found = queues_.find(name);
  return found == queues_.end() ? NodeId{} : found->second;
}

NodeId CohortTree::cohort(const std::string& name) const {
  const auto found = cohorts_.find(name);
  return found == cohorts_.end() ? NodeId{} : found->second;
}

CohortTree::CellIndex CohortTree::find_cell(NodeId node, FlavorResource fr) const {
  const auto& cells = nodes_.at(node).cells;
  const auto at =
      std::lower_bound(cells.begin(), cells.end(), fr,
                       [](const auto& entry, FlavorResource k) { return entry.first < k; });
  return at != cells.end() && at->first == fr ? at->second : kNoCell;
}

// Usage of something without quota: a cell of zeros here and in every ancestor. New cells are zero
// and mean nothing by themselves, so their creation needs no undo.
CohortTree::CellIndex CohortTree::ensure_cell(NodeId id, FlavorResource fr) {
  if (const CellIndex found = find_cell(id, fr); found != kNoCell) return found;
  const NodeId parent = nodes_.at(id).in_cycle ? NodeId{} : nodes_.at(id).parent;
  const CellIndex above = parent ? ensure_cell(parent, fr) : kNoCell;
  const CellIndex cell = new_cell(id);
  cells_[cell].parent = above;
  auto& cells = nodes_.at(id).cells;
  cells.insert(
      std::lower_bound(cells.begin(), cells.end(), fr,
                       [](const auto& entry, FlavorResource k) { return entry.first < k; }),
      {fr, cell});
  return cell;
}

void CohortTree::charge(NodeId queue, FlavorResource fr, Quantity amount) {
  if (amount == Quantity{}) return;
  charge_cell(ensure_cell(queue, fr), amount);
}

// What no longer fits below bubbles up.
void CohortTree::charge_cell(CellIndex cell, Amount amount) {
  while (true) {
    const Amount room = local_available(cell);
    usage_.set(*journal_, cell, (used(cell) + amount).base_units());
    cell = cells_[cell].parent;
    if (amount <= room || cell == kNoCell) return;
    amount = amount - room;
  }
}

void CohortTree::release(NodeId queue, FlavorResource fr, Quantity quantity) {
  if (quantity == Quantity{}) return;
  Amount amount = quantity;
  CellIndex cell = ensure_cell(queue, fr);
  while (true) {
    const Amount bubbled = used(cell) - cells_[cell].local;
    usage_.set(*journal_, cell, (used(cell) - amount).base_units());
    cell = cells_[cell].parent;
    if (bubbled <= Amount{} || cell == kNoCell) return;
    amount = std::min(amount, bubbled);
  }
}

Amount CohortTree::nominal(NodeId node, FlavorResource fr) const {
  const CellIndex cell = find_cell(node, fr);
  return cell == kNoCell ? Amount{} : cells_[cell].nominal;
}

Limit CohortTree::borrowing_limit(NodeId node, FlavorResource fr) const {
  const CellIndex cell = find_cell(node, fr);
  return cell == kNoCell ? Limit{} : cells_[cell].borrowing;
}

Amount CohortTree::subtree_quota(NodeId node, FlavorResource fr) const {
  const CellIndex cell = find_cell(node, fr);
  return cell == kNoCell ? Amount{} : cells_[cell].subtree;
}

Amount CohortTree::local_quota(NodeId node, FlavorResource fr) const {
  const CellIndex cell = find_cell(node, fr);
  return cell == kNoCell ? Amount{} : cells_[cell].local;
}

Amount CohortTree::usage(NodeId node, FlavorResource fr) const {
  const CellIndex cell = find_cell(node, fr);
  return cell == kNoCell ? Amount{} : used(cell);
}

Amount CohortTree::room_under_limit(CellIndex index) const {
  const Cell& cell = cells_[index];
  return (cell.subtree - cell.local) - (used(index) - cell.local).or_zero() +
         Amount{*cell.borrowing.bound};
}

Amount CohortTree::available_at(CellIndex index) const {
  const Cell& cell = cells_[index];
  if (cell.parent == kNoCell) return cell.subtree - used(index);
  Amount above = available_at(cell.parent);
  if (cell.borrowing.bound) above = std::min(above, room_under_limit(index));
  return local_available(index) + above;
}

Amount CohortTree::potential_at(CellIndex index) const {
  const Cell& cell = cells_[index];
  if (cell.parent == kNoCell) return cell.subtree;
  const Amount most = cell.local + potential_at(cell.parent);
  if (!cell.borrowing.bound) return most;
  return std::min(most, cell.subtree + Amount{*cell.borrowing.bound});
}

Amount CohortTree::available(NodeId node, FlavorResource fr) const {
  if (const CellIndex cell = find_cell(node, fr); cell != kNoCell) return available_at(cell);
  const Node& vertex = nodes_.at(node);
  return vertex.parent && !vertex.in_cycle ? available(vertex.parent, fr) : Amount{};
}

Amount CohortTree::potential(NodeId node, FlavorResource fr) const {
  if (const CellIndex cell = find_cell(node, fr); cell != kNoCell) return potential_at(cell);
  const Node& vertex = nodes_.at(node);
  return vertex.parent && !vertex.in_cycle ? potential(vertex.parent, fr) : Amount{};
}

bool CohortTree::borrowing_with(NodeId node, FlavorResource fr, Amount extra) const {
  return subtree_quota(node, fr) < usage(node, fr) + extra;
}

BorrowLevel CohortTree::level(NodeId queue, FlavorResource fr, Quantity amount) const {
  const NodeId parent = nodes_.at(queue).parent;
  if (!parent || nodes_.at(queue).in_cycle) return {0, false};
  if (!borrowing_with(queue, fr, amount)) return {0, true};
  const auto local_room = [&](NodeId node) {
    return (local_quota(node, fr) - usage(node, fr)).or_zero();
  };
  Amount rest = Amount{amount} - local_room(queue);
  NodeId node = parent;
  while (true) {
    const Node& vertex = nodes_.at(node);
    if (!borrowing_with(node, fr, rest)) return {vertex.height, static_cast<bool>(vertex.parent)};
    if (!vertex.parent) return {vertex.height, false};
    rest = rest - local_room(node);
    node = vertex.parent;
  }
}

NodeId CohortTree::limits_available(NodeId queue, FlavorResource fr) const {
  CellIndex cell = find_cell(queue, fr);
  if (cell == kNoCell) return queue;
  while (cells_[cell].parent != kNoCell) {
    if (cells_[cell].borrowing.bound &&
        room_under_limit(cell) < available_at(cells_[cell].parent)) {
      break;
    }
    cell = cells_[cell].parent;
  }
  return cells_[cell].node;
}

NodeId CohortTree::limits_potential(NodeId queue, FlavorResource fr) const {
  CellIndex index = find_cell(queue, fr);
  if (index == kNoCell) return queue;
  while (cells_[index].parent != kNoCell) {
    const Cell& cell = cells_[index];
    if (cell.borrowing.bound &&
        cell.subtree + Amount{*cell.borrowing.bound} < cell.local + potential_at(cell.parent)) {
      break;
    }
    index = cell.parent;
  }
  return cells_[index].node;
}

std::vector<FlavorResource> CohortTree::known(NodeId node) const {
  std::vector<FlavorResource> all;
  for (const auto& [fr, cell] : nodes_.at(node).cells) all.push_back(fr);
  return all;
}

bool CohortTree::same_as(const CohortTree& other) const {
  const auto same = [&](const std::string& name, NodeId mine, NodeId theirs) {
    if (!theirs) return false;
    const Node& a = nodes_.at(mine);
    const Node& b = other.nodes_.at(theirs);
    const auto parent_name = [](const CohortTree& tree, const Node& node) {
      return node.parent ? tree.nodes_.at(node.parent).name : std::string();
    };
    if (a.name != name || b.name != name || parent_name(*this, a) != parent_name(other, b) ||
        a.in_cycle != b.in_cycle || a.height != b.height) {
      return false;
    }
    const auto all_equal = [&](const Node& vertex) {
      return std::all_of(vertex.cells.begin(), vertex.cells.end(), [&](const auto& entry) {
        const FlavorResource fr = entry.first;
        return nominal(mine, fr) == other.nominal(theirs, fr) &&
               subtree_quota(mine, fr) == other.subtree_quota(theirs, fr) &&
               local_quota(mine, fr) == other.local_quota(theirs, fr) &&
               usage(mine, fr) == other.usage(theirs, fr) &&
               available(mine, fr) == other.available(theirs, fr) &&
               potential(mine, fr) == other.potential(theirs, fr);
      });
    };
    return all_equal(a) && all_equal(b);
  };
  if (queues_.size() != other.queues_.size() || cohorts_.size() != other.cohorts_.size()) {
    return false;
  }
  return std::all_of(queues_.begin(), queues_.end(),
                     [&](const auto& entry) {
                       return same(entry.first, entry.second, other.cluster_queue(entry.first));
                     }) &&
         std::all_of(cohorts_.begin(), cohorts_.end(), [&](const auto& entry) {
           return same(entry.first, entry.second, other.cohort(entry.first));
         });
}

}  // namespace quorate::quota
