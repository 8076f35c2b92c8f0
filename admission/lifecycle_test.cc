// Workloads that hold quota: assumption and confirmation, restart, deactivation.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

// --- assumed against seen ---

class AssumedTest : public ::testing::Test {
 protected:
  AssumedTest() {
    world.queues("q {f/cpu=4}");
    world.waiting("w>q p0 t0 cpu=3; next>q p0 t1 cpu=3");
    EXPECT_EQ(World::text(world.settle()), "admit w; hold next WaitingForQuota");
    admit = world.last[0];
    EXPECT_EQ(world.used("q"), "f/cpu=3");
  }
  World world;
  Decision admit;
};

TEST_F(AssumedTest, ConfirmedByTheNextObject) {
  world.carry_out(admit);
  EXPECT_EQ(World::text(world.settle()), "");
  EXPECT_EQ(world.used("q"), "f/cpu=3");
  EXPECT_EQ(world.admitter.cluster_queue("q")->admitted, 1);
}

TEST_F(AssumedTest, FailedWriteGivesTheQuotaBackAndIsTriedAgain) {
  world.admitter.workload_written({"ns", "w"}, "uid-w", false, false);
  EXPECT_EQ(world.used("q"), "f/cpu=0");
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST_F(AssumedTest, WriteToAnObjectThatIsGoneIsNotTriedAgain) {
  world.admitter.workload_written({"ns", "w"}, "uid-w", false, true);
  EXPECT_EQ(world.used("q"), "f/cpu=0");
  EXPECT_EQ(World::text(world.settle()), "admit next");
}

TEST_F(AssumedTest, OutcomeForAnotherUidIsDropped) {
  world.admitter.workload_written({"ns", "w"}, "uid-old", false, false);
  EXPECT_EQ(world.used("q"), "f/cpu=3");
}

TEST_F(AssumedTest, OlderObjectDoesNotUndoIt) {
  world.see("w");
  EXPECT_EQ(world.used("q"), "f/cpu=3");
  world.admitter.workload_written({"ns", "w"}, "uid-w", true, false);
  world.see("w");
  EXPECT_EQ(world.used("q"), "f/cpu=3");
}

TEST_F(AssumedTest, ReservationThatCameAndWentUnseenIsReleased) {
  world.admitter.workload_written({"ns", "w"}, "uid-w", true, false);
  World::set(world.workloads.at("w"), "QuotaReserved", false, "PendingEvaluation",
             world.now + Duration::seconds(3), "Preempted to …");
  world.see("w");
  EXPECT_EQ(world.used("q"), "f/cpu=0");
}

TEST_F(AssumedTest, SameNameWithAnotherUidIsAnotherWorkload) {
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.uid = "uid-new";
  spec.queue_name = "q";
  world.see(spec);
  EXPECT_EQ(world.used("q"), "f/cpu=0");
  world.admitter.workload_gone({"ns", "w"}, "uid-w");  // late: of the old one
  EXPECT_EQ(World::text(world.settle()), "admit w; admit next");
  EXPECT_EQ(world.used("q"), "f/cpu=4");
}

TEST_F(AssumedTest, WhatTheApiShowsWins) {
  WorkloadSpec& spec = world.workloads.at("w");
  spec.admission = Admission{"q", {{"main", {{"cpu", "f"}}, {{"cpu", Quantity{1000}}}, 1, {}}}};
  World::set(spec, "QuotaReserved", true, "QuotaReserved");
  world.see("w");
  EXPECT_EQ(world.used("q"), "f/cpu=1");
  world.see("w");
  EXPECT_EQ(world.used("q"), "f/cpu=1");
}

TEST_F(AssumedTest, DeletionReleasesIt) {
  world.admitter.workload_gone({"ns", "w"}, "uid-w");
  EXPECT_EQ(world.used("q"), "f/cpu=0");
  EXPECT_EQ(World::text(world.settle()), "admit next");
}

TEST_F(AssumedTest, FinishReleasesItAlthoughTheAdmissionStays) {
  world.carry_out(admit);
  world.finish("w");
  EXPECT_EQ(world.used("q"), "f/cpu=0");
  EXPECT_EQ(world.admitter.cluster_queue("q")->reserving, 0);
}

TEST_F(AssumedTest, PodsThatAreDoneGiveTheirPartBack) {
  WorkloadSpec many = testing::workload("many", "main*4: cpu=250m");
  many.queue_name = "q";
  many.admission = Admission{"q", {{"main", {{"cpu", "f"}}, {{"cpu", Quantity{1000}}}, 4, {}}}};
  World::set(many, "QuotaReserved", true, "QuotaReserved");
  world.see(many);
  EXPECT_EQ(world.used("q"), "f/cpu=4");
  world.workloads.at("many").reclaimable_pods["main"] = 3;
  world.see("many");
  EXPECT_EQ(world.used("q"), "f/cpu=3250m");
}

TEST(RestartTest, WhatHoldsQuotaIsChargedOnceWhateverComesFirst) {
  for (const bool queue_first : {true, false}) {
    World world;
    if (queue_first) world.queues("q {f/cpu=4}");
    world.holding("w@q f/cpu=3");
    world.see("w");
    if (!queue_first) world.queues("q {f/cpu=4}");
    EXPECT_EQ(world.used("q"), "f/cpu=3");
    world.waiting("big>q p0 t0 cpu=2");
    EXPECT_EQ(World::text(world.settle()), "hold big WaitingForQuota");
    EXPECT_EQ(world.admitter.cluster_queue("q")->reserving, 1);
    EXPECT_EQ(world.admitter.local_queue({"ns", "q"})->admitted, 1);
  }
}

TEST(RestartTest, FinishedWorkloadsTakeNothing) {
  World world;
  world.queues("q {f/cpu=4}");
  world.holding("w@q f/cpu=3");
  world.finish("w");
  EXPECT_EQ(world.used("q"), "f/cpu=0");
}

TEST(RestartTest, QueueDeletedAndMadeAgainFindsItsUsage) {
  World world;
  world.queues("q {f/cpu=4}");
  world.holding("w@q f/cpu=3");
  world.admitter.cluster_queue_gone("q");
  EXPECT_EQ(world.admitter.cluster_queue("q"), std::nullopt);
  EXPECT_EQ(world.admitter.local_queue({"ns", "q"})->admitted, 0);
  EXPECT_EQ(world.admitter.local_queue({"ns", "q"})->active.reason, "ClusterQueueDoesNotExist");
  EXPECT_EQ(World::text(world.settle()), "");  // an admitted workload runs on
  world.queues("q {f/cpu=4}");
  EXPECT_EQ(world.used("q"), "f/cpu=3");
}

// --- deactivation, gates ---

TEST(DeactivationTest, AdmittedIsEvictedAndComesBackWhenTheUserSays) {
  World world;
  world.queues("q {f/cpu=4}");
  world.holding("w@q f/cpu=1");
  world.workloads.at("w").active = false;
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "evict w Deactivated");
  EXPECT_EQ(std::get<Evict>(world.last[0]).message, "The workload is deactivated");
  world.carry_out(world.last);
  world.release("w", false);
  EXPECT_EQ(World::text(world.settle()), "hold w Deactivated");
  world.carry_out(world.last);
  EXPECT_EQ(world.heap() + world.parked(), "");
  world.workloads.at("w").active = true;
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "requeue w Reactivated");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST(DeactivationTest, PendingNeverGetsQuotaWhileInactive) {
  World world;
  world.queues("q {f/cpu=4}");
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.queue_name = "q";
  spec.active = false;
  world.see(spec);
  EXPECT_EQ(World::text(world.settle()), "evict w Deactivated");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "hold w Deactivated");
}

TEST(DeactivationTest, ControllersTargetSaysWhy) {
  World world;
  world.queues("q {f/cpu=4}");
  world.holding("w@q f/cpu=1");
  World::set(world.workloads.at("w"), "DeactivationTarget", true, "MaximumExecutionTimeExceeded",
             World::kNow, "exceeding the maximum execution time");
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "");  // until the host has set spec.active=false
  world.workloads.at("w").active = false;
  world.see("w");
  world.settle();
  const Evict evict = std::get<Evict>(world.last.at(0));
  EXPECT_EQ(evict.reason, "DeactivatedDueToMaximumExecutionTimeExceeded");
  EXPECT_EQ(evict.message,
            "The workload is deactivated due to exceeding the maximum execution time");
}

TEST(GateTest, GatedWorkloadsAreNotQueued) {
  World world;
  world.queues("q {f/cpu=4}");
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.queue_name = "q";
  spec.gated = true;
  spec.gated_by = "example.com/approval";
  world.see(spec);
  EXPECT_EQ(World::text(world.settle()), "hold w AdmissionGated");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "Admission is gated by: example.com/approval");
  EXPECT_EQ(world.heap() + world.parked(), "");
  spec.gated = false;
  world.see(spec);
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST(GateTest, ReasonsThatAreOverAreReplacedWhileItWaitsForItsTurn) {
  World world;
  world.queues("q {f/cpu=4} (StrictFIFO)");
  world.waiting("head>q p9 t0 cpu=9; gated>q p0 t0 cpu=1; lost>q p0 t1 cpu=1; fresh>q p0 t2 cpu=1");
  World::set(world.workloads.at("gated"), "QuotaReserved", false, "AdmissionGated", World::kNow,
             "Admission is gated by: example.com/approval");
  world.see("gated");
  World::set(world.workloads.at("lost"), "QuotaReserved", false, "Misconfigured", World::kNow,
             "LocalQueue q doesn't exist");
  world.see("lost");
  EXPECT_EQ(World::text(world.settle()),
            "hold head ExceedsMaxQuota; hold gated PendingEvaluation; hold lost PendingEvaluation");
  EXPECT_EQ(std::get<Hold>(world.last[1]).message,
            "AdmissionGatedBy cleared, waiting for quota reservation");
  EXPECT_EQ(std::get<Hold>(world.last[2]).message,
            "Workload is pending evaluation in the scheduling queue");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "");
}

TEST(GateTest, OnHoldAndReplacementPodsKeepItOut) {
  World world;
  world.queues("q {f/cpu=4}");
  world.waiting("w>q p0 t0 cpu=1; v>q p0 t0 cpu=1");
  World::set(world.workloads.at("w"), "QuotaReserved", false, "OnHold", World::kNow,
             "Job is on hold");
  World::set(world.workloads.at("v"), "WaitingForReplacementPods", true, "PodsFailed");
  world.see("w");
  world.see("v");
  EXPECT_EQ(World::text(world.settle()), "");
}

}  // namespace
}  // namespace quorate::admission
