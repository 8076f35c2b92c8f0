#include "src/scheduler/group_tree.h"

#include <gmock/gmock.h>

#include <random>

#include "src/scheduler/framework.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using Outcome = GroupPlan::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

// A tree in the making, over nodes with cpu and the labels block and rack.
class Trees {
 public:
  void node(std::int64_t cpu, const std::string& block, const std::string& rack) {
    world.node("n" + std::to_string(100 + nodes++),
               {.cpu = 1000 * cpu, .memory = 0, .labels = {{"block", block}, {"rack", rack}}});
  }
  std::size_t composite(std::int32_t required, const std::string& key = "",
                        std::size_t parent = kNoParent) {
    return add({.composite = true, .required = required, .topology_key = key, .parent = parent});
  }
  std::size_t leaf(std::int32_t required, const std::vector<std::int64_t>& members,
                   const std::string& key = "", std::size_t parent = kNoParent) {
    const std::size_t index = add({.required = required, .topology_key = key, .parent = parent});
    for (const std::int64_t cpu : members) {
      const cluster::PodSpec pod = make_pod("p", {.cpu = 1000 * cpu});
      demands.push_back(
          std::make_unique<cluster::Demand>(world.model.demand(pod.spec, pod.requests)));
    }
    for (std::size_t up = index; up != kNoParent; up = tree.groups[up].parent) {
      tree.groups[up].last = demands.size();
    }
    return index;
  }
  TreePlan plan(std::int64_t budget = 1'000'000) {
    TreePlanInput input{framework, world.model, world.journal, tree, {}, {}, budget, nullptr};
    for (const auto& demand : demands) input.pods.push_back({demand.get()});
    return plan_tree(input);
  }
  // Every group of the plan that has members in it has its minimum and keeps to one domain.
  void check(const TreePlan& plan) {
    std::map<std::string, std::int64_t> used;
    std::vector<std::int32_t> have(tree.groups.size());
    for (std::size_t g = 0; g < tree.groups.size(); ++g) {
      const GroupNode& group = tree.groups[g];
      std::set<std::string> domains;
      for (std::size_t i = group.first; i < group.last; ++i) {
        if (plan.members[i].fate != GroupPlan::Fate::Placed) continue;
        const cluster::NodeSpec& node = *world.model.node(plan.members[i].node).spec;
        if (!group.topology_key.empty()) domains.insert(node.labels.at(group.topology_key));
        if (group.composite) continue;
        ++have[g];
        used[node.name] += demands[i]->amount(cluster::kCpu);
        ASSERT_LE(used[node.name], node.allocatable.at("cpu").base_units());
      }
      ASSERT_LE(domains.size(), 1u);
      if (!group.composite && have[g] > 0) {
        ASSERT_GE(have[g], group.required);
      }
    }
    ASSERT_TRUE(tree.satisfied(0, have));
  }

  World world;
  Framework framework{Profile{}};
  GroupTree tree;
  std::vector<std::unique_ptr<cluster::Demand>> demands;
  int nodes = 0;

 private:
  std::size_t add(GroupNode node) {
    const std::size_t index = tree.groups.size();
    node.key = {"ns", "g" + std::to_string(index)};
    node.first = node.last = demands.size();
    if (node.parent != kNoParent) tree.groups[node.parent].children.push_back(index);
    tree.groups.push_back(std::move(node));
    return index;
  }
};

TEST(GroupTreeTest, S19BothLeavesInTheBlockThatHasTwoRacksForThem) {
  Trees trees;
  for (const auto& [cpu, block, rack] :
       {std::tuple{3, "A", "a1"}, {5, "A", "a2"}, {5, "B", "b1"}, {5, "B", "b2"}}) {
    trees.node(cpu, block, rack);
  }
  const std::size_t root = trees.composite(2, "block");
  trees.leaf(5, {1, 1, 1, 1, 1}, "rack", root);
  trees.leaf(5, {1, 1, 1, 1, 1}, "rack", root);
  const TreePlan plan = trees.plan();
  ASSERT_EQ(plan.outcome, Outcome::Placed) << plan.proof;
  trees.check(plan);
  EXPECT_EQ(plan.placed(), 10);
  for (const auto& member : plan.members) {
    EXPECT_EQ(trees.world.model.node(member.node).spec->labels.at("block"), "B");
  }
}

// The first group would do with either rack and takes the fuller one, which the second needs.
TEST(GroupTreeTest, ASiblingThatFindsNoPlaceSendsTheOthersElsewhere) {
  Trees trees;
  trees.node(4, "A", "small");
  trees.node(2, "A", "tall");
  trees.node(2, "A", "tall");
  const std::size_t root = trees.composite(2);
  trees.leaf(2, {2, 2}, "rack", root);
  trees.leaf(1, {4}, "rack", root);
  const TreePlan plan = trees.plan();
  ASSERT_EQ(plan.outcome, Outcome::Placed) << plan.proof;
  trees.check(plan);
}

TEST(GroupTreeTest, ChildrenBeyondTheMinimumAndElasticMembersComeToo) {
  Trees trees;
  trees.node(9, "A", "r");
  const std::size_t root = trees.composite(1);
  trees.leaf(2, {1, 1, 1}, "", root);
  trees.leaf(1, {1, 1}, "", root);
  trees.leaf(1, {20}, "", root);
  const TreePlan plan = trees.plan();
  ASSERT_EQ(plan.outcome, Outcome::Placed);
  EXPECT_EQ(plan.placed(), 5);
  EXPECT_EQ(plan.members[5].fate, GroupPlan::Fate::Failed);
}

TEST(GroupTreeTest, OneThatHasNoPlaceEvenAloneIsABound) {
  Trees trees;
  trees.node(3, "A", "r1");
  trees.node(3, "A", "r2");
  const std::size_t root = trees.composite(2);
  trees.leaf(1, {1}, "rack", root);
  trees.leaf(4, {1, 1, 1, 1}, "rack", root);
  const TreePlan plan = trees.plan();
  EXPECT_EQ(plan.outcome, Outcome::Impossible);
  EXPECT_EQ(plan.proof,
            "bound: ns/g2 has no place even alone: bound: 3 of 4 identical members fit on 1 nodes, "
            "and so in all 2 domains of rack");
}

TEST(GroupTreeTest, BothFitAloneButNotTogetherIsFoundByExhaustion) {
  Trees trees;
  trees.node(3, "A", "r1");
  trees.node(3, "A", "r2");
  const std::size_t root = trees.composite(2);
  trees.leaf(2, {2, 2}, "", root);
  trees.leaf(1, {2}, "", root);
  const TreePlan plan = trees.plan();
  EXPECT_EQ(plan.outcome, Outcome::Impossible);
  EXPECT_EQ(plan.proof, "exhausted: no choice of groups, domains and nodes places the minimum");
}

TEST(GroupTreeTest, TheBudgetEndsAndThePlanSaysSo) {
  Trees trees;
  for (int i = 0; i < 8; ++i) trees.node(90 + i, "A", "r");
  const std::size_t root = trees.composite(2);
  trees.leaf(5, {49, 50, 51, 52, 53}, "", root);
  trees.leaf(4, {54, 55, 56, 57}, "", root);
  const TreePlan plan = trees.plan(2000);
  EXPECT_EQ(plan.outcome, Outcome::BudgetEnded);
  EXPECT_THAT(plan.proof, StartsWith("budget: the search ended after "));
}

// --- the slow obvious answer: every assignment of members to nodes ---

struct Slow {
  const Trees& trees;
  std::vector<std::int64_t> free;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<int> at;  // by member; -1: nowhere

  bool holds() const {
    std::vector<std::int32_t> have(trees.tree.groups.size());
    for (std::size_t g = 0; g < trees.tree.groups.size(); ++g) {
      const GroupNode& group = trees.tree.groups[g];
      for (std::size_t i = group.first; i < group.last && !group.composite; ++i) {
        have[g] += at[i] >= 0 ? 1 : 0;
      }
    }
    for (const GroupNode& group : trees.tree.groups) {
      std::set<std::string> domains;
      for (std::size_t i = group.first; i < group.last; ++i) {
        if (at[i] < 0 || group.topology_key.empty()) continue;
        const auto& [block, rack] = labels[static_cast<std::size_t>(at[i])];
        domains.insert(group.topology_key == "block" ? block : rack);
      }
      if (domains.size() > 1) return false;
    }
    return trees.tree.satisfied(0, have);
  }
  bool any(std::size_t member) {
    if (member == at.size()) return holds();
    const std::int64_t size = trees.demands[member]->amount(cluster::kCpu) / 1000;
    for (std::size_t n = 0; n < free.size(); ++n) {
      if (free[n] < size) continue;
      free[n] -= size;
      at[member] = static_cast<int>(n);
      const bool works = any(member + 1);
      free[n] += size;
      if (works) return true;
    }
    at[member] = -1;
    return any(member + 1);
  }
};

TEST(GroupTreePropertyTest, PlanEqualsTheSlowObviousOne) {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
    Trees trees;
    Slow slow{trees, {}, {}, {}};
    const int racks = 2 + below(3);
    for (int n = 0; n < racks + below(2); ++n) {
      const std::int64_t cpu = 1 + below(5);
      const std::string rack = "r" + std::to_string(n % racks);
      const std::string block = n % racks < 2 ? "A" : "B";
      trees.node(cpu, block, rack);
      slow.free.push_back(cpu);
      slow.labels.emplace_back(block, rack);
    }
    const int leaves = 2 + below(2);
    const std::size_t root = trees.composite(1 + below(static_cast<std::uint32_t>(leaves)),
                                             below(2) == 0 ? "block" : "");
    std::size_t inner = root;
    for (int l = 0; l < leaves; ++l) {
      if (l == 1 && below(3) == 0) inner = trees.composite(1, "", root);
      std::vector<std::int64_t> members(static_cast<std::size_t>(1 + below(3)));
      for (auto& member : members) member = 1 + below(4);
      trees.leaf(1 + below(static_cast<std::uint32_t>(members.size())), members,
                 below(2) == 0 ? "rack" : "", l == 0 ? root : inner);
    }
    slow.at.assign(trees.demands.size(), -1);
    const std::string before = trees.world.digest();
    const TreePlan plan = trees.plan(50'000'000);
    ASSERT_EQ(trees.world.digest(), before) << "seed " << seed;
    const bool want = slow.any(0);
    ASSERT_EQ(plan.outcome, want ? Outcome::Placed : Outcome::Impossible)
        << "seed " << seed << " " << plan.proof;
    found += want ? 1 : 0;
    if (want) {
      trees.check(plan);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 380);
}

}  // namespace
}  // namespace quorate::scheduler
