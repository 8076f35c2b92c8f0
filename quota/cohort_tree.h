#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quota/amount.h"
#include "quota/names.h"
#include "quota/resource_map.h"
#include "quota/spec.h"
#include "src/base/slot_map.h"
#include "src/base/transaction.h"

namespace quorate::quota {

using NodeId = Id<struct NodeTag>;

// How far up the tree an amount must reach, and whether a queue could get it back from others.
struct BorrowLevel {
  int level = 0;  // 0: within its own quota; else the height of the ancestor that covers it
  bool may_reclaim = false;

  friend bool operator==(BorrowLevel, BorrowLevel) = default;
};

// The ClusterQueues and Cohorts with their quotas, and the usage that flows between them.
//
// Figures are kept in flat columns, one cell per vertex and (flavor, resource), each knowing the
// cell above it, so that charging and asking cost the depth of the tree. All usage is written
// through the journal: a transaction of it undoes usage, never shape. Shape (queues, cohorts,
// quotas) changes outside transactions only and takes effect at the next settle().
//
// Vertices of a cycle among cohorts, and all below, belong to no tree: they have no root, and what
// they use stays with the queue until the cycle is gone.
class CohortTree {
 public:
  explicit CohortTree(Journal& journal) : journal_(&journal) {}
  CohortTree(const CohortTree& other, Journal& journal) : CohortTree(other) { journal_ = &journal; }

  // --- shape ---
  // Creates the queue or replaces its cohort and quotas; its usage stays.
  NodeId put_cluster_queue(const std::string& name, const std::string& cohort,
                           const std::vector<ResourceGroup>& groups, Names& names);
  // The queue with all that it uses.
  void remove_cluster_queue(const std::string& name);
  void put_cohort(const std::string& name, const std::string& parent,
                  const std::vector<ResourceGroup>& groups, Names& names);
  // A cohort that something still refers to lives on without quota and parent.
  void remove_cohort(const std::string& name);

  // Recomputes the trees whose shape changed from their queues' own usage. Returns the roots of
  // these trees; every queue in them counts one generation on.
  std::vector<NodeId> settle();
  bool settled() const { return dirty_.empty(); }

  NodeId cluster_queue(const std::string& name) const;
  NodeId cohort(const std::string& name) const;
  const std::string& name(NodeId node) const { return nodes_.at(node).name; }
  bool is_cluster_queue(NodeId node) const { return nodes_.at(node).is_queue; }
  bool has(NodeId node) const { return nodes_.find(node) != nullptr; }

  // A false id above a root. Of a vertex in or below a cycle: whatever its spec says.
  NodeId parent(NodeId node) const { return nodes_.at(node).parent; }
  bool in_cycle(NodeId node) const { return nodes_.at(node).in_cycle; }
  NodeId root(NodeId node) const { return nodes_.at(node).root; }  // as of the last settle()
  const std::vector<NodeId>& children(NodeId node) const { return nodes_.at(node).children; }
  int height(NodeId node) const { return nodes_.at(node).height; }

  // --- usage ---
  void charge(NodeId queue, FlavorResource fr, Quantity amount);
  void release(NodeId queue, FlavorResource fr, Quantity amount);

  // --- answers; a (flavor, resource) the vertex does not know has no quota and no usage ---
  Amount nominal(NodeId node, FlavorResource fr) const;
  Limit borrowing_limit(NodeId node, FlavorResource fr) const;
  Amount subtree_quota(NodeId node, FlavorResource fr) const;
  Amount local_quota(NodeId node, FlavorResource fr) const;
  Amount usage(NodeId node, FlavorResource fr) const;
  // Negative if usage is above quota. Decisions about a queue use or_zero() of it.
  Amount available(NodeId node, FlavorResource fr) const;
  // The most the vertex could use if nobody else used anything.
  Amount potential(NodeId node, FlavorResource fr) const;
  bool borrowing_with(NodeId node, FlavorResource fr, Amount extra) const;
  BorrowLevel level(NodeId queue, FlavorResource fr, Quantity amount) const;
  // Whose limit makes available() resp. potential() of `queue` as small as it is: the queue, or the
  // nearest ancestor that binds.
  NodeId limits_available(NodeId queue, FlavorResource fr) const;
  NodeId limits_potential(NodeId queue, FlavorResource fr) const;
  // All (flavor, resource) with a quota or usage in the subtree of the vertex.
  std::vector<FlavorResource> known(NodeId node) const;
  // The same with their figures, by the order of names' slots: visit(fr, usage, subtree quota).
  template <class Visit>
  void each(NodeId node, Visit visit) const {
    for (const auto& [fr, cell] : nodes_.at(node).cells)
      visit(fr, used(cell), cells_[cell].subtree);
  }

  // Counts what makes an old scan of flavors worth repeating from the start.
  std::int64_t generation(NodeId queue) const { return nodes_.at(queue).generation; }
  void count_generation(NodeId queue) { ++nodes_.at(queue).generation; }

  // True if both hold the same names, shape and amounts, however stored.
  bool same_as(const CohortTree& other) const;

 private:
  CohortTree(const CohortTree&) = default;

  using CellIndex = std::uint32_t;
  static constexpr CellIndex kNoCell = 0xffffffffu;

  struct OwnQuota {
    FlavorResource fr;
    Amount nominal;
    Limit borrowing, lending;
  };
  struct Node {
    std::string name;
    bool is_queue = false;
    bool exists = false;  // an object of that name was put (a cohort may be implicit)
    NodeId parent;
    std::vector<NodeId> children;
    std::vector<OwnQuota> own;
    std::vector<std::pair<FlavorResource, CellIndex>> cells;  // sorted
    NodeId root;
    bool in_cycle = false;
    bool dirty = false;
    int height = 0;
    std::int64_t generation = 0;
  };
  struct Cell {
    Amount nominal, subtree, local;
    Limit borrowing;
    CellIndex parent = kNoCell;
    NodeId node;
  };

  static std::vector<OwnQuota> read(const std::vector<ResourceGroup>& groups, Names& names);
  NodeId cohort_for(const std::string& name);
  void set_parent(NodeId node, NodeId parent);
  void drop_if_unused(NodeId cohort);
  void mark(NodeId node);

  NodeId find_root(NodeId node) const;  // false id: in or below a cycle
  void rebuild(NodeId root);
  void rebuild_node(NodeId id, NodeId root, bool in_cycle);
  CellIndex find_cell(NodeId node, FlavorResource fr) const;
  CellIndex ensure_cell(NodeId node, FlavorResource fr);
  CellIndex new_cell(NodeId node);
  void free_cell(CellIndex cell);

  Amount used(CellIndex cell) const { return Amount{usage_[cell]}; }
  Amount local_available(CellIndex cell) const {
    return (cells_[cell].local - used(cell)).or_zero();
  }
  Amount available_at(CellIndex cell) const;
  Amount potential_at(CellIndex cell) const;
  void charge_cell(CellIndex cell, Amount amount);
  // What the vertex may take from above, its own borrowing limit considered.
  Amount room_under_limit(CellIndex cell) const;

  Journal* journal_;
  SlotMap<NodeTag, Node> nodes_;
  std::map<std::string, NodeId, std::less<>> queues_;
  std::map<std::string, NodeId, std::less<>> cohorts_;
  std::vector<Cell> cells_;
  Column usage_;
  std::vector<CellIndex> free_cells_;
  std::vector<NodeId> dirty_;  // vertices whose tree must be recomputed; dead ones are skipped
};

}  // namespace quorate::quota
