#include <gmock/gmock.h>

#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using Strategy = FitArgs::Strategy;
using testing::ElementsAre;
using testing::HasSubstr;

struct StrategyCase {
  std::string name;
  FitArgs args;
  PodArgs pod;
  std::int64_t want;
};

class StrategyTest : public testing::TestWithParam<StrategyCase> {};

// One node of 4 cpu, 8Gi and 10 gpu, of which 1 cpu, 2Gi and 2 gpu are used.
TEST_P(StrategyTest, Scores) {
  World world;
  world.node("n", {.memory = 8 * kGi, .more = {{"x.io/gpu", Quantity{10}}}});
  world.pod(
      "running",
      {.memory = 2 * kGi, .more = {{"x.io/gpu", Quantity{2}}}, .scheduler = "else", .node = "n"});
  const cluster::PodSpec spec = make_pod("p", GetParam().pod);
  const cluster::Demand demand = world.model.demand(spec.spec, spec.requests);
  const cluster::NodeId node = world.model.find_node("n");
  const auto plugin = make_node_resources_fit(GetParam().args);
  EXPECT_EQ(dynamic_cast<const ScorePlugin&>(*plugin).score(
                {&demand}, {world.model, node, *world.model.node(node).spec}),
            GetParam().want);
}

FitArgs strategy(Strategy which, std::vector<std::pair<std::string, std::int64_t>> resources,
                 std::vector<std::pair<std::int32_t, std::int32_t>> shape = {}) {
  return {which, std::move(resources), std::move(shape), {}, {}};
}
const std::vector<std::pair<std::string, std::int64_t>> kBoth{{"cpu", 1}, {"memory", 1}};
const PodArgs kPod{.cpu = 1000, .memory = 4 * kGi};
const PodArgs kGpuPod{.cpu = 1000, .memory = 4 * kGi, .more = {{"x.io/gpu", Quantity{3}}}};

INSTANTIATE_TEST_SUITE_P(
    Strategies, StrategyTest,
    testing::ValuesIn(std::vector<StrategyCase>{
        // clang-format off
        // cpu 2/4, memory 6/8: free 50 and 25.
        {"LeastAllocated", strategy(Strategy::LeastAllocated, kBoth), kPod, 37},
        {"LeastAllocatedWeighted", strategy(Strategy::LeastAllocated, {{"cpu", 3}, {"memory", 1}}),
            kPod, 43},  // (150 + 25) / 4
        {"MostAllocated", strategy(Strategy::MostAllocated, kBoth), kPod, 62},  // (50 + 75) / 2
        {"MostAllocatedGpu", strategy(Strategy::MostAllocated, {{"x.io/gpu", 1}}), kGpuPod, 50},
        {"ScalarNotRequestedIsLeftOut",
            strategy(Strategy::MostAllocated, {{"cpu", 1}, {"x.io/gpu", 1}}), kPod, 50},
        {"NodeHasNone", strategy(Strategy::MostAllocated, {{"x.io/fpga", 1}}), kPod, 0},
        // Utilisation 50 and 75 on the line 0..100 -> 0..100: (50 + 75) / 2 = 62.5, to the nearest.
        {"RatioUp", strategy(Strategy::RequestedToCapacityRatio, kBoth, {{0, 0}, {100, 10}}), kPod, 63},
        {"RatioDown", strategy(Strategy::RequestedToCapacityRatio, kBoth, {{0, 10}, {100, 0}}), kPod, 38},
        // 50 -> 100; 75 -> 100 + (20 - 100) * 25 / 50 = 60.
        {"RatioBroken", strategy(Strategy::RequestedToCapacityRatio, kBoth,
                                 {{0, 0}, {50, 10}, {100, 2}}), kPod, 80},
        // Memory's 0 is left out of the mean.
        {"RatioZeroIsLeftOut", strategy(Strategy::RequestedToCapacityRatio, kBoth,
                                        {{50, 10}, {75, 0}}), kPod, 100},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(IgnoredResourcesTest, FilterSkipsThem) {
  Config config;
  config.profiles.front().args.fit.ignored_resources = {"x.io/a", "cpu"};
  config.profiles.front().args.fit.ignored_resource_groups = {"y.io"};
  World world(config);
  world.node("n");
  world.pod("a", {.more = {{"x.io/a", Quantity{5}}, {"y.io/anything", Quantity{5}}}});
  world.pod("b", {.more = {{"x.io/b", Quantity{5}}}});
  world.pod("c", {.cpu = 5000});  // only extended resources can be ignored
  EXPECT_THAT(world.step(), ElementsAre("bind a n", HasSubstr("1 Insufficient x.io/b."),
                                        HasSubstr("1 Insufficient cpu.")));
}

TEST(AddedAffinityTest, HoldsForEveryPodOfTheProfile) {
  Config config;
  config.profiles.front().args.added_affinity.required = {
      {{{{"pool", Requirement::Op::In, {"batch"}}}, {}}}};
  World world(config);
  world.node("n");
  world.pod("p");
  EXPECT_THAT(world.step(),
              ElementsAre(HasSubstr("1 node(s) didn't match scheduler-enforced node affinity.")));
  world.node("m", {.labels = {{"pool", "batch"}}});
  EXPECT_THAT(world.after(1), ElementsAre("bind p m"));
}

TEST(BalancedResourcesTest, AnyNumberOfThem) {
  World world;
  world.node("n", {.memory = 8 * kGi, .more = {{"x.io/gpu", Quantity{4}}}});
  const cluster::PodSpec spec =
      make_pod("p", {.cpu = 1000, .memory = 4 * kGi, .more = {{"x.io/gpu", Quantity{3}}}});
  const cluster::Demand demand = world.model.demand(spec.spec, spec.requests);
  const cluster::NodeId node = world.model.find_node("n");
  const auto plugin = make_balanced_allocation({{"cpu", "memory", "x.io/gpu"}});
  // Shares 1/4, 2/4, 3/4: deviation sqrt(1/24) = 0.2041, 79 (rounded down); without the pod 100:
  // 50 + (50 + 79 - 100) / 2 = 64.
  EXPECT_EQ(dynamic_cast<const ScorePlugin&>(*plugin).score(
                {&demand}, {world.model, node, *world.model.node(node).spec}),
            64);
}

}  // namespace
}  // namespace quorate::scheduler
