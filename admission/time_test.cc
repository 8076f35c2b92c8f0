// Time: pods that do not get ready, backoff, execution time, retry delays.

#include <gtest/gtest.h>

#include "admission/backoff.h"
#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

constexpr Duration kMinute = Duration::seconds(60);

// --- backoff ---

struct BackoffCase {
  std::string name;
  std::int32_t base = 0, max = 0;
  std::vector<std::int64_t> want;  // whole seconds, from the first on
};

class BackoffTest : public ::testing::TestWithParam<BackoffCase> {};

TEST_P(BackoffTest, DoublesUpToTheLimit) {
  const BackoffCase& given = GetParam();
  for (std::size_t i = 0; i < given.want.size(); ++i) {
    const auto n = static_cast<std::int32_t>(i + 1);
    const Duration low = Duration::seconds(given.want[i]);
    for (const char* uid : {"", "u", "another"}) {
      const Duration delay = requeue_delay(n, given.base, given.max, uid);
      EXPECT_GE(delay, low) << n;
      EXPECT_LT(delay, low + Duration{low.nanos / 10'000 + 1}) << n;  // less than 0.01 % more
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, BackoffTest,
                         ::testing::ValuesIn(std::vector<BackoffCase>{
                             {"AE27", 60, 3600, {60, 120, 240, 480, 960, 1920, 3600, 3600}},
                             {"AE28", 10, 25, {10, 20, 25, 25}},
                             {"AE29", 100, 50, {100, 50, 50}},
                             {"Zero", 0, 3600, {0, 0, 0}},
                             {"Largest", 2147483647, 2147483647, {2147483647, 2147483647}},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(BackoffTest, NeighboursComeBackAtDifferentInstants) {
  EXPECT_NE(requeue_delay(1, 60, 3600, "a"), requeue_delay(1, 60, 3600, "b"));
  EXPECT_EQ(requeue_delay(3, 60, 3600, "a"), requeue_delay(3, 60, 3600, "a"));
}

TEST(BackoffTest, AE34SecondPasses) {
  std::string all;
  for (int n = 1; n <= 7; ++n) {
    all += std::to_string(second_pass_delay(n).nanos / 1'000'000'000) + " ";
  }
  EXPECT_EQ(all, "1 2 4 8 16 30 30 ");
}

// --- pods that do not get ready ---

class ReadyTest : public ::testing::Test {
 protected:
  ReadyTest() {
    config.timeout = kMinute * 5;
    config.recovery_timeout = kMinute;
  }
  // w holds quota, admitted now.
  void start() {
    world.config.pods_ready = config;
    world.admitter.set_config(world.config);
    world.queues("q {f/cpu=4}");
    world.settle();
    world.settle(Duration::seconds(2));  // nothing of the queue's making is left to be done
    world.waiting("w>q p0 t0 cpu=3");
    world.carry_out(world.settle());
    ASSERT_EQ(World::text(world.last), "admit w");
    world.settle();
  }
  void ready(bool yes, const std::string& reason) {
    World::set(world.workloads.at("w"), "PodsReady", yes, reason, world.now);
    world.see("w");
  }
  const Evict& evicted() const { return std::get<Evict>(world.last.at(0)); }
  // Until the write of the last decision shows, and the job has stopped.
  void go() {
    world.carry_out(world.last);
    world.release("w", false);
  }

  PodsReadyConfig config;
  World world;
};

TEST_F(ReadyTest, AE46NeverReadyIsEvicted) {
  start();
  EXPECT_EQ(world.admitter.next_wakeup(), world.now + kMinute * 5);
  EXPECT_EQ(World::text(world.settle(kMinute * 5 + Duration{-1})), "");
  EXPECT_EQ(World::text(world.settle(Duration{1})), "evict w PodsReadyTimeout");
  EXPECT_EQ(evicted().message, "Exceeded the PodsReady timeout ns/w");
  EXPECT_EQ(evicted().cause, "WaitForStart");
  ASSERT_TRUE(evicted().requeue);
  EXPECT_EQ(evicted().requeue->count, 1);
  EXPECT_EQ(evicted().requeue->at, world.now + requeue_delay(1, 60, 3600, "uid-w"));
  EXPECT_EQ(World::text(world.settle(kMinute * 0)), "");  // said already
}

TEST_F(ReadyTest, EveryUnreadyReasonButRecoveryCountsFromTheStart) {
  for (const char* reason : {"WaitForStart", "PodsReady"}) {
    World fresh;
    std::swap(world, fresh);
    start();
    ready(false, reason);
    EXPECT_EQ(World::text(world.settle(kMinute * 5)), "evict w PodsReadyTimeout") << reason;
  }
}

TEST_F(ReadyTest, ReadyInTimeStays) {
  start();
  world.settle(kMinute);
  ready(true, "Started");
  EXPECT_EQ(World::text(world.settle(kMinute * 60)), "");
}

TEST_F(ReadyTest, AE47LostPodsHaveTheRecoveryTime) {
  start();
  ready(true, "Started");
  world.settle(kMinute * 60);
  ready(false, "WaitForRecovery");
  world.settle();
  EXPECT_EQ(World::text(world.settle(kMinute + Duration{-1})), "");
  EXPECT_EQ(World::text(world.settle(Duration{1})), "evict w PodsReadyTimeout");
  EXPECT_EQ(evicted().cause, "WaitForRecovery");
}

TEST_F(ReadyTest, AE48WithoutRecoveryTimeNobodyIsEvictedForIt) {
  config.recovery_timeout.reset();
  start();
  ready(true, "Started");
  world.settle();
  ready(false, "WaitForRecovery");
  EXPECT_EQ(World::text(world.settle(kMinute * 600)), "");
}

TEST_F(ReadyTest, OffMeansNobodyIsWatched) {
  start();
  world.config.pods_ready.reset();
  world.admitter.set_config(world.config);
  EXPECT_EQ(World::text(world.settle(kMinute * 600)), "");
}

TEST_F(ReadyTest, SwitchedOnLaterItCountsFromTheAdmission) {
  start();
  const Config on = world.config;
  world.config.pods_ready.reset();
  world.admitter.set_config(world.config);
  world.settle(kMinute * 4);
  world.admitter.set_config(on);
  EXPECT_EQ(World::text(world.settle()), "");
  EXPECT_EQ(World::text(world.settle(kMinute)), "evict w PodsReadyTimeout");
}

TEST_F(ReadyTest, ComesBackBehindOthersWhenItsBackoffIsOver) {
  start();
  world.waiting("v>q p0 t10 cpu=3");
  world.carry_out(world.settle());
  world.settle(kMinute * 5);
  ASSERT_EQ(World::text(world.last), "evict w PodsReadyTimeout");
  const Time back = *evicted().requeue->at;
  go();
  EXPECT_EQ(World::text(world.settle()), "admit v");  // w is kept out
  EXPECT_EQ(world.parked(), "w");
  world.carry_out(world.last);
  world.finish("v");
  EXPECT_EQ(World::text(world.settle(back - world.now + Duration{-1})), "");
  world.settle(Duration{1});
  EXPECT_EQ(World::text(world.last), "requeue w BackoffFinished");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST_F(ReadyTest, AE30CountGoesOnAE31AndPastTheLimitItIsDeactivated) {
  config.backoff_limit = 2;
  start();
  for (int count = 1; count <= 2; ++count) {
    world.settle(kMinute * 5);
    ASSERT_EQ(World::text(world.last), "evict w PodsReadyTimeout");
    EXPECT_EQ(evicted().requeue->count, count);
    EXPECT_EQ(evicted().requeue->at, world.now + requeue_delay(count, 60, 3600, "uid-w"));
    go();
    world.settle(kMinute * 3);
    world.carry_out(world.last);  // BackoffFinished
    world.carry_out(world.settle());
    ASSERT_EQ(World::text(world.last), "admit w");
    world.settle();
  }
  world.settle(kMinute * 5);
  EXPECT_EQ(World::text(world.last), "deactivate w RequeuingLimitExceeded");
  EXPECT_EQ(std::get<Deactivate>(world.last[0]).message,
            "exceeding the maximum number of re-queuing retries");
  world.carry_out(world.last);
  world.workloads.at("w").active = false;
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "evict w DeactivatedDueToRequeuingLimitExceeded");
  EXPECT_EQ(
      evicted().message,
      "The workload is deactivated due to exceeding the maximum number of re-queuing retries");
  go();
  world.settle();
  // Activated again it has all its tries again (B035).
  world.workloads.at("w").active = true;
  world.see("w");
  world.carry_out(world.settle());
  EXPECT_EQ(World::text(world.last), "requeue w Reactivated");
  world.carry_out(world.settle());
  EXPECT_EQ(World::text(world.last), "admit w");
  world.settle();
  world.settle(kMinute * 5);
  EXPECT_EQ(World::text(world.last), "evict w PodsReadyTimeout");
  EXPECT_EQ(evicted().requeue->count, 1);
}

TEST_F(ReadyTest, AE32LimitOfNoneDeactivatesAtTheFirst) {
  config.backoff_limit = 0;
  start();
  EXPECT_EQ(World::text(world.settle(kMinute * 5)), "deactivate w RequeuingLimitExceeded");
}

TEST_F(ReadyTest, OfStoppedQueuesFirst) {
  start();
  world.admitter.apply(LocalQueueSpec{{"ns", "q"}, "uid-lq-q", "q", StopPolicy::HoldAndDrain});
  EXPECT_EQ(World::text(world.settle(kMinute * 5)), "evict w LocalQueueStopped");
}

// --- one at a time ---

TEST_F(ReadyTest, AE49NobodyIsAdmittedWhileSomebodyIsNotReady) {
  config.block_admission = true;
  start();
  world.queues("other {g/cpu=9}");
  world.waiting("x>q p0 t0 cpu=1; y>other p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold x WaitingForPodsReady; hold y WaitingForPodsReady");
  const Hold hold = std::get<Hold>(world.last[0]);
  EXPECT_EQ(hold.message, "waiting for all admitted workloads to be in PodsReady condition");
  EXPECT_EQ(hold.proof, (Proof{Layer::Startup, {OthersNotReady{1}}}));
  EXPECT_FALSE(world.admitter.busy());  // it does not spin
  EXPECT_EQ(world.heap(), "x, y");
  ready(true, "Started");
  // The first one admitted is not ready itself.
  EXPECT_EQ(World::text(world.settle()), "admit x");  // y was told already
  EXPECT_EQ(world.heap(), "y");
  world.carry_out(world.last[0]);
  World::set(world.workloads.at("x"), "PodsReady", true, "Started", world.now);
  world.see("x");
  EXPECT_EQ(World::text(world.settle()), "admit y");
}

TEST_F(ReadyTest, OneThatGoesNoLongerBlocks) {
  config.block_admission = true;
  start();
  world.waiting("x>q p0 t0 cpu=1");
  world.settle();
  world.admitter.workload_gone({"ns", "w"}, "uid-w");
  EXPECT_EQ(World::text(world.settle()), "admit x");
}

TEST_F(ReadyTest, ForksCountForThemselves) {
  config.block_admission = true;
  start();
  world.waiting("x>q p0 t0 cpu=1");
  world.settle();
  Journal journal;
  Admitter fork(world.admitter, journal);
  fork.workload_gone({"ns", "w"}, "uid-w");
  EXPECT_EQ(World::text(fork.cycle(world.now)), "admit x");
  EXPECT_EQ(World::text(world.settle()), "");
}

// --- execution time ---

class ExecutionTest : public ::testing::Test {
 protected:
  void start(int maximum, int spent) {
    world.queues("q {f/cpu=4}");
    world.settle();
    world.settle(Duration::seconds(2));
    WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
    spec.queue_name = "q";
    spec.max_execution_seconds = maximum;
    spec.past_execution_seconds = spent;
    world.see(spec);
    world.carry_out(world.settle());
    world.settle();
  }
  World world;
};

TEST_F(ExecutionTest, AE43EarlierRunsCount) {
  start(100, 70);
  EXPECT_EQ(world.admitter.next_wakeup(), world.now + Duration::seconds(30));
  EXPECT_EQ(World::text(world.settle(Duration::seconds(29))), "");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))),
            "deactivate w MaximumExecutionTimeExceeded");
  const Deactivate decision = std::get<Deactivate>(world.last[0]);
  EXPECT_EQ(decision.message, "exceeding the maximum execution time");
  EXPECT_TRUE(decision.reset_execution_time);
}

TEST_F(ExecutionTest, SpentBeforehandEndsAtOnce) {
  start(100, 100);
  world.see("w");
  EXPECT_EQ(World::text(world.settle()), "");  // said already
  World again;
  std::swap(world, again);
  world.queues("q {f/cpu=4}");
  world.holding("v@q f/cpu=1");  // for 60 s
  world.workloads.at("v").max_execution_seconds = 60;
  world.see("v");
  EXPECT_EQ(World::text(world.settle()), "deactivate v MaximumExecutionTimeExceeded");
}

TEST_F(ExecutionTest, WaitingForChecksIsNotExecution) {
  world.admitter.apply(AdmissionCheckSpec{"c", "example.com/checker", true});
  world.queues("q {f/cpu=4}");
  world.specs.at("q").admission_checks = {{"c", {}}};
  world.admitter.apply(world.specs.at("q"));
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.queue_name = "q";
  spec.max_execution_seconds = 10;
  spec.checks = {{"c", CheckState::Pending, world.now, {}, ""}};
  world.see(spec);
  world.carry_out(world.settle());
  EXPECT_EQ(World::text(world.settle(Duration::seconds(100))), "");
}

TEST_F(ExecutionTest, SeveralClocksOfOneWorkloadAreKept) {
  world.config.pods_ready = PodsReadyConfig{kMinute * 5, kMinute, false, {}, 60, 3600};
  world.admitter.set_config(world.config);
  start(1000, 0);
  EXPECT_EQ(world.admitter.next_wakeup(), world.now + kMinute * 5);
  World::set(world.workloads.at("w"), "PodsReady", true, "Started", world.now);
  for (int i = 0; i < 100; ++i) {
    world.see("w");
    world.settle();
  }
  const Time start_at = world.now;
  EXPECT_EQ(World::text(world.settle(kMinute * 5)), "");  // the first goes off for nothing
  EXPECT_EQ(world.admitter.next_wakeup(), start_at + Duration::seconds(1000));
  EXPECT_EQ(World::text(world.settle(Duration::seconds(700))),
            "deactivate w MaximumExecutionTimeExceeded");
}

}  // namespace
}  // namespace quorate::admission
