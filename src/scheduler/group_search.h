#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/scheduler/evaluation.h"
#include "src/scheduler/group_tree.h"

namespace quorate::scheduler {

// Looks for places for the minimum of every group of a tree, whatever choice of children, domains
// and nodes that takes.
//
// Depth first, each step going on with what is left to do: a sibling that finds no place sends the
// search back into the ones before it. Identical members go to nodes in one fixed order, and of
// nodes that look alike to the whole tree only the first untouched one is tried, so that no
// assignment is visited in two guises. One unit of work is one node looked at.
class GroupSearch {
 public:
  enum class Outcome { Found, Exhausted, BudgetEnded };

  GroupSearch(const TreePlanInput& input, std::int64_t budget);

  // The model is as before when it returns.
  Outcome run();
  std::int64_t work() const { return work_; }

  // After Found: (member, node), exactly what the minimum needs.
  const std::vector<std::pair<std::size_t, cluster::NodeId>>& places() const { return found_; }
  // After Found: the nodes among which the group was placed; empty if it was left out.
  std::span<const cluster::NodeId> chosen(std::size_t group) const { return found_in_[group]; }

 private:
  // What is left to do once a step has succeeded.
  using Rest = std::function<Outcome()>;
  // Members of a leaf that are alike, against the nodes of one domain.
  struct Shape {
    std::unique_ptr<Evaluation> evaluation;
    std::vector<std::size_t> members;
  };
  struct Leaf {
    std::span<const cluster::NodeId> nodes;
    std::vector<Shape> shapes;  // the largest first
    std::vector<std::int64_t> behind;
  };
  // One visit of a leaf.
  struct Visit {
    Leaf& leaf;
    std::vector<std::size_t> order;  // node indexes, the least room first
    std::vector<std::size_t> alike;  // by position in the order
    std::vector<std::int32_t> taken;
    std::vector<std::size_t> used;  // by shape
    const Rest& rest;
  };

  Outcome group(std::size_t index, std::span<const cluster::NodeId> nodes, const Rest& rest);
  Outcome children(std::size_t index, std::size_t next, std::int32_t missing,
                   std::span<const cluster::NodeId> nodes, const Rest& rest);
  Outcome leaf(std::size_t index, std::span<const cluster::NodeId> nodes, const Rest& rest);
  Outcome shape_at(Visit& visit, std::size_t depth, std::int64_t needed);
  Outcome member_at(Visit& visit, std::size_t depth, std::int64_t left, std::size_t from,
                    std::int64_t needed);
  Leaf& leaf_at(std::size_t index, std::span<const cluster::NodeId> nodes);
  void prepare(Visit& visit);
  const std::vector<Placement>& domains(std::size_t index, std::span<const cluster::NodeId> nodes);
  bool spent() const { return work_ > budget_; }
  std::int64_t copies(const Leaf& leaf, std::size_t shape, std::int64_t most);

  const TreePlanInput& input_;
  std::int64_t budget_;
  std::int64_t work_ = 0;
  bool comparable_ = true;
  bool linked_ = false;                   // where a member goes changes where others may go
  std::vector<std::uint32_t> resources_;  // that some member asks for
  std::vector<bool> satisfied_;           // by group: with what is scheduled already
  using Place = std::pair<std::size_t, const cluster::NodeId*>;  // a group, the nodes it is given
  std::map<Place, std::vector<Placement>> domains_;
  std::map<Place, std::unique_ptr<Leaf>> leaves_;
  std::vector<std::pair<std::size_t, cluster::NodeId>> places_, found_;
  std::vector<std::span<const cluster::NodeId>> chosen_, found_in_;
};

}  // namespace quorate::scheduler
