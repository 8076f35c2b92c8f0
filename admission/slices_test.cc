// Slices of elastic jobs: one workload in the place of another.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

class SliceTest : public ::testing::Test {
 protected:
  // `old` of ns/q holds quota for `pods` pods of 1 cpu each from that flavor.
  void running(std::int32_t pods, const std::string& flavor = "f") {
    WorkloadSpec spec = testing::workload("old", "main*" + std::to_string(pods) + ": cpu=1", 0,
                                          World::kNow - Duration::seconds(100));
    spec.queue_name = "q";
    spec.admission =
        Admission{"q", {{"main", {{"cpu", flavor}}, {{"cpu", Quantity{1000 * pods}}}, pods, {}}}};
    World::set(spec, "QuotaReserved", true, "QuotaReserved", World::kNow - Duration::seconds(60));
    World::set(spec, "Admitted", true, "Admitted", World::kNow - Duration::seconds(60));
    world.see(spec);
  }
  void larger(std::int32_t pods, const std::string& name = "new") {
    WorkloadSpec spec = testing::workload(name, "main*" + std::to_string(pods) + ": cpu=1", 0);
    spec.queue_name = "q";
    spec.replaces = ObjectKey{"ns", "old"};
    spec.owner_uid = "job";
    world.see(spec);
  }
  std::string flavor_of(const Decision& decision) const {
    return std::get<Admit>(decision).admission.pod_sets.at(0).flavors.at("cpu");
  }
  World world;
};

TEST_F(SliceTest, SL01OnlyTheDifferenceHasToBeFree) {
  world.queues("q {f/cpu=6}");
  running(4);
  larger(6);
  EXPECT_EQ(World::text(world.settle()), "admit new; finish old WorkloadSliceReplaced");
  EXPECT_EQ(std::get<Admit>(world.last[0]).admission.pod_sets.at(0).usage.at("cpu"),
            Quantity{6000});
  EXPECT_EQ(std::get<Finish>(world.last[1]).message,
            "Replaced to accommodate a workload (UID: uid-new, JobUID: job) due to workload slice "
            "aggregation");
  EXPECT_EQ(world.used("q"), "f/cpu=10");  // until the end of the old one is seen
  world.carry_out(world.last);
  EXPECT_EQ(world.used("q"), "f/cpu=6");
}

TEST_F(SliceTest, SL02MoreThanIsFreeWaitsAndTheOldOneRunsOn) {
  world.queues("q {f/cpu=5}");
  running(4);
  larger(6);
  EXPECT_EQ(World::text(world.settle()), "hold new WaitingForQuota");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message,
            "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
            "f, 1 more needed");
  EXPECT_EQ(world.used("q"), "f/cpu=4");
}

TEST_F(SliceTest, SL03ItsFlavorIsKept) {
  world.queues("q {f1/cpu=9, f2/cpu=9}");
  running(4, "f2");
  larger(6);
  world.settle();
  ASSERT_EQ(World::text(world.last), "admit new; finish old WorkloadSliceReplaced");
  EXPECT_EQ(flavor_of(world.last[0]), "f2");
}

TEST_F(SliceTest, SL03AnotherFlavorIsNoWayOut) {
  world.queues("q {f1/cpu=9, f2/cpu=5}");
  running(4, "f2");
  larger(6);
  EXPECT_EQ(World::text(world.settle()), "hold new WaitingForQuota");
  EXPECT_EQ(
      std::get<Hold>(world.last[0]).message,
      "couldn't assign flavors to pod set main: could not assign f1 flavor since the original "
      "workload is assigned: f2, insufficient unused quota for cpu in flavor f2, 1 more needed");
}

TEST_F(SliceTest, SL04OthersArePreemptedForTheRestAndNotItself) {
  world.queues("q {f/cpu=6} (within=LowerPriority)");
  running(4);
  world.holding("low@q f/cpu=2 p-1");
  larger(6);
  EXPECT_EQ(World::text(world.settle()),
            "evict low InClusterQueue; hold new WaitingForPreemptedWorkloads");
}

TEST_F(SliceTest, SL06FewerPodsGiveTheirQuotaToThoseWhoWait) {
  world.queues("q {f/cpu=6}");
  running(6);
  world.waiting("next>q p0 t0 cpu=2");
  world.settle();
  EXPECT_EQ(world.parked(), "next");
  world.workloads.at("old").pod_sets[0].count = 4;
  ++world.workloads.at("old").generation;
  world.see("old");
  EXPECT_EQ(world.used("q"), "f/cpu=4");
  EXPECT_EQ(World::text(world.settle()), "admit next");
}

TEST_F(SliceTest, SL08WhatTheOldOneHoldsIsNotFreeForOthers) {
  world.queues("q@k {f/cpu=6}; b@k {f/cpu=0}");
  running(4);
  larger(6);
  world.waiting("p>b p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.cycle()),
            "admit new; finish old WorkloadSliceReplaced; hold p WaitingForQuota");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "hold p WaitingForQuota");
  EXPECT_EQ(world.used("q"), "f/cpu=6");
}

TEST_F(SliceTest, SmallerPodSetsAreTakenOverAsTheyAre) {
  world.queues("q {f/cpu=6}");
  running(6);
  larger(3);
  EXPECT_EQ(World::text(world.settle()), "admit new; finish old WorkloadSliceReplaced");
  world.carry_out(world.last);
  EXPECT_EQ(world.used("q"), "f/cpu=3");
}

TEST_F(SliceTest, PodsThatAreDoneAreNotThereToBeTakenOver) {
  world.queues("q {f/cpu=6}");
  running(4);
  world.workloads.at("old").reclaimable_pods["main"] = 2;
  world.see("old");
  larger(6);  // 6 - 2 = 4 more, and 6 - 2 = 4 free
  EXPECT_EQ(World::text(world.settle()), "admit new; finish old WorkloadSliceReplaced");
}

TEST_F(SliceTest, OneThatIsOnItsWayOutCountsForNothing) {  // B041
  world.queues("q {f/cpu=10}");
  running(4);
  World::set(world.workloads.at("old"), "Evicted", true, "Preempted", World::kNow);
  world.see("old");
  larger(8);
  EXPECT_EQ(World::text(world.settle()), "hold new WaitingForQuota");
  world.release("old", true);
  world.carry_out(world.settle());
  world.settle();
  world.carry_out(world.settle(Duration::seconds(2)));
  EXPECT_LE(world.admitter.cluster_queue("q")->reserving, 1);
}

TEST_F(SliceTest, SlicesWithDifferentPredecessorsAreNotEqual) {
  world.queues("q {f/cpu=5}");
  running(4);
  larger(6);
  EXPECT_EQ(World::text(world.settle()), "hold new WaitingForQuota");
  WorkloadSpec plain = testing::workload("plain", "main*6: cpu=1", 0);
  plain.queue_name = "q";
  world.see(plain);
  EXPECT_EQ(World::text(world.settle()),
            "hold plain ExceedsMaxQuota");  // not for its equal's reason
}

TEST_F(SliceTest, SwitchedOffItIsAWorkloadLikeAnyOther) {
  world.config.elastic_slices = false;
  world.admitter.set_config(world.config);
  world.queues("q {f/cpu=9}");
  running(4);
  larger(6);
  EXPECT_EQ(World::text(world.settle()), "hold new WaitingForQuota");
}

}  // namespace
}  // namespace quorate::admission
