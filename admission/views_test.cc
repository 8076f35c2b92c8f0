// Queues that cannot admit, status figures, and the placement port.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

// --- queues that cannot admit ---

TEST(ActiveTest, CycleAmongCohortsStopsItsQueuesOnly) {
  World world;
  world.queues("cohort ring-a<ring-b; cohort ring-b<ring-a; loop@ring-a {f/cpu=4}; fine {f/cpu=4}");
  world.waiting("in>loop p0 t0 cpu=1; ok>fine p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold in Suspended; admit ok");
  EXPECT_EQ(world.admitter.cluster_queue("loop")->active.reason, "CohortCycle");
  world.admitter.apply(NamespaceSpec{"ns", {{"new", "label"}}});
  world.queues("cohort ring-b");
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "");
  EXPECT_EQ(world.admitter.cluster_queue("loop")->active.reason, "Ready");
  EXPECT_EQ(world.used("loop"), "f/cpu=1");
}

TEST(ActiveTest, EveryProblemIsNamedTheFirstIsTheReason) {
  World world;
  world.admitter.apply(AdmissionCheckSpec{"sleepy", "example.com/x", false});
  ClusterQueueSpec spec = testing::queue("q {f2/cpu=1, f1/cpu=1}");
  spec.stop_policy = StopPolicy::Hold;
  spec.admission_checks = {{"gone", {}}, {"sleepy", {}}};
  world.admitter.apply(spec);
  const std::optional<QueueView> view = world.admitter.cluster_queue("q");
  EXPECT_EQ(view->active.reason, "Stopped");
  EXPECT_EQ(view->active.message,
            "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): f1,f2, "
            "references missing AdmissionCheck(s): gone, references inactive AdmissionCheck(s): "
            "sleepy.");
  spec.defect = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: not a quantity";
  world.admitter.apply(spec);
  EXPECT_EQ(world.admitter.cluster_queue("q")->active.reason, "Unknown");
  spec.terminating = true;
  world.admitter.apply(spec);
  EXPECT_EQ(
      world.admitter.cluster_queue("q")->active,
      (ActiveView{false, "Terminating", "Can't admit new workloads; clusterQueue is terminating"}));
}

TEST(ViewsTest, BorrowedOnlyInACohortAndOnlyAboveNominal) {
  World world;
  world.queues("q {f/cpu=6}; a@k {f/cpu=2}; b@k {f/cpu=9}");
  world.holding("w@q f/cpu=6; v@a f/cpu=5");
  world.queues("q {f/cpu=2}");
  const std::optional<QueueView> alone = world.admitter.cluster_queue("q");
  EXPECT_EQ(alone->usage[0], (ResourceUsageView{"f", "cpu", Quantity{6000}, Quantity{0}}));
  const std::optional<QueueView> member = world.admitter.cluster_queue("a");
  EXPECT_EQ(member->reservation[0],
            (ResourceUsageView{"f", "cpu", Quantity{5000}, Quantity{3000}}));
}

TEST(ViewsTest, OnlyWhatChangedIsReported) {
  World world;
  world.queues("a {f/cpu=4}; b {f/cpu=4}");
  std::uint64_t cursor = 0, local_cursor = 0;
  EXPECT_EQ(World::names(world.admitter.changed_cluster_queues(cursor)), "a, b");
  world.admitter.changed_local_queues(local_cursor);
  EXPECT_EQ(World::names(world.admitter.changed_cluster_queues(cursor)), "");
  world.waiting("w>b p0 t0 cpu=1");
  EXPECT_EQ(World::names(world.admitter.changed_cluster_queues(cursor)), "b");
  EXPECT_EQ(world.admitter.changed_local_queues(local_cursor),
            (std::vector<ObjectKey>{{"ns", "b"}}));
}

// --- placement ---

class FakePort final : public PlacementPort {
 public:
  std::optional<NotPlaceable> reserve(const GangToPlace& gang) override {
    asked.push_back(gang);
    if (room < gang.pod_sets.at(0).count)
      return NotPlaceable{gang.pod_sets[0].name, "no node is free"};
    room -= gang.pod_sets[0].count;
    return std::nullopt;
  }
  void release(const std::string& uid) override { released.push_back(uid); }

  int room = 0;
  std::vector<GangToPlace> asked;
  std::vector<std::string> released;
};

TEST(PlacementTest, QuotaIsReservedOnlyWithAPlace) {
  World world;
  FakePort port;
  world.admitter.set_placement_port(&port);
  FlavorSpec flavor{"f"};
  flavor.node_labels["pool"] = "gpu";
  flavor.tolerations.push_back({"gpu", "Exists", "", "", {}});
  world.queues("q {f/gpu=8}");
  world.admitter.apply(flavor);
  world.waiting("gang>q p0 t0 4 * gpu=1; twin>q p0 t1 4 * gpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold gang TopologyPlacementFailed");
  const Hold hold = std::get<Hold>(world.last[0]);
  EXPECT_EQ(hold.proof, (Proof{Layer::Gang, {NotPlaceable{"main", "no node is free"}}}));
  EXPECT_EQ(hold.message, "couldn't place pod set main: no node is free");
  EXPECT_EQ(port.asked.size(), 1u);  // the equal one was not asked for
  EXPECT_EQ(port.asked[0].pod_sets[0].node_labels, flavor.node_labels);
  EXPECT_EQ(port.asked[0].pod_sets[0].tolerations, flavor.tolerations);
  EXPECT_EQ(world.used("q"), "f/gpu=0");
  EXPECT_EQ(world.parked(), "gang, twin");

  port.room = 5;
  world.admitter.capacity_changed();
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))),
            "admit gang; hold twin TopologyPlacementFailed");
  world.admitter.workload_gone({"ns", "gang"}, "uid-gang");
  EXPECT_EQ(port.released, std::vector<std::string>{"uid-gang"});
}

TEST(PlacementTest, RefusedInOneFlavorGoesOnToTheNext) {
  World world;
  FakePort port;
  world.admitter.set_placement_port(&port);
  world.queues("q {f1/gpu=8, f2/gpu=8}");
  world.waiting("gang>q p0 t0 4 * gpu=1");
  world.cycle();
  EXPECT_EQ(world.heap(), "gang");
  port.room = 4;
  const std::vector<Decision> got = world.cycle();
  ASSERT_EQ(World::text(got), "admit gang");
  EXPECT_EQ(std::get<Admit>(got[0]).admission.pod_sets[0].flavors.at("gpu"), "f2");
}

TEST(PlacementTest, StrictQueueSleepsUntilRoomAppears) {
  World world;
  FakePort port;
  world.admitter.set_placement_port(&port);
  world.queues("q {f/gpu=8} (StrictFIFO)");
  world.waiting("gang>q p0 t0 4 * gpu=1");
  world.settle();
  EXPECT_EQ(world.heap(), "gang");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(5))), "");
  port.room = 4;
  world.admitter.capacity_changed();
  EXPECT_EQ(World::text(world.settle()), "admit gang");
}

TEST(PlacementTest, CanBeSwitchedOff) {
  World world;
  FakePort port;
  world.admitter.set_placement_port(&port);
  world.config.prove_placement = false;
  world.admitter.set_config(world.config);
  world.queues("q {f/gpu=8}");
  world.waiting("gang>q p0 t0 4 * gpu=1");
  EXPECT_EQ(World::text(world.settle()), "admit gang");
  EXPECT_TRUE(port.asked.empty());
}

TEST(PlacementTest, AQueueMayAskOtherwise) {
  for (const bool asked : {true, false}) {
    World world;
    FakePort port;
    world.admitter.set_placement_port(&port);
    world.config.prove_placement = !asked;
    world.admitter.set_config(world.config);
    world.queues("q {f/gpu=8}");
    ClusterQueueSpec spec = world.specs.at("q");
    spec.prove_placement = asked;
    world.admitter.apply(spec);
    port.room = 4;
    world.waiting("gang>q p0 t0 4 * gpu=1");
    EXPECT_EQ(World::text(world.settle()), "admit gang");
    EXPECT_EQ(port.asked.empty(), !asked);
  }
}

TEST(Views, SharesWithFairSharing) {
  World world;
  world.queues(
      "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=2} (weight=2); b@x {f/cpu=2}; c@y {f/cpu=4}");
  world.holding("w@a f/cpu=6");
  world.settle();
  EXPECT_EQ(world.admitter.cluster_queue("a")->share, std::nullopt);
  EXPECT_EQ(world.admitter.cohort_share("x"), std::nullopt);
  std::uint64_t cursor = 0;
  EXPECT_TRUE(world.admitter.changed_cohorts(cursor).empty());
  world.config.fair_sharing = true;
  world.admitter.set_config(world.config);
  // a borrows 4 of 8 at weight 2, x 2 of 8.
  EXPECT_EQ(world.admitter.cluster_queue("a")->share->weighted(), 250);
  EXPECT_EQ(world.admitter.cluster_queue("c")->share->weighted(), 0);
  EXPECT_EQ(world.admitter.cohort_share("x")->weighted(), 250);
  EXPECT_EQ(world.admitter.cohort_share("r")->weighted(), 0);
  EXPECT_EQ(world.admitter.cohort_share("nobody"), std::nullopt);
  EXPECT_EQ(world.admitter.changed_cohorts(cursor), (std::vector<std::string>{"r", "x", "y"}));
  EXPECT_TRUE(world.admitter.changed_cohorts(cursor).empty());
  world.finish("w");
  EXPECT_EQ(world.admitter.changed_cohorts(cursor), (std::vector<std::string>{"r", "x", "y"}));
  // A sibling's quota is a sibling's share.
  std::uint64_t queues = 0;
  world.admitter.changed_cluster_queues(queues);
  world.queues("c@y {f/cpu=8}");
  world.settle();
  EXPECT_EQ(world.admitter.changed_cluster_queues(queues),
            (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace quorate::admission
