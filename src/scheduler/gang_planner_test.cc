#include "src/scheduler/gang_planner.h"

#include <gmock/gmock.h>

#include <random>

#include "src/scheduler/framework.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using Outcome = GroupPlan::Outcome;

struct PlanCase {
  std::string name;
  std::vector<std::int64_t> nodes;    // free cpu, in thousands
  std::vector<std::int64_t> members;  // cpu, in thousands
  std::int32_t required;
  Outcome want;
  std::int32_t placed;
  std::string proof;
};

class Planner {
 public:
  Planner(const std::vector<std::int64_t>& nodes, const std::vector<std::int64_t>& members) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      world.node("n" + std::to_string(100 + i), {.cpu = 1000 * nodes[i], .memory = 0});
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      const cluster::PodSpec pod = make_pod("p", {.cpu = 1000 * members[i]});
      demands.push_back(
          std::make_unique<cluster::Demand>(world.model.demand(pod.spec, pod.requests)));
      views.push_back({demands.back().get()});
    }
  }
  GroupPlan plan(std::int32_t required, std::int64_t budget = 100'000) {
    return plan_gang({framework,
                      world.model,
                      world.journal,
                      views,
                      0,
                      required,
                      world.model.nodes(),
                      {},
                      budget});
  }
  // Every placed member fits with the others.
  bool consistent(const GroupPlan& plan) {
    std::map<std::uint32_t, std::int64_t> used;
    for (std::size_t i = 0; i < plan.members.size(); ++i) {
      if (plan.members[i].fate != GroupPlan::Fate::Placed) continue;
      const cluster::NodeId node = plan.members[i].node;
      used[node.slot] += views[i].demand->amount(cluster::kCpu);
      if (used[node.slot] > world.model.allocatable(node, cluster::kCpu)) return false;
    }
    return true;
  }

  World world;
  Framework framework{Profile{}};
  std::vector<std::unique_ptr<cluster::Demand>> demands;
  std::vector<PodView> views;
};

class PlanTest : public testing::TestWithParam<PlanCase> {};

TEST_P(PlanTest, PlacesOrProves) {
  const PlanCase& test = GetParam();
  Planner planner(test.nodes, test.members);
  const std::string before = planner.world.digest();
  const GroupPlan plan = planner.plan(test.required);
  EXPECT_EQ(plan.outcome, test.want) << plan.proof;
  if (plan.outcome == Outcome::Placed) {
    EXPECT_EQ(plan.placed(), test.placed);
    EXPECT_TRUE(planner.consistent(plan));
  }
  EXPECT_EQ(plan.proof, test.proof);
  EXPECT_EQ(planner.world.digest(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PlanTest,
    testing::ValuesIn(std::vector<PlanCase>{
        // clang-format off
        {"Identical", {2, 2}, {1, 1, 1}, 3, Outcome::Placed, 3, ""},
        {"MoreThanTheMinimum", {2, 2}, {1, 1, 1, 1, 1}, 3, Outcome::Placed, 4, ""},
        {"IdenticalCount", {3, 3}, {2, 2, 2}, 3, Outcome::Impossible, 0,
            "bound: 2 of 3 identical members fit on 2 nodes"},
        // Spread first, the small ones leave no node for the large one; large first they fit.
        {"LargeOneLast", {4, 4}, {1, 1, 4}, 3, Outcome::Placed, 3, ""},
        // 3+3, 2+2+2: only this way.
        {"PacksExactly", {6, 6}, {2, 2, 2, 3, 3}, 5, Outcome::Placed, 5, ""},
        // First fit of the large ones in order fails (5+3, 4+... ), other pairings work: 5+4, 3+3+3.
        {"NeedsBacktracking", {9, 9}, {5, 4, 3, 3, 3}, 5, Outcome::Placed, 5, ""},
        {"SumTooSmall", {4, 4}, {3, 3, 2, 1}, 4, Outcome::Impossible, 0,
            "bound: needs at least 9 of cpu, 8 free"},
        {"EachKindAlone", {3, 3, 3}, {2, 2, 2, 2, 3}, 5, Outcome::Impossible, 0,
            "bound: 4 of 5 members fit, were each kind alone"},
        // 8 free, 8 asked, no bound says no: 3+... leaves 1, which nobody can use.
        {"OnlyTheSearchKnows", {4, 4}, {3, 3, 2}, 3, Outcome::Impossible, 0,
            "exhausted: no assignment of the members to nodes exists"},
        {"DropsTheLargeOne", {4, 4}, {9, 1, 1}, 2, Outcome::Placed, 2, ""},
        {"PicksTheMembersThatFit", {4}, {3, 3, 2, 2}, 2, Outcome::Placed, 2, ""},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(PlanBudgetTest, EndsAndSaysSo) {
  // No two members share a node, and there are nine for eight; neither sums nor counts of one kind
  // see it, and all nodes and members differ.
  const std::vector<std::int64_t> nodes = {90, 91, 92, 93, 94, 95, 96, 97};
  const std::vector<std::int64_t> members = {49, 50, 51, 52, 53, 54, 55, 56, 57};
  Planner planner(nodes, members);
  const GroupPlan plan = planner.plan(static_cast<std::int32_t>(members.size()), 1000);
  EXPECT_EQ(plan.outcome, Outcome::BudgetEnded);
  EXPECT_THAT(plan.proof, testing::StartsWith("budget: the search ended after "));
  EXPECT_LT(plan.work, 5000);
}

TEST(PlanShapesTest, MoreShapesThanAreKeptAtOnce) {
  World world;
  world.node("n1", {.cpu = 100'000});
  world.group("g", 30);
  for (int i = 0; i < 30; ++i) {
    world.pod("g" + std::to_string(100 + i), {.group = "g", .cpu = 100 + i});
  }
  EXPECT_THAT(world.step(), testing::SizeIs(30));
}

// Tries every assignment; the slow obvious answer.
bool possible(std::vector<std::int64_t>& free, const std::vector<std::int64_t>& members,
              std::size_t next, std::int64_t needed) {
  if (needed <= 0) return true;
  if (static_cast<std::int64_t>(members.size() - next) < needed) return false;
  if (possible(free, members, next + 1, needed)) return true;
  for (std::int64_t& room : free) {
    if (room < members[next]) continue;
    room -= members[next];
    const bool works = possible(free, members, next + 1, needed - 1);
    room += members[next];
    if (works) return true;
  }
  return false;
}

TEST(PlanPropertyTest, SearchEqualsTheSlowObviousOne) {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> nodes(2 + random() % 3);
    for (auto& node : nodes) node = 2 + static_cast<std::int64_t>(random() % 7);
    std::vector<std::int64_t> members(2 + random() % 5);
    for (auto& member : members) member = 1 + static_cast<std::int64_t>(random() % 5);
    const auto required = 1 + static_cast<std::int32_t>(random() % members.size());
    Planner planner(nodes, members);
    const GroupPlan plan = planner.plan(required, 10'000'000);
    std::vector<std::int64_t> free = nodes;
    const bool want = possible(free, members, 0, required);
    ASSERT_EQ(plan.outcome, want ? Outcome::Placed : Outcome::Impossible) << "seed " << seed;
    found += want ? 1 : 0;
    if (!want) continue;
    ASSERT_GE(plan.placed(), required) << "seed " << seed;
    ASSERT_TRUE(planner.consistent(plan)) << "seed " << seed;
  }
  EXPECT_GT(found, 50);
  EXPECT_LT(found, 380);
}

}  // namespace
}  // namespace quorate::scheduler
