// What a group that waits is told: the cause, its layer and the figures of each domain.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

const std::string kGpu = "nvidia.com/gpu";

PodArgs gpus(std::int64_t count) { return {.cpu = 100, .more = {{kGpu, Quantity{count}}}}; }
NodeArgs gpu_node(std::int64_t count, const std::string& rack = "r1") {
  return {.cpu = 64000, .labels = {{"rack", rack}}, .more = {{kGpu, Quantity{count}}}};
}

std::string told(World& world, const std::string& group = "g") {
  world.step();
  return world.view(group).diagnosis.text();
}

TEST(DiagnosisTest, EachDomainSaysHowManyFitAndWhatTheOthersLack) {
  World world;
  for (const char* n : {"a", "b", "c"}) world.node(n, gpu_node(2, "r3"));
  world.node("d", gpu_node(2, "r1"));
  PodGroupSpec group = make_group("g", 4);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 4, gpus(2));
  EXPECT_EQ(told(world),
            "layer topology, TopologyDomain: rack r3: 3 of 4 members fit, short 2 nvidia.com/gpu; "
            "rack r1: 1 of 4 members fit, short 6 nvidia.com/gpu");
}

TEST(DiagnosisTest, EightFreeInTwos) {
  World world;
  for (const char* n : {"a", "b", "c", "d"}) world.node(n, gpu_node(2));
  world.group("g", 1);
  members(world, "g", 1, gpus(8));
  EXPECT_EQ(told(world),
            "layer node, Fragmentation: cluster: 0 of 1 members fit, 8 nvidia.com/gpu free as "
            "2+2+2+2");
}

TEST(DiagnosisTest, GpuModelMismatchIsNotJustAnySelector) {
  World world;
  NodeArgs node = gpu_node(8);
  node.labels["nvidia.com/gpu.product"] = "A100";
  world.node("a", node);
  world.group("g", 1);
  PodArgs wants = gpus(1);
  wants.selector = {{"nvidia.com/gpu.product", "H100"}};
  members(world, "g", 1, wants);
  EXPECT_EQ(told(world),
            "layer node, GpuModel: cluster: 0 of 1 members fit, 1 node(s) didn't match Pod's node "
            "affinity/selector");
  world.group("h", 1);
  members(world, "h", 1, {.selector = {{"disk", "ssd"}}});
  EXPECT_EQ(told(world, "h"),
            "layer node, NodeAffinity: cluster: 0 of 1 members fit, 1 node(s) didn't match Pod's "
            "node affinity/selector");
}

TEST(DiagnosisTest, TaintsAreCounted) {
  World world;
  world.node("a", {.taints = {{"gpu", "", "NoSchedule"}}});
  world.group("g", 1);
  members(world, "g", 1);
  EXPECT_EQ(world.view("g").diagnosis.cause, GroupCause::None);
  EXPECT_THAT(told(world), testing::StartsWith("layer node, Taint: cluster: 0 of 1 members fit, 1 "
                                               "node(s) had untolerated taint"));
}

TEST(DiagnosisTest, CapacityForSomeButNotForTheMinimum) {
  World world;
  world.node("a", {.cpu = 3000});
  world.group("g", 4);
  members(world, "g", 4);
  EXPECT_EQ(told(world),
            "layer gang, CapacityBelowMinimum: cluster: 3 of 4 members fit, short 1 cpu");
}

TEST(DiagnosisTest, GroupsThatWereNotTriedSayWhatTheyWaitFor) {
  World world;
  world.group("few", 2);
  members(world, "few", 1);
  EXPECT_EQ(told(world, "few"), "layer gang, IncompleteGroup");
  PodGroupSpec queued = make_group("q", 1);
  queued.needs_admission = true;
  world.scheduler.apply(queued);
  members(world, "q", 1);
  EXPECT_EQ(told(world, "q"), "layer queue, QueueAdmission");
}

TEST(DiagnosisTest, PreemptionThatWouldHelpAndMayNotBe) {
  World world;
  world.node("a", {.cpu = 1000});
  world.pod("low", {.scheduler = "else", .priority = 1, .node = "a"});
  world.group("g", 1);
  members(world, "g", 1, {.priority = 9, .policy = "Never"});
  EXPECT_THAT(told(world), testing::StartsWith("layer node, PreemptionNotAllowed: "));
}

TEST(DiagnosisTest, NobodyHasTheTopologyLabel) {
  World world;
  world.node("a");
  PodGroupSpec group = make_group("g", 1);
  group.topology_key = "nvlink";
  world.scheduler.apply(group);
  members(world, "g", 1);
  EXPECT_EQ(told(world), "layer topology, TopologyLabel");
}

TEST(DiagnosisTest, ComesWithTheConditionAndGoesWhenThereIsRoom) {
  World world;
  world.node("a", {.cpu = 1000});
  world.group("g", 2);
  members(world, "g", 2);
  const std::vector<Decision> decisions = world.decide();
  EXPECT_EQ(std::get<GroupStatus>(decisions.back()).diagnosis.cause,
            GroupCause::CapacityBelowMinimum);
  world.node("b", {.cpu = 1000});
  world.after(10);
  EXPECT_EQ(world.view("g").diagnosis, GroupDiagnosis{});
}

}  // namespace
}  // namespace quorate::scheduler
