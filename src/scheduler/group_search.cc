#include "src/scheduler/group_search.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "src/scheduler/framework.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;

bool scored_only(std::uint32_t resource) {
  return resource == cluster::kScoredCpu || resource == cluster::kScoredMemory;
}

std::int64_t per_mille(std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part <= 0) return 0;
  return (Quantity{part} * 1000).base_units() / whole;
}

// One level of recursion per member.
constexpr std::int64_t kDeepest = 2000;

}  // namespace

GroupSearch::GroupSearch(const TreePlanInput& input, std::int64_t budget)
    : input_(input), budget_(budget) {
  for (const PodView& pod : input.pods) {
    for (const cluster::Charge& charge : pod.demand->charges) {
      if (!scored_only(charge.resource)) resources_.push_back(charge.resource);
    }
  }
  // Nodes that are alike to one group may be told apart by a sibling: all members are asked.
  std::vector<const PodView*> seen;
  for (const PodView& pod : input.pods) {
    comparable_ &= pod.demand->ports.empty();
    if (std::ranges::any_of(
            seen, [&](const PodView* one) { return same_shape(input.model, *one, pod); })) {
      continue;
    }
    seen.push_back(&pod);
    const Evaluation alone(input.framework, input.model, pod, {});
    comparable_ &= alone.same_within_class();
    linked_ |= alone.linked();
  }
  std::ranges::sort(resources_);
  resources_.erase(std::unique(resources_.begin(), resources_.end()), resources_.end());
  const std::vector<GroupNode>& groups = input.tree.groups;
  std::vector<std::int32_t> have;
  for (const GroupNode& group : groups) {
    have.push_back(group.scheduled);
    // Nodes of one class differ in this label only.
    comparable_ &= group.topology_key != "kubernetes.io/hostname";
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    satisfied_.push_back(input.tree.satisfied(i, have));
  }
  chosen_.resize(groups.size());
}

GroupSearch::Outcome GroupSearch::run() {
  std::int64_t needed = 0;
  for (const GroupNode& group : input_.tree.groups) {
    if (!group.composite) needed += group.missing(group.scheduled);
  }
  if (needed > kDeepest) return Outcome::BudgetEnded;
  const Transaction trial(input_.journal);
  const Outcome outcome = group(0, input_.model.nodes(), [this] {
    found_ = places_;
    found_in_ = chosen_;
    return Outcome::Found;
  });
  // Not every order of the members was tried, and here it may matter.
  return linked_ && outcome == Outcome::Exhausted ? Outcome::BudgetEnded : outcome;
}

const std::vector<Placement>& GroupSearch::domains(std::size_t index,
                                                   std::span<const NodeId> nodes) {
  const auto [at, is_new] = domains_.try_emplace(Place{index, nodes.data()});
  if (is_new) {
    Status status;
    at->second = placements_of(input_, index, nodes, status);
    work_ += static_cast<std::int64_t>(nodes.size());
  }
  return at->second;
}

// Places the group with its minimum in one of its domains, then goes on.
GroupSearch::Outcome GroupSearch::group(std::size_t index, std::span<const NodeId> nodes,
                                        const Rest& rest) {
  const GroupNode& group = input_.tree.groups[index];
  Outcome outcome = Outcome::Exhausted;
  for (const Placement& placement : domains(index, nodes)) {
    if (spent()) return Outcome::BudgetEnded;
    const std::span<const NodeId> before = std::exchange(chosen_[index], placement.nodes);
    if (group.composite) {
      std::int32_t have = 0;
      for (const std::size_t child : group.children) have += satisfied_[child] ? 1 : 0;
      outcome = children(index, 0, group.missing(have), placement.nodes, rest);
    } else {
      outcome = leaf(index, placement.nodes, rest);
    }
    chosen_[index] = before;
    if (outcome != Outcome::Exhausted) return outcome;
  }
  return Outcome::Exhausted;
}

// Decides for the children from `next` on which of them take part; `missing` of them have to.
GroupSearch::Outcome GroupSearch::children(std::size_t index, std::size_t next,
                                           std::int32_t missing, std::span<const NodeId> nodes,
                                           const Rest& rest) {
  if (missing == 0) return rest();
  const std::vector<std::size_t>& all = input_.tree.groups[index].children;
  std::int32_t open = 0;
  for (std::size_t i = next; i < all.size(); ++i) open += satisfied_[all[i]] ? 0 : 1;
  for (std::size_t i = next; i < all.size() && open >= missing; ++i) {
    if (satisfied_[all[i]]) continue;
    const Outcome outcome =
        group(all[i], nodes, [&, i] { return children(index, i + 1, missing - 1, nodes, rest); });
    if (outcome != Outcome::Exhausted) return outcome;
    --open;  // done without it
  }
  return Outcome::Exhausted;
}

GroupSearch::Leaf& GroupSearch::leaf_at(std::size_t index, std::span<const NodeId> nodes) {
  std::unique_ptr<Leaf>& kept = leaves_[Place{index, nodes.data()}];
  if (kept != nullptr) {
    for (Shape& shape : kept->shapes) shape.evaluation->catch_up();
    return *kept;
  }
  kept = std::make_unique<Leaf>();
  kept->nodes = nodes;
  const GroupNode& group = input_.tree.groups[index];
  for (std::size_t member = group.first; member < group.last; ++member) {
    const PodView& pod = input_.pods[member];
    auto shape = std::ranges::find_if(kept->shapes, [&](const Shape& s) {
      return same_shape(input_.model, s.evaluation->pod(), pod);
    });
    if (shape == kept->shapes.end()) {
      kept->shapes.push_back(
          {std::make_unique<Evaluation>(input_.framework, input_.model, pod, nodes), {}});
      shape = std::prev(kept->shapes.end());
      work_ += static_cast<std::int64_t>(nodes.size());
    }
    shape->members.push_back(member);
  }
  std::map<std::uint32_t, std::int64_t> most;  // by resource: the roomiest node
  for (const std::uint32_t resource : resources_) {
    for (const NodeId node : nodes) {
      most[resource] = std::max(most[resource], input_.model.allocatable(node, resource));
    }
  }
  std::ranges::stable_sort(kept->shapes, std::greater<>{}, [&](const Shape& shape) {
    std::int64_t size = 0;
    for (const cluster::Charge& charge : shape.evaluation->pod().demand->charges) {
      if (scored_only(charge.resource)) continue;
      size = std::max(size, per_mille(charge.amount, most[charge.resource]));
    }
    return size;
  });
  kept->behind.assign(kept->shapes.size() + 1, 0);
  for (std::size_t d = kept->shapes.size(); d-- > 0;) {
    kept->behind[d] =
        kept->behind[d + 1] + static_cast<std::int64_t>(kept->shapes[d].members.size());
  }
  return *kept;
}

// The order of the nodes and which of them look alike, as things stand.
void GroupSearch::prepare(Visit& visit) {
  const Leaf& leaf = visit.leaf;
  std::vector<std::pair<std::int64_t, std::size_t>> rooms;
  for (std::size_t i = 0; i < leaf.nodes.size(); ++i) {
    const bool of_use = std::ranges::any_of(
        leaf.shapes, [&](const Shape& shape) { return shape.evaluation->feasible(i); });
    if (!of_use) continue;
    std::int64_t room = 0;
    for (const std::uint32_t resource : resources_) {
      if (resource == cluster::kPods) continue;
      room += per_mille(input_.model.free(leaf.nodes[i], resource),
                        input_.model.allocatable(leaf.nodes[i], resource));
    }
    rooms.emplace_back(room, i);  // equal room: the earlier name
  }
  work_ += static_cast<std::int64_t>(leaf.nodes.size());
  std::ranges::sort(rooms);
  for (const auto& room : rooms) visit.order.push_back(room.second);
  visit.taken.assign(visit.order.size(), 0);
  visit.used.assign(leaf.shapes.size(), 0);
  visit.alike.resize(visit.order.size());
  std::iota(visit.alike.begin(), visit.alike.end(), std::size_t{0});
  if (!comparable_) return;
  std::map<std::tuple<std::uint32_t, std::vector<std::int64_t>>, std::size_t> groups;
  for (std::size_t p = 0; p < visit.order.size(); ++p) {
    const NodeId id = leaf.nodes[visit.order[p]];
    std::vector<std::int64_t> used;
    for (const std::uint32_t resource : resources_) used.push_back(input_.model.used(id, resource));
    const std::tuple key(input_.model.node(id).node_class.slot, std::move(used));
    visit.alike[p] = groups.try_emplace(key, p).first->second;
  }
}

GroupSearch::Outcome GroupSearch::leaf(std::size_t index, std::span<const NodeId> nodes,
                                       const Rest& rest) {
  const GroupNode& group = input_.tree.groups[index];
  const std::int64_t needed = group.missing(group.scheduled);
  if (needed == 0) return rest();
  if (static_cast<std::int64_t>(group.last - group.first) < needed) return Outcome::Exhausted;
  Visit visit{leaf_at(index, nodes), {}, {}, {}, {}, rest};
  prepare(visit);
  return shape_at(visit, 0, needed);
}

std::int64_t GroupSearch::copies(const Leaf& leaf, std::size_t shape, std::int64_t most) {
  const Evaluation& evaluation = *leaf.shapes[shape].evaluation;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < leaf.nodes.size() && sum < most; ++i) {
    sum += evaluation.copies(i, most - sum);
  }
  work_ += static_cast<std::int64_t>(leaf.nodes.size());
  return sum;
}

// Decides how many members of the shape at this depth take part, the fewest first, as smaller
// members are easier to place.
GroupSearch::Outcome GroupSearch::shape_at(Visit& visit, std::size_t depth, std::int64_t needed) {
  if (needed == 0) return visit.rest();
  if (spent()) return Outcome::BudgetEnded;
  const Leaf& leaf = visit.leaf;
  if (depth == leaf.shapes.size()) return Outcome::Exhausted;
  // What the shapes from here on can place at most, each on its own.
  std::int64_t possible = 0;
  std::int64_t here = 0;
  for (std::size_t d = depth; d < leaf.shapes.size(); ++d) {
    const auto members = static_cast<std::int64_t>(leaf.shapes[d].members.size());
    const std::int64_t fit = copies(leaf, d, members);
    if (d == depth) here = fit;
    possible += fit;
  }
  if (possible < needed) return Outcome::Exhausted;
  const std::int64_t fewest = std::max<std::int64_t>(0, needed - leaf.behind[depth + 1]);
  for (std::int64_t take_part = fewest; take_part <= std::min(here, needed); ++take_part) {
    const Outcome outcome = member_at(visit, depth, take_part, 0, needed);
    if (outcome != Outcome::Exhausted) return outcome;
  }
  return Outcome::Exhausted;
}

// Places `left` more members of the shape on nodes from position `from` on.
GroupSearch::Outcome GroupSearch::member_at(Visit& visit, std::size_t depth, std::int64_t left,
                                            std::size_t from, std::int64_t needed) {
  if (left == 0) return shape_at(visit, depth + 1, needed);
  Leaf& leaf = visit.leaf;
  const cluster::Demand& demand = *leaf.shapes[depth].evaluation->pod().demand;
  const auto refresh = [&](std::size_t node) {
    for (Shape& shape : leaf.shapes) shape.evaluation->refresh(node);
    work_ += static_cast<std::int64_t>(leaf.shapes.size());
  };
  std::vector<std::size_t> seen_alike;
  for (std::size_t p = linked_ ? 0 : from; p < visit.order.size(); ++p) {
    ++work_;
    if (spent()) return Outcome::BudgetEnded;
    const std::size_t node = visit.order[p];
    if (!leaf.shapes[depth].evaluation->feasible(node)) continue;
    if (visit.taken[p] == 0) {
      if (std::ranges::find(seen_alike, visit.alike[p]) != seen_alike.end()) continue;
      seen_alike.push_back(visit.alike[p]);
    }
    Outcome outcome = Outcome::Exhausted;
    {
      const Transaction step(input_.journal);
      input_.model.charge(input_.journal, leaf.nodes[node], demand);
      refresh(node);
      ++visit.taken[p];
      places_.emplace_back(leaf.shapes[depth].members[visit.used[depth]++], leaf.nodes[node]);
      outcome = member_at(visit, depth, left - 1, p, needed - 1);
      places_.pop_back();
      --visit.used[depth];
      --visit.taken[p];
    }
    refresh(node);
    if (outcome != Outcome::Exhausted) return outcome;
  }
  return Outcome::Exhausted;
}

}  // namespace quorate::scheduler
