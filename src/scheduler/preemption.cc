#include "src/scheduler/preemption.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "src/scheduler/evaluation.h"
#include "src/scheduler/framework.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;
using cluster::PodId;
using Fate = GroupPlan::Fate;
using NodeSlot = std::pair<std::uint32_t, std::uint32_t>;  // of a NodeId, which has no order
// Where pods were when they were taken away.
using Places = std::vector<std::pair<PodId, NodeId>>;

NodeSlot slot_of(NodeId node) { return {node.slot, node.generation}; }

Places lift(const PreemptionWorld& world, const PreemptionUnit& unit) {
  Places from;
  for (const PodId id : unit.pods) {
    const NodeId node = world.model.pod(id).node;
    if (!node) continue;
    from.emplace_back(id, node);
    world.model.lift(world.journal, id);
  }
  return from;
}

void put_back(const PreemptionWorld& world, const Places& places) {
  for (const auto& [id, node] : places) world.model.put_back(world.journal, id, node);
}

// `node` none: on all nodes.
void lift_leaving(const PreemptionWorld& world, NodeId node) {
  for (const PodId id : world.leaving) {
    const NodeId at = world.model.pod(id).node;
    if (at && (!node || at == node)) world.model.lift(world.journal, id);
  }
}

// By unit, in their order: whether evicting it would break a budget, if those before it went.
std::vector<bool> violations(const PreemptionWorld& world,
                             const std::vector<PreemptionUnit>& units) {
  std::vector<std::int64_t> left;
  for (const DisruptionBudget& budget : world.budgets) left.push_back(budget.allowed);
  std::vector<bool> violating;
  for (const PreemptionUnit& unit : units) {
    bool breaks = false;
    for (const PodId id : unit.pods) {
      const cluster::PodInfo& info = *world.model.pod(id).info;
      const ObjectKey& pod = info.spec.key;
      for (std::size_t i = 0; i < world.budgets.size(); ++i) {
        const DisruptionBudget& budget = world.budgets[i];
        if (budget.key.ns != pod.ns) continue;
        if (!budget.selector.matches(*info.demand.occupant->labels)) continue;
        // Its end is known to the budget already.
        if (std::ranges::find(budget.disrupted, pod.name) != budget.disrupted.end()) continue;
        breaks |= --left[i] < 0;
      }
    }
    violating.push_back(breaks);
  }
  return violating;
}

// The order in which units are given back.
std::vector<std::size_t> reprieve_order(const std::vector<bool>& violating) {
  std::vector<std::size_t> order(violating.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return violating[i]; });
  return order;
}

bool fits(const PreemptionWorld& world, const PodView& pod, NodeId node) {
  return Evaluation(world.framework, world.model, pod, std::span(&node, 1)).feasible(0);
}

struct NodeVictims {
  NodeId node;
  std::vector<PreemptionUnit> units;
  std::int64_t violations = 0;

  // What is compared between nodes, smaller is better.
  auto rank() const {
    std::int64_t highest = units.front().priority;
    std::int64_t sum = 0;
    std::int64_t pods = 0;
    for (const PreemptionUnit& unit : units) {
      const auto count = static_cast<std::int64_t>(unit.pods.size());
      highest = std::max(highest, unit.priority);
      sum += count * (unit.priority + (std::int64_t{1} << 31));
      pods += count;
    }
    Time earliest{std::numeric_limits<std::int64_t>::max()};
    for (const PreemptionUnit& unit : units) {
      if (unit.priority == highest) earliest = std::min(earliest, unit.since);
    }
    return std::tuple(violations, highest, sum, pods, -earliest.nanos);
  }
};

// The victims on one node; none if the pod does not fit even without any of the units.
std::optional<NodeVictims> victims_on(const PreemptionWorld& world, const PodView& pod, NodeId node,
                                      std::vector<PreemptionUnit> units, PodPreemption& answer) {
  const Transaction trial(world.journal);
  lift_leaving(world, node);
  if (!world.leaving.empty() && fits(world, pod, node)) {
    answer.room_is_coming = true;
    answer.node = node;
    return std::nullopt;
  }
  if (units.empty()) {
    ++answer.reasons["No preemption victims found for incoming pod"];
    return std::nullopt;
  }
  std::sort(units.begin(), units.end());
  const std::vector<bool> violating = violations(world, units);
  std::vector<Places> from;
  for (const PreemptionUnit& unit : units) from.push_back(lift(world, unit));
  const Evaluation emptied(world.framework, world.model, pod, std::span(&node, 1));
  if (!emptied.feasible(0)) {
    for (const std::string& reason : emptied.why(0)) ++answer.reasons[reason];
    return std::nullopt;
  }
  NodeVictims victims{node, {}, 0};
  std::vector<bool> stays(units.size(), false);
  for (const std::size_t i : reprieve_order(violating)) {
    Transaction reprieve(world.journal);
    put_back(world, from[i]);
    if (fits(world, pod, node)) {
      reprieve.commit();
      stays[i] = true;
    }
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (stays[i]) continue;
    victims.violations += violating[i] ? 1 : 0;
    victims.units.push_back(std::move(units[i]));
  }
  if (victims.units.empty()) return std::nullopt;
  return victims;
}

// Whether the members that go to these nodes all fit there.
bool members_fit(const TreePlanInput& input, const PreemptionWorld& world,
                 const std::map<NodeSlot, std::vector<std::size_t>>& members_on,
                 const TreePlan& plan, const std::set<NodeSlot>& nodes) {
  for (const NodeSlot& slot : nodes) {
    const auto found = members_on.find(slot);
    if (found == members_on.end()) continue;
    const Transaction trial(world.journal);
    for (const std::size_t member : found->second) {
      const NodeId node = plan.members[member].node;
      if (!fits(world, input.pods[member], node)) return false;
      world.model.charge(world.journal, node, *input.pods[member].demand);
    }
  }
  return true;
}

}  // namespace

bool operator<(const PreemptionUnit& a, const PreemptionUnit& b) {
  const auto rank = [](const PreemptionUnit& unit) {
    return std::tuple(-unit.priority, -static_cast<int>(unit.kind),
                      -static_cast<std::int64_t>(unit.pods.size()), unit.since,
                      std::string_view(unit.uid));
  };
  return rank(a) < rank(b);
}

PodPreemption preempt_for_pod(const PreemptionWorld& world, const PodView& pod,
                              std::span<const NodeId> candidates,
                              const std::function<std::vector<PreemptionUnit>(NodeId)>& units_on) {
  constexpr std::size_t kAtLeast = 100;
  const std::size_t most = std::max(world.model.nodes().size() / 10, kAtLeast);
  PodPreemption answer;
  std::optional<NodeVictims> best;
  std::size_t found = 0;
  for (const NodeId node : candidates) {
    std::optional<NodeVictims> here = victims_on(world, pod, node, units_on(node), answer);
    if (answer.room_is_coming) return answer;
    if (!here) continue;
    if (!best || here->rank() < best->rank()) best = std::move(here);
    if (++found == most) break;
  }
  if (best) {
    answer.node = best->node;
    answer.victims = std::move(best->units);
  }
  return answer;
}

GroupPreemption preempt_for_groups(const PreemptionWorld& world, const TreePlanInput& input,
                                   std::vector<PreemptionUnit> units) {
  GroupPreemption answer;
  const Transaction everything(world.journal);
  lift_leaving(world, {});
  if (!world.leaving.empty() && plan_tree(input).outcome == GroupPlan::Outcome::Placed) {
    answer.room_is_coming = true;
    return answer;
  }
  if (units.empty()) return answer;
  std::sort(units.begin(), units.end());
  // Plans with all units below a priority away.
  const auto without = [&](std::int64_t at_most) {
    const Transaction trial(world.journal);
    for (const PreemptionUnit& unit : units) {
      if (unit.priority <= at_most) lift(world, unit);
    }
    return plan_tree(input);
  };
  std::vector<std::int64_t> priorities;
  for (const PreemptionUnit& unit : units) priorities.push_back(unit.priority);
  priorities.erase(std::unique(priorities.begin(), priorities.end()), priorities.end());
  std::ranges::reverse(priorities);
  answer.plan = without(priorities.back());
  if (answer.plan.outcome != GroupPlan::Outcome::Placed) return answer;
  // The least that does: more room never makes a plan impossible.
  std::size_t low = 0;
  std::size_t high = priorities.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    TreePlan plan = without(priorities[middle]);
    if (plan.outcome == GroupPlan::Outcome::Placed) {
      answer.plan = std::move(plan);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  std::erase_if(units,
                [&](const PreemptionUnit& unit) { return unit.priority > priorities[high]; });

  std::map<NodeSlot, std::vector<std::size_t>> members_on;
  for (std::size_t i = 0; i < answer.plan.members.size(); ++i) {
    const GroupPlan::Member& member = answer.plan.members[i];
    if (member.fate == Fate::Placed) members_on[slot_of(member.node)].push_back(i);
  }
  const std::vector<bool> violating = violations(world, units);
  std::vector<Places> from;
  for (const PreemptionUnit& unit : units) from.push_back(lift(world, unit));
  std::vector<bool> stays(units.size(), false);
  for (const std::size_t i : reprieve_order(violating)) {
    Transaction reprieve(world.journal);
    put_back(world, from[i]);
    std::set<NodeSlot> nodes;
    for (const auto& place : from[i]) nodes.insert(slot_of(place.second));
    if (!members_fit(input, world, members_on, answer.plan, nodes)) continue;
    reprieve.commit();
    stays[i] = true;
  }
  answer.found = true;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!stays[i]) answer.victims.push_back(std::move(units[i]));
  }
  return answer;
}

}  // namespace quorate::scheduler
