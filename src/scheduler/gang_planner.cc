#include "src/scheduler/gang_planner.h"

#include <algorithm>
#include <set>
#include <string>

#include "src/scheduler/gang_search.h"
#include "src/scheduler/plan_trial.h"

namespace quorate::scheduler {
namespace {

using Fate = GroupPlan::Fate;
using Outcome = GroupPlan::Outcome;

// How many members still have to get a place for the minimum.
std::int64_t missing(const GroupPlanInput& input) {
  return std::max(0, input.required - input.scheduled);
}

std::string number(std::int64_t n) { return std::to_string(n); }

// Step 1. Identical members: the first ones fit, the next ones are refused until too few remain,
// the rest is not tried. Equal to what the plain attempt would find, without trying each.
bool too_few_copies(PlanTrial& trial, GroupPlan& plan) {
  const GroupPlanInput& input = trial.input();
  const std::int64_t needed = missing(input);
  const auto members = static_cast<std::int64_t>(input.pods.size());
  if (trial.shapes() != 1 || needed == 0 || members < needed || trial.linked()) return false;
  const std::int64_t copies = trial.copies(0, needed);
  if (copies >= needed) return false;

  std::int64_t placed = 0;
  for (std::size_t node = 0; node < input.nodes.size() && placed < copies; ++node) {
    for (std::int64_t i = trial.evaluation(0).copies(node, copies - placed); i > 0; --i) {
      trial.charge(0, node);
      plan.members[static_cast<std::size_t>(placed++)] = {Fate::Placed, input.nodes[node]};
    }
  }
  // Stopped by the first refusal that leaves scheduled + remaining below the minimum.
  const std::int64_t refused = members - needed + 1;
  const std::size_t error = trial.fit_error(0, plan);
  for (std::int64_t i = placed; i < placed + refused; ++i) {
    plan.members[static_cast<std::size_t>(i)] = {Fate::Failed, {}, error};
  }
  plan.scheduled = input.scheduled + static_cast<std::int32_t>(placed);
  plan.remaining = static_cast<std::int32_t>(members - placed - refused);
  plan.proof = "bound: " + number(copies) + " of " + number(needed) + " identical members fit on " +
               number(static_cast<std::int64_t>(input.nodes.size())) + " nodes";
  return true;
}

// The place of one member: the one promised to it if it still does, else the best.
std::optional<std::size_t> choose(const PlanTrial& trial, std::size_t member) {
  const GroupPlanInput& input = trial.input();
  const Evaluation& evaluation = trial.evaluation(trial.shape_of(member));
  if (member < input.promised.size()) {
    const auto promised = evaluation.index_of(input.promised[member]);
    if (promised && evaluation.feasible(*promised)) return promised;
  }
  return evaluation.best();
}

bool place(PlanTrial& trial, std::size_t member, GroupPlan& plan) {
  const std::size_t shape = trial.shape_of(member);
  trial.add_work(static_cast<std::int64_t>(trial.input().nodes.size()));
  const std::optional<std::size_t> node = choose(trial, member);
  if (!node) {
    plan.members[member] = {Fate::Failed, {}, trial.fit_error(shape, plan)};
    return false;
  }
  trial.charge(shape, *node);
  plan.members[member] = {Fate::Placed, trial.input().nodes[*node]};
  return true;
}

// Step 2.
void plain_attempt(PlanTrial& trial, GroupPlan& plan) {
  const GroupPlanInput& input = trial.input();
  plan.scheduled = input.scheduled;
  plan.remaining = static_cast<std::int32_t>(input.pods.size());
  for (std::size_t i = 0; i < input.pods.size(); ++i) {
    if (plan.scheduled + plan.remaining < input.required) return;
    --plan.remaining;
    if (place(trial, i, plan)) ++plan.scheduled;
  }
}

// Step 3. Empty if no bound rules the group out.
std::string ruled_out(PlanTrial& trial) {
  const GroupPlanInput& input = trial.input();
  const std::int64_t needed = missing(input);
  std::int64_t possible = 0;
  for (std::size_t s = 0; s < trial.shapes(); ++s) {
    possible += trial.copies(s, static_cast<std::int64_t>(trial.members(s).size()));
  }
  if (possible < needed) {
    return "bound: " + number(possible) + " of " + number(needed) +
           " members fit, were each kind alone";
  }
  std::set<std::uint32_t> resources;
  for (const PodView& pod : input.pods) {
    for (const cluster::Charge& charge : pod.demand->charges) resources.insert(charge.resource);
  }
  resources.erase(cluster::kScoredCpu);
  resources.erase(cluster::kScoredMemory);
  std::vector<std::size_t> useful;  // nodes that take somebody
  for (std::size_t i = 0; i < input.nodes.size(); ++i) {
    for (std::size_t s = 0; s < trial.shapes(); ++s) {
      if (!trial.evaluation(s).feasible(i)) continue;
      useful.push_back(i);
      break;
    }
  }
  for (const std::uint32_t resource : resources) {
    std::vector<std::int64_t> amounts;
    for (const PodView& pod : input.pods) amounts.push_back(pod.demand->amount(resource));
    std::ranges::sort(amounts);
    Quantity least, free;
    for (std::int64_t i = 0; i < needed && i < static_cast<std::int64_t>(amounts.size()); ++i) {
      least += Quantity{amounts[static_cast<std::size_t>(i)]};
    }
    for (const std::size_t i : useful) {
      free += Quantity{input.model.free(input.nodes[i], resource)}.or_zero();
    }
    if (least <= free) continue;
    const std::string& name = input.model.resources().name({resource, 0});
    return "bound: needs at least " + format_quantity(name, least) + " of " + name + ", " +
           format_quantity(name, free) + " free";
  }
  return "";
}

// Members that decide where others may go: the plain attempt again with the first of them on each
// node in turn, as it is the first that settles where the others follow. Proves nothing if it finds
// nothing.
bool tried_from_each_node(PlanTrial& trial, GroupPlan& plan) {
  const GroupPlanInput& input = trial.input();
  const std::int64_t limit = trial.work() + input.search_budget;
  const std::size_t first = trial.shape_of(0);
  for (std::size_t node = 0; node < input.nodes.size() && trial.work() <= limit; ++node) {
    trial.clear();
    if (!trial.evaluation(first).feasible(node)) continue;
    GroupPlan attempt;
    attempt.members.resize(input.pods.size());
    trial.charge(first, node);
    attempt.members.front() = {Fate::Placed, input.nodes[node]};
    attempt.scheduled = input.scheduled + 1;
    attempt.remaining = static_cast<std::int32_t>(input.pods.size()) - 1;
    for (std::size_t i = 1; i < input.pods.size(); ++i) {
      if (attempt.scheduled + attempt.remaining < input.required) break;
      --attempt.remaining;
      if (place(trial, i, attempt)) ++attempt.scheduled;
    }
    if (attempt.scheduled < input.required) continue;
    plan = std::move(attempt);
    return true;
  }
  trial.clear();
  plan.outcome = Outcome::BudgetEnded;
  plan.proof = "members that decide where others may go: tried one after the other from each node";
  return false;
}

// Step 4. True if the search found places; `plan` then lists them and what else fits beside.
bool searched(PlanTrial& trial, GroupPlan& plan) {
  const GroupPlanInput& input = trial.input();
  // The search takes for granted that the order in which members are placed does not matter.
  if (trial.linked()) return tried_from_each_node(trial, plan);
  GangSearch search(trial, missing(input), input.search_budget);
  switch (search.run()) {
    case GangSearch::Outcome::Exhausted:
      plan.proof = "exhausted: no assignment of the members to nodes exists";
      return false;
    case GangSearch::Outcome::BudgetEnded:
      plan.outcome = Outcome::BudgetEnded;
      plan.proof = "budget: the search ended after " + number(trial.work()) + " units of work";
      return false;
    case GangSearch::Outcome::Found:
      break;
  }
  plan.fit_errors.clear();
  plan.rejectors = 0;
  plan.scheduled = input.scheduled;
  for (const auto& [member, node] : search.places()) {
    plan.members[member] = {Fate::Placed, input.nodes[node]};
    ++plan.scheduled;
  }
  std::vector<bool> done(input.pods.size(), false);
  for (const auto& [member, node] : search.places()) done[member] = true;
  for (std::size_t i = 0; i < input.pods.size(); ++i) {
    if (!done[i] && place(trial, i, plan)) ++plan.scheduled;
  }
  plan.remaining = 0;
  return true;
}

}  // namespace

GroupPlan plan_gang(const GroupPlanInput& input) {
  GroupPlan plan;
  plan.members.resize(input.pods.size());
  PlanTrial trial(input);
  const auto finish = [&]() -> GroupPlan {
    plan.work = trial.work();
    return std::move(plan);
  };

  if (const auto failure = trial.error()) {
    plan.error = *failure;
    return finish();
  }
  if (too_few_copies(trial, plan)) return finish();
  plain_attempt(trial, plan);
  if (plan.scheduled >= input.required) {
    if (plan.placed() > 0) {
      plan.outcome = Outcome::Placed;
    } else {
      plan.proof = "bound: no further member fits";
    }
    return finish();
  }
  if (static_cast<std::int64_t>(input.pods.size()) < missing(input)) {
    plan.proof = "bound: fewer members than the minimum";
    return finish();
  }
  trial.clear();
  plan.proof = ruled_out(trial);
  if (!plan.proof.empty()) return finish();
  // The plain attempt's record stays, should the search fail.
  GroupPlan found = plan;
  if (searched(trial, found)) {
    found.outcome = Outcome::Placed;
    plan = std::move(found);
  } else {
    plan.outcome = found.outcome;
    plan.proof = found.proof;
  }
  return finish();
}

}  // namespace quorate::scheduler
