#include "src/scheduler/placement.h"

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

GangRequest request(const std::string& name, std::vector<PodSetRequest> sets) {
  return {{"ns", name}, "uid-" + name, std::move(sets)};
}
PodSetRequest pods(const std::string& set, std::int32_t count, PodArgs args = {}) {
  return {set, count, make_pod("x", std::move(args)).spec, {}, {}};
}

class PlacementTest : public testing::Test {
 protected:
  GangPlacer& placer() { return placer_; }

  World world;
  Config config;

 private:
  GangPlacer placer_{world.model, world.journal, config};
};

TEST_F(PlacementTest, HoldsTheWholeGangOrNothing) {
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 2000});
  EXPECT_EQ(placer().reserve(request("a", {pods("main", 3)})), std::nullopt);
  const std::string held = world.digest();
  const auto why = placer().reserve(request("b", {pods("head", 1), pods("work", 2)}));
  ASSERT_TRUE(why);
  EXPECT_EQ(world.digest(), held);
  placer().release("uid-a");
  EXPECT_EQ(placer().reserve(request("b", {pods("head", 1), pods("work", 2)})), std::nullopt);
}

TEST_F(PlacementTest, NamesThePodSetAndTheReason) {
  world.node("n1", {.cpu = 2000});
  const auto why =
      placer().reserve(request("a", {pods("head", 1), pods("work", 1, {.cpu = 5000})}));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->pod_set, "work");
  EXPECT_THAT(why->why, StartsWith("0/1 nodes are available: 1 Insufficient cpu. (bound: "));
}

TEST_F(PlacementTest, FlavorsNarrowTheNodes) {
  world.node("n1");
  world.node("n2", {.labels = {{"flavor", "spot"}}, .taints = {{"spot", "", "NoSchedule"}}});
  GangRequest gang = request("a", {pods("main", 1)});
  gang.pod_sets[0].node_labels = {{"flavor", "spot"}};
  EXPECT_TRUE(placer().reserve(gang));
  gang.pod_sets[0].tolerations = {{"spot", "Exists", "", ""}};
  EXPECT_FALSE(placer().reserve(gang));
  EXPECT_EQ(world.model.used(world.model.find_node("n2"), cluster::kPods), 1);
}

TEST_F(PlacementTest, VanishesWithTheTransaction) {
  world.node("n1");
  const std::string before = world.digest();
  {
    Transaction trial(world.journal);
    EXPECT_FALSE(placer().reserve(request("a", {pods("main", 2)})));
    EXPECT_NE(world.digest(), before);
  }
  EXPECT_EQ(world.digest(), before);
}

TEST_F(PlacementTest, AgainReplacesWhatWasReserved) {
  world.node("n1", {.cpu = 2000});
  EXPECT_FALSE(placer().reserve(request("a", {pods("main", 2)})));
  EXPECT_FALSE(placer().reserve(request("a", {pods("main", 1)})));
  EXPECT_EQ(world.model.used(world.model.find_node("n1"), cluster::kPods), 1);
}

TEST_F(PlacementTest, ReservedRoomIsClosedToOthersAndOpenToItsMembers) {
  world.node("n1", {.cpu = 2000});
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 2)})));
  world.pod("thief", {.priority = 100});
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod thief Unschedulable")));
  world.group("g", 2);
  for (const char* name : {"m0", "m1"}) {
    world.pod(name, {.group = "g",
                     .pod_labels = {{"kueue.x-k8s.io/podset", "main"}},
                     .annotations = {{"kueue.x-k8s.io/workload", "job"}}});
  }
  EXPECT_THAT(world.step(), ElementsAre("bind m0 n1", "bind m1 n1"));
  EXPECT_EQ(world.model.reservation("uid-job"), nullptr);
  EXPECT_EQ(world.model.used(world.model.find_node("n1"), cluster::kCpu), 2000);
}

TEST_F(PlacementTest, PodWithoutAGroupTakesItsPlaceToo) {
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 2)})));
  world.pod("m0", {.pod_labels = {{"kueue.x-k8s.io/podset", "main"}},
                   .annotations = {{"kueue.x-k8s.io/workload", "job"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind m0 n1"));
  EXPECT_EQ(world.model.reservation("uid-job")->pods.size(), 1u);
}

TEST_F(PlacementTest, PodBoundByAnotherSchedulerUsesUpAPlace) {
  world.node("n1", {.cpu = 2000});
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 2)})));
  world.pod("m0", {.scheduler = "else",
                   .node = "n1",
                   .pod_labels = {{"kueue.x-k8s.io/podset", "main"}},
                   .annotations = {{"kueue.x-k8s.io/workload", "job"}}});
  EXPECT_EQ(world.model.used(world.model.find_node("n1"), cluster::kCpu), 2000);
  EXPECT_EQ(world.model.reservation("uid-job")->pods.size(), 1u);
}

TEST_F(PlacementTest, AdmittedGroupTakesTheReservationOfItsWorkload) {
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  PodGroupSpec group = make_group("g", 1);
  group.needs_admission = true;
  world.scheduler.apply(group);
  world.pod("m0", {.group = "g"});
  world.pod("in-the-way", {.scheduler = "else", .node = "n1"});
  EXPECT_FALSE(placer().reserve(request("w", {pods("main", 1)})));  // on n2
  world.gone("in-the-way");
  world.scheduler.admit_group({{"ns", "g"}, {}, {}, "w", "main"});
  EXPECT_THAT(world.step(), ElementsAre("bind m0 n2"));
  EXPECT_TRUE(world.model.reservations().empty());
}

TEST_F(PlacementTest, FailedGangKeepsItsReservation) {
  world.node("n1", {.cpu = 2000});
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 1)})));
  world.group("g", 3);
  for (const char* name : {"m0", "m1", "m2"}) {
    world.pod(name, {.group = "g",
                     .pod_labels = {{"kueue.x-k8s.io/podset", "main"}},
                     .annotations = {{"kueue.x-k8s.io/workload", "job"}}});
  }
  world.step();
  EXPECT_NE(world.model.reservation("uid-job"), nullptr);
  EXPECT_FALSE(world.scheduler.busy());
}

TEST_F(PlacementTest, ReleasedReservationWakesThoseItKeptOut) {
  world.node("n1", {.cpu = 1000});
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 1)})));
  world.pod("p");
  world.step();
  placer().release("uid-job");
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
}

TEST_F(PlacementTest, NothingToPlaceIsPlaced) {
  EXPECT_FALSE(placer().reserve(request("job", {pods("main", 0)})));
}

}  // namespace
}  // namespace quorate::scheduler
