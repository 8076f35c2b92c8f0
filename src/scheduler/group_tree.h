#pragma once

// A tree of groups as one cycle sees it: composites above, PodGroups with their members at the
// leaves. A PodGroup of its own is a tree of one.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/base/object_key.h"
#include "src/scheduler/group_plan.h"
#include "src/scheduler/status.h"

namespace quorate::scheduler {

inline constexpr std::size_t kNoParent = std::numeric_limits<std::size_t>::max();

struct GroupNode {
  ObjectKey key;
  bool composite = false;
  // Of a leaf its minCount, of a composite its minGroupCount; 1 with policy basic.
  std::int32_t required = 1;
  std::string topology_key;
  std::size_t parent = kNoParent;
  std::vector<std::size_t> children;  // in the order of their creation, then by name

  // Leaves. Members [first, last) of the tree's pods want a place.
  std::int32_t scheduled = 0;
  std::size_t first = 0, last = 0;

  // Where members below this group are already.
  std::vector<cluster::NodeId> nodes;

  // How many members or children still have to be placed; a satisfied group needs none.
  std::int32_t missing(std::int32_t have) const { return have < required ? required - have : 0; }
};

// Parents come before their children; [0] is the root.
struct GroupTree {
  std::vector<GroupNode> groups;

  const GroupNode& root() const { return groups.front(); }
  bool single() const { return groups.size() == 1; }

  // True if the group has its minimum when leaf i has have[i] members placed.
  bool satisfied(std::size_t group, const std::vector<std::int32_t>& have) const;
};

struct TreePlanInput {
  const Framework& framework;
  cluster::Model& model;
  Journal& journal;
  const GroupTree& tree;
  std::vector<PodView> pods;  // of all leaves, by leaf in cycle order
  std::vector<cluster::NodeId> promised;
  std::int64_t search_budget = 0;
  EvaluationCache* evaluations = nullptr;
};

// The answer for a whole tree. Members are those of the input.
struct TreePlan {
  GroupPlan::Outcome outcome = GroupPlan::Outcome::Impossible;
  std::vector<GroupPlan::Member> members;
  std::vector<std::string> fit_errors;
  std::uint64_t rejectors = 0;
  std::string proof;  // of Impossible and BudgetEnded
  std::string error;  // the plan cannot be made at all; nothing else is set then
  std::int64_t work = 0;

  // What the root's first placement came to, in kube-scheduler's counts: members of a leaf,
  // children of a composite.
  std::size_t placements = 0;  // that the root had; 0: no node has its topology key
  std::int32_t scheduled = 0;
  std::int32_t remaining = 0;

  std::int32_t placed() const;
};

// Plans the groups of a tree together: each with its minimum and within one value of its topology
// key, as many of them as its parent needs, and then whatever fits besides; or nothing. The model
// is as before when it returns.
//
// In steps, each only if the one before left the root without its minimum:
// 1. plain attempt, kube-scheduler's algorithm: placements of the root; inside of each its children
//    in their order, each in the best of its own placements, seeing those before it;
// 2. bound: children that have no place even alone, more than the root can do without;
// 3. search with backtracking over children, domains and nodes (group_search.h), complete within
//    the budget of work units.
TreePlan plan_tree(const TreePlanInput& input);

// The placements that the group may choose from among `nodes`, in the order to try them; the whole
// of `nodes` if nothing constrains it.
std::vector<Placement> placements_of(const TreePlanInput& input, std::size_t group,
                                     std::span<const cluster::NodeId> nodes, Status& status);

}  // namespace quorate::scheduler
