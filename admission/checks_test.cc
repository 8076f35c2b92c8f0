// Admission checks, and stopped queues.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

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
  world.carry_out(world.settle());
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
  EXPECT_EQ(World::text(world.settle()), "deactivate w AdmissionCheck");
  EXPECT_EQ(std::get<Deactivate>(world.last[0]).message,
            "AdmissionCheck in Rejected state: \"b\" (too dear)");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "");
  world.workloads.at("w").active = false;
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "evict w DeactivatedDueToAdmissionCheck");
  const Evict evict = std::get<Evict>(world.last[0]);
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
  world.carry_out(world.settle());
  EXPECT_EQ(World::text(world.settle(Duration::seconds(59))), "");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "deactivate w AdmissionCheck");
}

TEST_F(CheckTest, RejectedWhileOnItsWayOutDeactivatesForGood) {  // B037
  start({{"a", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Ready);
  world.carry_out(world.settle());
  check("a", CheckState::Retry);
  world.carry_out(world.settle());
  check("a", CheckState::Rejected, {}, "no");
  EXPECT_EQ(World::text(world.settle()), "deactivate w AdmissionCheck");
  world.carry_out(world.last);
  world.workloads.at("w").active = false;
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "evict w DeactivatedDueToAdmissionCheck");
  world.carry_out(world.last);
  world.release("w", false);
  EXPECT_EQ(World::text(world.settle()), "hold w Deactivated");
  world.carry_out(world.last);
  EXPECT_EQ(world.used("q"), "f1/cpu=0, f2/cpu=0");
  world.workloads.at("w").active = true;
  world.see("w");
  world.carry_out(world.settle());
  EXPECT_EQ(World::text(world.settle()), "admit w (checks)");
}

TEST_F(CheckTest, RetryDelayIsWrittenOnceAndNeverMovedEarlier) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  world.carry_out(world.settle());
  const Time start_at = world.now;
  check("a", CheckState::Retry, 60);
  EXPECT_EQ(World::text(world.settle()), "postpone w");
  EXPECT_EQ(std::get<Postpone>(world.last[0]).until, start_at + Duration::seconds(60));
  world.carry_out(world.last);
  check("b", CheckState::Retry, 30);
  EXPECT_EQ(World::text(world.settle()), "");
  EXPECT_EQ(world.used("q"), "f1/cpu=1, f2/cpu=0");  // quota is kept meanwhile
  EXPECT_EQ(World::text(world.settle(Duration::seconds(60))), "evict w AdmissionCheck");
}

// --- the list of checks ---

TEST_F(CheckTest, CheckAddedToAQueueIsListedOnThoseWhoRunAndThoseWhoWait) {
  start({});
  world.waiting("w>q p0 t0 cpu=1; big>q p0 t1 cpu=9");
  world.settle();
  ASSERT_EQ(World::text(world.last), "admit w; hold big ExceedsMaxQuota");
  world.carry_out(world.last);
  world.admitter.apply(AdmissionCheckSpec{"new", "example.com/checker", true});
  ClusterQueueSpec spec = world.specs.at("q");
  spec.admission_checks = {{"new", {}}};
  world.admitter.apply(spec);
  EXPECT_EQ(World::text(world.settle()), "checks w new");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "");  // it runs on although the check is pending
  check("new", CheckState::Retry, {}, "no");
  EXPECT_EQ(World::text(world.settle()), "evict w AdmissionCheck");
}

TEST_F(CheckTest, CheckTakenFromAQueueLetsThoseInWhoWaitedForIt) {
  start({{"a", {}}, {"b", {}}});
  world.waiting("w>q p0 t0 cpu=1");
  check("a", CheckState::Pending);
  check("b", CheckState::Pending);
  world.carry_out(world.settle());
  check("b", CheckState::Ready);
  ClusterQueueSpec spec = world.specs.at("q");
  spec.admission_checks = {{"b", {}}};
  world.admitter.apply(spec);
  EXPECT_EQ(World::text(world.settle()), "checks w b");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "confirm w");
}

TEST_F(CheckTest, ThoseBehindTheHeadListTheirChecksToo) {
  start({{"a", {}}});
  ClusterQueueSpec strict = world.specs.at("q");
  strict.admission_checks = {{"a", {}}};
  strict.strategy = QueueingStrategy::StrictFifo;
  world.admitter.apply(strict);
  world.waiting("head>q p0 t0 cpu=9; w>q p0 t1 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold head ExceedsMaxQuota; checks w a");
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
    world.specs.at("q").admission_checks = {{"c", {}}};
    world.admitter.apply(world.specs.at("q"));
    world.holding("run@q f/cpu=1; half@q f/cpu=2");
    World::set(world.workloads.at("half"), "Admitted", false, "UnsatisfiedAdmissionChecks");
    world.workloads.at("half").checks = {{"c", CheckState::Pending, World::kNow, {}, ""}};
    world.workloads.at("run").checks = {{"c", CheckState::Ready, World::kNow, {}, ""}};
    world.see("half");
    world.see("run");
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
  EXPECT_EQ(World::text(world.settle()), "admit run (checks)");  // they start anew
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
  EXPECT_EQ(World::text(world.settle()), "drop half Suspended; postpone run");
  world.carry_out(world.last);
  world.settle(Duration::seconds(59));
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "evict run AdmissionCheck");
}

}  // namespace
}  // namespace quorate::admission
