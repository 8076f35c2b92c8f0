#include <gtest/gtest.h>

#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

// As a profile without arguments has them.
const Plugin& node_resources_fit() {
  static const std::shared_ptr<const Plugin> kPlugin = make_node_resources_fit({});
  return *kPlugin;
}
const Plugin& balanced_allocation() {
  static const std::shared_ptr<const Plugin> kPlugin = make_balanced_allocation({});
  return *kPlugin;
}
const Plugin& node_affinity() {
  static const std::shared_ptr<const Plugin> kPlugin = make_node_affinity({});
  return *kPlugin;
}

struct ScoreCase {
  std::string name;
  const Plugin& (*plugin)();
  NodeArgs node;
  PodArgs running;  // cpu and memory of what is there; both 0: nothing
  PodArgs pod;
  std::int64_t want;
};

class ScoreTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(ScoreTest, Scores) {
  const ScoreCase& test = GetParam();
  World world;
  world.node("n", test.node);
  if (test.running.cpu + test.running.memory > 0) {
    PodArgs running = test.running;
    running.node = "n";
    world.pod("running", running);
  }
  const cluster::PodSpec spec = make_pod("p", test.pod);
  const cluster::Demand demand = world.model.demand(spec.spec, spec.requests);
  const cluster::NodeId node = world.model.find_node("n");
  const auto& plugin = dynamic_cast<const ScorePlugin&>(test.plugin());
  EXPECT_EQ(plugin.score({&demand}, {world.model, node, *world.model.node(node).spec}), test.want);
}

const PodArgs kNothing{.cpu = 0};
const NodeArgs kSmall{.memory = 8 * kGi};
const NodeArgs kLarge{.memory = 16 * kGi};

INSTANTIATE_TEST_SUITE_P(
    Formulas, ScoreTest,
    testing::ValuesIn(std::vector<ScoreCase>{
        // clang-format off
        // LeastAllocated: cpu (4000-1000)/4000 = 75, memory (8-4)/8 = 50, mean 62.
        {"Mean", node_resources_fit, kSmall, kNothing, {.memory = 4 * kGi}, 62},
        {"Empty8Gi", node_resources_fit, kSmall, kNothing, {.memory = 2 * kGi}, 75},
        // cpu 75, memory 14/16 = 87, mean 81.
        {"Empty16Gi", node_resources_fit, kLarge, kNothing, {.memory = 2 * kGi}, 81},
        // cpu (4000-2000)/4000 = 50, memory (16-8)/16 = 50.
        {"Used16Gi", node_resources_fit, kLarge, {.memory = 2 * kGi}, {.memory = 6 * kGi}, 50},
        // No request counts as 100m and 200Mi: cpu 97, memory 97.
        {"NoRequest", node_resources_fit, kSmall, kNothing, kNothing, 97},
        {"NoMemoryOnNode", node_resources_fit, {.memory = 0}, kNothing, {}, 75},
        // 50 + (50 + with - without) / 2; both even: 100 and 100.
        {"Balanced8Gi", balanced_allocation, kSmall, kNothing, {.memory = 2 * kGi}, 75},
        // with: |1/4 - 1/8| / 2 = 1/16, 93.75 -> 93; without 100: 50 + 43/2.
        {"Balanced16Gi", balanced_allocation, kLarge, kNothing, {.memory = 2 * kGi}, 71},
        // with: cpu 2/4, memory 8/16 = 100; without: |1/4 - 1/8|/2 = 93: 50 + 57/2.
        {"BetterBalanced", balanced_allocation, kLarge, {.memory = 2 * kGi}, {.memory = 6 * kGi}, 78},
        // with: cpu 1/4, memory 6/8: 1/2 / 2 = 75; without 100: 50 + 25/2.
        {"WorseBalanced", balanced_allocation, kSmall, kNothing, {.memory = 6 * kGi}, 62},
        {"PreferNoSchedule", taint_toleration,
            {.taints = {{"a", "", "PreferNoSchedule"}, {"b", "", "PreferNoSchedule"}}}, kNothing,
            {.tolerations = {{"a", "Exists", "", "PreferNoSchedule"}}}, 1},
        {"TolerationOfAnotherEffect", taint_toleration, {.taints = {{"a", "", "PreferNoSchedule"}}},
            kNothing, {.tolerations = {{"a", "Exists", "", "NoSchedule"}}}, 1},
        {"PreferredTerms", node_affinity, {.labels = {{"zone", "a"}}}, kNothing,
            {.affinity = {std::nullopt, {{30, {{{"zone", Requirement::Op::In, {"a"}}}, {}}},
                                         {20, {{{"zone", Requirement::Op::In, {"b"}}}, {}}},
                                         {10, {{{"zone", Requirement::Op::Exists, {}}}, {}}}}}}, 40},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(BestNodeTest, FewerPreferNoScheduleTaintsWin) {
  World world;
  world.node("a", {.taints = {{"x", "", "PreferNoSchedule"}}});
  world.node("b");
  world.pod("p");
  EXPECT_EQ(world.step(), std::vector<std::string>{"bind p b"});
}

TEST(BestNodeTest, WeightZeroSwitchesAScoreOff) {
  Config config;
  config.profiles.front().score_weights = {{"TaintToleration", 0}};
  World world(config);
  world.node("a", {.taints = {{"x", "", "PreferNoSchedule"}}});
  world.node("b");
  world.pod("p");
  EXPECT_EQ(world.step(), std::vector<std::string>{"bind p a"});
}

TEST(BestNodeTest, TiesGoToFewerPodsThenToTheFirstName) {
  World world;
  for (const char* name : {"c", "b", "a"}) world.node(name, {.cpu = 0, .memory = 0});
  world.pod("running", {.cpu = 0, .node = "a"});
  for (const char* name : {"p1", "p2", "p3"}) world.pod(name, {.cpu = 0});
  // Without cpu and memory to score: b has 0 pods and comes before c; then c; then all have 1.
  EXPECT_EQ(world.step(), (std::vector<std::string>{"bind p1 b", "bind p2 c", "bind p3 a"}));
}

TEST(BestNodeTest, HugeCapacityIsNotReadAsNone) {
  World world;
  const std::int64_t huge = 10'000'000'000'000'000;  // 10P
  world.node("a", {.memory = 100 * huge / 10, .more = {{"x/y", Quantity{huge}}}});
  world.pod("p", {.memory = kGi, .more = {{"x/y", Quantity{1}}}});
  EXPECT_EQ(world.step(), std::vector<std::string>{"bind p a"});
}

}  // namespace
}  // namespace quorate::scheduler
