#include "src/scheduler/group_tree.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/scheduler/framework.h"
#include "src/scheduler/group_search.h"
#include "src/scheduler/trial_charge.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;
using Fate = GroupPlan::Fate;
using Outcome = GroupPlan::Outcome;
using Member = GroupPlan::Member;

std::string number(std::int64_t n) { return std::to_string(n); }

// What a group came to within some nodes.
struct Answer {
  bool satisfied = false;
  Outcome outcome = Outcome::Impossible;  // if not satisfied
  std::vector<Member> members;            // of the groups below it, from its `first` on
  std::int32_t placed = 0;
  std::int32_t scheduled = 0, remaining = 0;  // when it stopped
  std::size_t placements = 1;
  std::string proof;
};

struct Candidate {
  Answer answer;
  std::vector<std::int64_t> scores;  // raw, by plugin
};

// The candidate with the highest sum of scores, each normalised so that the best has 100. Equal
// sums: the first domain by its name.
Candidate& best_of(std::vector<Candidate>& candidates) {
  const std::size_t plugins = candidates.front().scores.size();
  std::vector<std::int64_t> highest(plugins, 0);
  for (const Candidate& candidate : candidates) {
    for (std::size_t i = 0; i < plugins; ++i) {
      highest[i] = std::max(highest[i], candidate.scores[i]);
    }
  }
  Candidate* best = nullptr;
  std::int64_t best_total = -1;
  for (Candidate& candidate : candidates) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < plugins; ++i) {
      if (highest[i] > 0) total += candidate.scores[i] * 100 / highest[i];
    }
    if (total <= best_total) continue;
    best = &candidate;
    best_total = total;
  }
  return *best;
}

class TreePlanner {
 public:
  explicit TreePlanner(const TreePlanInput& input)
      : input_(input), search_left_(input.search_budget) {}

  TreePlan run() {
    const GroupNode& root = input_.tree.root();
    Answer answer = plan(0, input_.model.nodes());
    if (!out_.error.empty()) return std::move(out_);
    take(answer);
    if (answer.satisfied) {
      if (answer.placed > 0) {
        out_.outcome = Outcome::Placed;
      } else {
        out_.proof = "bound: no further member fits";
      }
      return std::move(out_);
    }
    if (!root.composite || answer.placements == 0) return std::move(out_);

    if (const std::string why = hopeless(0, input_.model.nodes()); !why.empty()) {
      out_.outcome = Outcome::Impossible;
      out_.proof = why;
      return std::move(out_);
    }
    GroupSearch search(input_, search_left_);
    const GroupSearch::Outcome outcome = search.run();
    out_.work += search.work();
    switch (outcome) {
      case GroupSearch::Outcome::Found:
        adopt(search);
        break;
      case GroupSearch::Outcome::Exhausted:
        out_.outcome = Outcome::Impossible;
        out_.proof = "exhausted: no choice of groups, domains and nodes places the minimum";
        break;
      case GroupSearch::Outcome::BudgetEnded:
        out_.outcome = Outcome::BudgetEnded;
        out_.proof = "budget: the search ended after " + number(out_.work) + " units of work";
        break;
    }
    return std::move(out_);
  }

 private:
  void take(const Answer& answer) {
    out_.outcome = answer.outcome;
    out_.members = answer.members;
    out_.proof = answer.proof;
    out_.placements = answer.placements;
    out_.scheduled = answer.scheduled;
    out_.remaining = answer.remaining;
  }

  std::size_t first_of(std::size_t group) const { return input_.tree.groups[group].first; }
  std::size_t size_of(std::size_t group) const {
    return input_.tree.groups[group].last - input_.tree.groups[group].first;
  }

  GroupPlanInput gang_input(std::size_t group, std::span<const NodeId> nodes) const {
    const std::span<const NodeId> promised = input_.promised;
    const bool everywhere =
        nodes.data() == input_.model.nodes().data() || nodes.size() == input_.model.nodes().size();
    return {input_.framework,
            input_.model,
            input_.journal,
            std::span(input_.pods).subspan(first_of(group), size_of(group)),
            input_.tree.groups[group].scheduled,
            input_.tree.groups[group].required,
            nodes,
            promised.empty() ? promised : promised.subspan(first_of(group), size_of(group)),
            input_.tree.single() ? search_left_ : search_left_ / 8,
            everywhere ? input_.evaluations : nullptr};
  }

  // kube-scheduler's algorithm for a group within some nodes: the best of its placements.
  Answer plan(std::size_t group, std::span<const NodeId> nodes) {
    Status status;
    const std::vector<Placement> placements = placements_of(input_, group, nodes, status);
    if (!status.ok()) {
      out_.error = status.message;
      return {};
    }
    if (placements.empty()) {
      Answer none;
      none.members.resize(size_of(group));
      none.placements = 0;
      none.proof = "no node has the label " + input_.tree.groups[group].topology_key;
      return none;
    }
    std::vector<Candidate> candidates;
    std::optional<Answer> first;
    std::vector<std::string> proofs;
    bool certain = true;
    for (const Placement& placement : placements) {
      Answer answer = plan_within(group, placement.nodes);
      if (!out_.error.empty()) return answer;
      answer.placements = placements.size();
      if (!first) first = answer;
      certain &= answer.outcome == Outcome::Impossible;
      if (!answer.satisfied || (answer.placed == 0 && group == 0)) {
        if (!answer.proof.empty()) proofs.push_back(placement.domain + ": " + answer.proof);
        if (!answer.satisfied) continue;
      }
      std::vector<std::int64_t> scores;
      if (placements.size() > 1) scores = rate(group, placement.nodes, answer);
      candidates.push_back({std::move(answer), std::move(scores)});
    }
    if (!candidates.empty()) return std::move(best_of(candidates).answer);
    if (!certain) first->outcome = Outcome::BudgetEnded;
    if (placements.size() > 1) first->proof = listed(proofs);
    return std::move(*first);
  }

  static std::string listed(const std::vector<std::string>& proofs) {
    constexpr std::size_t kShown = 4;
    std::string all;
    for (std::size_t i = 0; i < std::min(kShown, proofs.size()); ++i) {
      all += (i == 0 ? "" : "; ") + proofs[i];
    }
    if (proofs.size() > kShown) {
      all += "; and " + std::to_string(proofs.size() - kShown) + " more domains";
    }
    return all;
  }

  std::vector<std::int64_t> rate(std::size_t group, std::span<const NodeId> nodes,
                                 const Answer& answer) const {
    GroupPlanInput gang = gang_input(group, nodes);
    GroupPlan as_plan;
    as_plan.members = answer.members;
    std::vector<std::int64_t> scores;
    for (const PlacementScorePlugin* plugin : input_.framework.placement_score) {
      scores.push_back(plugin->score_placement(input_.model, gang, as_plan));
    }
    return scores;
  }

  Answer plan_within(std::size_t group, std::span<const NodeId> nodes) {
    return input_.tree.groups[group].composite ? plan_children(group, nodes)
                                               : plan_members(group, nodes);
  }

  Answer plan_members(std::size_t group, std::span<const NodeId> nodes) {
    const GroupNode& leaf = input_.tree.groups[group];
    Answer answer;
    answer.scheduled = leaf.scheduled;
    answer.satisfied = leaf.scheduled >= leaf.required;
    if (leaf.first == leaf.last) {
      answer.proof = "bound: fewer members than the minimum";
      return answer;
    }
    GroupPlan plan = input_.framework.plan_group->plan(gang_input(group, nodes));
    if (!plan.error.empty()) out_.error = plan.error;
    search_left_ = std::max<std::int64_t>(0, search_left_ - plan.work);
    out_.work += plan.work;
    out_.rejectors |= plan.rejectors;
    const std::size_t errors = out_.fit_errors.size();
    for (std::string& text : plan.fit_errors) out_.fit_errors.push_back(std::move(text));
    for (Member& member : plan.members) {
      if (member.fate == Fate::Failed) member.fit_error += errors;
    }
    answer.satisfied |= plan.outcome == Outcome::Placed;
    answer.outcome = plan.outcome;
    answer.scheduled = plan.scheduled;
    answer.remaining = plan.remaining;
    answer.placed = plan.outcome == Outcome::Placed ? plan.placed() : 0;
    answer.proof = std::move(plan.proof);
    answer.members = std::move(plan.members);
    if (answer.satisfied && answer.placed == 0) {
      // It has its minimum and nobody else fits: nobody is placed, whatever was tried.
      for (Member& member : answer.members) {
        if (member.fate == Fate::Placed) member.fate = Fate::Untried;
      }
    }
    return answer;
  }

  Answer plan_children(std::size_t group, std::span<const NodeId> nodes) {
    const GroupNode& composite = input_.tree.groups[group];
    Answer answer;
    answer.members.resize(size_of(group));
    answer.remaining = static_cast<std::int32_t>(composite.children.size());
    Transaction trial(input_.journal);
    for (const std::size_t child : composite.children) {
      if (answer.scheduled + answer.remaining < composite.required) break;
      --answer.remaining;
      const Answer below = plan(child, nodes);
      if (!out_.error.empty()) return answer;
      const std::size_t offset = first_of(child) - composite.first;
      std::ranges::copy(below.members,
                        answer.members.begin() + static_cast<std::ptrdiff_t>(offset));
      if (!below.satisfied) {
        if (below.outcome == Outcome::BudgetEnded) answer.outcome = Outcome::BudgetEnded;
        if (answer.proof.empty()) {
          answer.proof = input_.tree.groups[child].key.text() + ": " + below.proof;
        }
        continue;
      }
      ++answer.scheduled;
      answer.placed += below.placed;
      charge(first_of(child), below.members);
    }
    answer.satisfied = answer.scheduled >= composite.required;
    if (answer.satisfied) drop_unsatisfied(group, answer);
    return answer;
  }

  void charge(std::size_t first, const std::vector<Member>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].fate != Fate::Placed) continue;
      charge_pod(input_.model, input_.journal, members[i].node, input_.pods[first + i]);
    }
  }

  // Where the group has its minimum, what children without theirs had found is given up.
  void drop_unsatisfied(std::size_t group, Answer& answer) {
    const GroupNode& composite = input_.tree.groups[group];
    for (const std::size_t child : composite.children) {
      const GroupNode& below = input_.tree.groups[child];
      if (has_minimum(child, answer.members, composite.first)) continue;
      for (std::size_t i = below.first; i < below.last; ++i) {
        Member& member = answer.members[i - composite.first];
        if (member.fate == Fate::Placed) member = {};
      }
    }
  }

  bool has_minimum(std::size_t group, const std::vector<Member>& members, std::size_t first) const {
    std::vector<std::int32_t> have;
    for (const GroupNode& each : input_.tree.groups) {
      std::int32_t count = each.scheduled;
      for (std::size_t i = each.first; !each.composite && i < each.last; ++i) {
        if (i < first || i - first >= members.size()) continue;
        count += members[i - first].fate == Fate::Placed ? 1 : 0;
      }
      have.push_back(count);
    }
    return input_.tree.satisfied(group, have);
  }

  // Says why the group has no place, were it alone with what runs; empty if it may have one.
  std::string hopeless(std::size_t group, std::span<const NodeId> nodes) {
    const GroupNode& node = input_.tree.groups[group];
    Status status;
    const std::vector<Placement> placements = placements_of(input_, group, nodes, status);
    if (placements.empty()) return "bound: no node has the label " + node.topology_key;
    std::string why;
    for (const Placement& placement : placements) {
      const std::string here =
          node.composite ? hopeless_children(node, placement.nodes) : alone(group, placement.nodes);
      if (here.empty()) return "";
      if (why.empty()) why = here;
    }
    if (placements.size() > 1) {
      why += ", and so in all " + number(static_cast<std::int64_t>(placements.size())) +
             " domains of " + node.topology_key;
    }
    return why;
  }

  std::string alone(std::size_t group, std::span<const NodeId> nodes) {
    const Answer answer = plan_members(group, nodes);
    if (answer.satisfied || answer.outcome != Outcome::Impossible) return "";
    return "bound: " + input_.tree.groups[group].key.text() +
           " has no place even alone: " + answer.proof;
  }

  std::string hopeless_children(const GroupNode& composite, std::span<const NodeId> nodes) {
    std::string first;
    auto left = static_cast<std::int32_t>(composite.children.size());
    for (const std::size_t child : composite.children) {
      const std::string why = hopeless(child, nodes);
      if (why.empty()) continue;
      --left;
      if (first.empty()) first = why;
      if (left < composite.required) return first;
    }
    return "";
  }

  // The places that the search found, and what fits beside them.
  void adopt(const GroupSearch& search) {
    out_.outcome = Outcome::Placed;
    out_.proof.clear();
    out_.members.assign(input_.pods.size(), {});
    const Transaction trial(input_.journal);
    for (const auto& [member, node] : search.places()) {
      out_.members[member] = {Fate::Placed, node};
      charge_pod(input_.model, input_.journal, node, input_.pods[member]);
    }
    for (std::size_t group = 0; group < input_.tree.groups.size(); ++group) {
      const GroupNode& node = input_.tree.groups[group];
      if (!search.chosen(group).empty()) {
        if (!node.composite) add_members(group, search.chosen(group));
      } else if (node.parent != kNoParent && !search.chosen(node.parent).empty() &&
                 !has_minimum(group, out_.members, 0)) {
        add_group(group, search.chosen(node.parent));
      }
    }
  }

  // Elastic members beyond the minimum.
  void add_members(std::size_t group, std::span<const NodeId> nodes) {
    const GroupNode& leaf = input_.tree.groups[group];
    std::vector<PodView> more;
    std::vector<std::size_t> which;
    std::int32_t have = leaf.scheduled;
    for (std::size_t i = leaf.first; i < leaf.last; ++i) {
      if (out_.members[i].fate == Fate::Placed) {
        ++have;
      } else {
        more.push_back(input_.pods[i]);
        which.push_back(i);
      }
    }
    if (more.empty()) return;
    GroupPlanInput rest = gang_input(group, nodes);
    rest.pods = more;
    rest.promised = {};
    rest.scheduled = have;
    const GroupPlan plan = input_.framework.plan_group->plan(rest);
    out_.work += plan.work;
    for (std::size_t i = 0; i < which.size(); ++i) {
      Member member = plan.members[i];
      if (member.fate == Fate::Failed) {
        out_.fit_errors.push_back(plan.fit_errors[member.fit_error]);
        member.fit_error = out_.fit_errors.size() - 1;
      } else if (member.fate == Fate::Placed && plan.outcome == Outcome::Placed) {
        charge_pod(input_.model, input_.journal, member.node, more[i]);
      } else {
        member = {};
      }
      out_.members[which[i]] = member;
    }
  }

  // A child beyond the minimum of its parent.
  void add_group(std::size_t group, std::span<const NodeId> nodes) {
    const Answer answer = plan(group, nodes);
    out_.error.clear();
    if (!answer.satisfied) return;
    charge(first_of(group), answer.members);
    std::ranges::copy(answer.members,
                      out_.members.begin() + static_cast<std::ptrdiff_t>(first_of(group)));
  }

  const TreePlanInput& input_;
  std::int64_t search_left_;
  TreePlan out_;
};

}  // namespace

bool GroupTree::satisfied(std::size_t group, const std::vector<std::int32_t>& have) const {
  const GroupNode& node = groups[group];
  if (!node.composite) return have[group] >= node.required;
  std::int32_t children = 0;
  for (const std::size_t child : node.children) children += satisfied(child, have) ? 1 : 0;
  return children >= node.required;
}

std::int32_t TreePlan::placed() const {
  return static_cast<std::int32_t>(
      std::ranges::count(members, GroupPlan::Fate::Placed, &GroupPlan::Member::fate));
}

TreePlan plan_tree(const TreePlanInput& input) { return TreePlanner(input).run(); }

std::vector<Placement> placements_of(const TreePlanInput& input, std::size_t group,
                                     std::span<const NodeId> nodes, Status& status) {
  const GroupNode& node = input.tree.groups[group];
  for (const PlacementGeneratePlugin* plugin : input.framework.placement_generate) {
    auto offered = plugin->generate(input.model, node.topology_key, node.nodes, nodes, status);
    if (offered) return std::move(*offered);
  }
  std::vector<Placement> all;
  all.push_back({"", {nodes.begin(), nodes.end()}});
  return all;
}

}  // namespace quorate::scheduler
