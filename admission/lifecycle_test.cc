// Workloads that hold quota: assumption and confirmation, restart, checks, stops, deactivation.

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
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "admit next");
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
  EXPECT_EQ(World::text(world.settle()), "admit w");
  EXPECT_EQ(world.used("q"), "f/cpu=1");
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
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "admit next");
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

// --- checks ---

class CheckTest : public ::testing::Test {
 protected:
  void start(const std::vector<AdmissionCheckRule>& rules) {
    for (const AdmissionCheckRule& rule : rules) {
      world.admitter.apply(AdmissionCheckSpec{rule.check, "example.com/checker", true});
    }
    world.queues("q {f1/cpu=2, f2/cpu=4}");
    ClusterQueueSpec spec = world.specs.at("q");
    spec.admission_checks = rules;
    world.admitter.apply(spec);
  }
  void check(const std::string& name, CheckState state, std::optional<int> after = {},
             const std::string& message = "") {
    WorkloadSpec& spec = world.workloads.at("w");
    std::erase_if(spec.checks, [&](const CheckStatus& one) { return one.name == name; });
    spec.checks.push_back({name, state, world.now, after, message});
    world.see("w");
  }
  std::string required() const { return World::names(world.admitter.required_checks({"ns", "w"})); }
  World world;
};

TEST_F(CheckTest, AE35QuotaIsHeldWhileChecksWaitAE36AndThenAdmitted) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  EXPECT_EQ(World::text(world.settle()), "admit w (checks)");
  world.carry_out(world.last);
  EXPECT_EQ(world.admitter.cluster_queue("q")->reserving, 1);
  EXPECT_EQ(world.admitter.cluster_queue("q")->admitted, 0);
  check("a", CheckState::Ready);
  EXPECT_EQ(World::text(world.settle()), "");
  check("b", CheckState::Ready);
  EXPECT_EQ(World::text(world.settle()), "confirm w");
  EXPECT_EQ(std::get<ConfirmAdmission>(world.last[0]).message, "The workload is admitted");
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "");  // said already
  world.carry_out(Decision(ConfirmAdmission{{"ns", "w"}, "uid-w", ""}));
  EXPECT_EQ(world.admitter.cluster_queue("q")->admitted, 1);
}

TEST_F(CheckTest, ReadyBeforehandAdmitsAtOnce) {
  start({{"a", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Ready);
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST_F(CheckTest, CheckThatIsNotListedYetIsNotReady) {
  start({{"a", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "admit w (checks)");
}

TEST_F(CheckTest, AE40to42RequiredChecksFollowTheFlavors) {
  start({{"x", {"f1"}}, {"y", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  EXPECT_EQ(required(), "y");
  world.settle();  // on f1
  EXPECT_EQ(required(), "x, y");
  world.admitter.workload_gone({"ns", "w"}, "uid-w");
  world.waiting("w>q p0 t0 cpu=3");
  world.settle();  // on f2
  EXPECT_EQ(required(), "y");
}

TEST_F(CheckTest, AE37RetryWithoutDelayEvicts) {
  start({{"a", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  world.carry_out(world.settle());
  check("a", CheckState::Retry, {}, "no nodes");
  EXPECT_EQ(World::text(world.settle()), "evict w AdmissionCheck");
  EXPECT_EQ(std::get<Evict>(world.last[0]).message,
            "Evicted due to AdmissionCheck in Retry state: \"a\" (no nodes)");
  world.carry_out(world.last);
  EXPECT_EQ(world.used("q"), "f1/cpu=1, f2/cpu=0");  // until its job has stopped
  world.workloads.at("w").checks[0].state = CheckState::Pending;
  world.release("w", false);
  EXPECT_EQ(world.used("q"), "f1/cpu=0, f2/cpu=0");
  EXPECT_EQ(World::text(world.settle()), "requeue w BackoffFinished");
  EXPECT_EQ(world.parked(), "w");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "admit w (checks)");
}

TEST_F(CheckTest, AE38RetryWaitsForTheLatestDelay) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  world.carry_out(world.settle());
  const Time start_at = world.now;
  check("a", CheckState::Retry, 60);
  world.settle(Duration::seconds(10));
  check("b", CheckState::Retry, 30);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(49))), "");
  EXPECT_EQ(world.admitter.next_wakeup(), start_at + Duration::seconds(60));
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "evict w AdmissionCheck");
}

TEST_F(CheckTest, AE39RejectedDeactivates) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  world.carry_out(world.settle());
  check("a", CheckState::Retry);
  check("b", CheckState::Rejected, {}, "too dear");
  EXPECT_EQ(World::text(world.settle()), "evict w DeactivatedDueToAdmissionCheck");
  const Evict evict = std::get<Evict>(world.last[0]);
  EXPECT_TRUE(evict.deactivate);
  EXPECT_EQ(
      evict.message,
      "The workload is deactivated due to AdmissionCheck in Rejected state: \"b\" (too dear)");
  world.carry_out(world.last);
  world.release("w", false);
  world.settle();
  EXPECT_EQ(world.heap() + world.parked(), "");
}

TEST_F(CheckTest, AE52RejectedWaitsForARetryDelay) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  world.carry_out(world.settle());
  check("a", CheckState::Retry, 60);
  check("b", CheckState::Rejected);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(59))), "");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))),
            "evict w DeactivatedDueToAdmissionCheck");
}

TEST_F(CheckTest, PendingWorkloadWithAFailedCheckIsNotTried) {
  start({{"a", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Rejected);
  EXPECT_EQ(World::text(world.settle()), "hold w PendingEvaluation");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "The workload has failed admission checks");
}

// --- stops ---

class StopTest : public ::testing::Test {
 protected:
  StopTest() {
    world.admitter.apply(AdmissionCheckSpec{"c", "example.com/checker", true});
    world.queues("q {f/cpu=9}");
    world.holding("run@q f/cpu=1; half@q f/cpu=2");
    World::set(world.workloads.at("half"), "Admitted", false, "UnsatisfiedAdmissionChecks");
    world.workloads.at("half").checks = {{"c", CheckState::Pending, World::kNow, {}, ""}};
    world.see("half");
    world.settle();
    world.settle(Duration::seconds(2));
  }
  void stop_cluster_queue(StopPolicy policy) {
    world.specs.at("q").stop_policy = policy;
    world.admitter.apply(world.specs.at("q"));
  }
  void stop_local_queue(StopPolicy policy) {
    world.admitter.apply(LocalQueueSpec{{"ns", "q"}, "uid-lq-q", "q", policy});
  }
  World world;
};

TEST_F(StopTest, AE44HoldKeepsWhatIsAdmitted) {
  world.waiting("w>q p0 t0 cpu=1");
  stop_cluster_queue(StopPolicy::Hold);
  EXPECT_EQ(World::text(world.settle()), "drop half Suspended; hold w Suspended");
  EXPECT_EQ(std::get<DropReservation>(world.last[0]).message, "ClusterQueue q is stopped");
  EXPECT_EQ(std::get<Hold>(world.last[1]).message, "ClusterQueue q is inactive");
  EXPECT_EQ(world.admitter.cluster_queue("q")->active,
            (ActiveView{false, "Stopped", "Can't admit new workloads: is stopped."}));
  world.carry_out(world.last);
  EXPECT_EQ(world.used("q"), "f/cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold half Suspended");  // pending now
  EXPECT_EQ(world.heap(), "half, w");                             // they keep their place
  stop_cluster_queue(StopPolicy::None);
  world.settle();
  EXPECT_EQ(world.used("q"), "f/cpu=4");
}

TEST_F(StopTest, AE45HoldAndDrainEvictsAndTheRestartBringsBack) {
  stop_cluster_queue(StopPolicy::HoldAndDrain);
  EXPECT_EQ(World::text(world.settle()), "drop half Suspended; evict run ClusterQueueStopped");
  EXPECT_EQ(std::get<Evict>(world.last[1]).message, "The ClusterQueue is stopped");
  EXPECT_EQ(World::text(world.settle()), "");  // said already
  world.carry_out(
      world.last = {Decision(
          Evict{{"ns", "run"}, "uid-run", "ClusterQueueStopped", "The ClusterQueue is stopped"})});
  EXPECT_EQ(World::text(world.settle()), "");
  world.release("run", false);
  EXPECT_EQ(World::text(world.settle()), "hold run Suspended");
  stop_cluster_queue(StopPolicy::None);
  world.settle();
  EXPECT_EQ(std::get<Requeue>(world.last[0]),
            (Requeue{{"ns", "run"},
                     "uid-run",
                     "ClusterQueueRestarted",
                     "The ClusterQueue was restarted after being stopped"}));
  world.carry_out(world.last[0]);
  EXPECT_EQ(World::text(world.settle()), "admit run");
}

TEST_F(StopTest, LocalQueueHold) {
  world.waiting("w>q p0 t0 cpu=1");
  stop_local_queue(StopPolicy::Hold);
  EXPECT_EQ(World::text(world.settle()), "drop half Suspended; hold w Suspended");
  EXPECT_EQ(std::get<DropReservation>(world.last[0]).message, "LocalQueue q is stopped");
  EXPECT_EQ(std::get<Hold>(world.last[1]).message, "LocalQueue q is inactive");
  EXPECT_EQ(world.admitter.local_queue({"ns", "q"})->pending, 0);
  EXPECT_EQ(world.admitter.local_queue({"ns", "q"})->active.reason, "Stopped");
  stop_local_queue(StopPolicy::None);
  EXPECT_EQ(world.heap(), "w");
}

TEST_F(StopTest, LocalQueueHoldAndDrain) {
  stop_local_queue(StopPolicy::HoldAndDrain);
  EXPECT_EQ(World::text(world.settle()), "drop half Suspended; evict run LocalQueueStopped");
  EXPECT_EQ(std::get<Evict>(world.last[1]).message, "The LocalQueue is stopped");
}

TEST_F(StopTest, MissingQueuesDropWhatIsNotAdmitted) {
  world.admitter.local_queue_gone({"ns", "q"});
  EXPECT_EQ(World::text(world.settle()), "drop half Misconfigured");
  EXPECT_EQ(std::get<DropReservation>(world.last[0]).message,
            "LocalQueue q is terminating or missing");
  world.admitter.apply(LocalQueueSpec{{"ns", "q"}, "uid-lq-q", "q"});
  world.settle();
  world.admitter.cluster_queue_gone("q");
  EXPECT_EQ(World::text(world.settle()), "drop half Misconfigured");
  EXPECT_EQ(std::get<DropReservation>(world.last[0]).message,
            "ClusterQueue q is terminating or missing");
}

TEST_F(StopTest, FailedDecisionsAreMadeAgain) {
  stop_cluster_queue(StopPolicy::HoldAndDrain);
  world.settle();
  world.admitter.workload_written({"ns", "run"}, "uid-run", false, false);
  EXPECT_EQ(World::text(world.settle()), "evict run ClusterQueueStopped");
}

TEST_F(StopTest, AE53RetryDelayComesBeforeTheDrain) {
  world.workloads.at("run").checks = {{"c", CheckState::Retry, world.now, 60, ""}};
  world.see("run");
  stop_cluster_queue(StopPolicy::HoldAndDrain);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(59))), "drop half Suspended");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "evict run AdmissionCheck");
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
  EXPECT_FALSE(std::get<Evict>(world.last[0]).deactivate);
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
  world.settle();
  const Evict evict = std::get<Evict>(world.last.at(0));
  EXPECT_EQ(evict.reason, "DeactivatedDueToMaximumExecutionTimeExceeded");
  EXPECT_EQ(evict.message,
            "The workload is deactivated due to exceeding the maximum execution time");
  EXPECT_TRUE(evict.deactivate);
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

}  // namespace
}  // namespace quorate::admission
