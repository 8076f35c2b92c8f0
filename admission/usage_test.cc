// Admission fair sharing: LocalQueues of one ClusterQueue take turns by what they used of late.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

class UsageTest : public ::testing::Test {
 protected:
  UsageTest() {
    config().half_life = Duration::seconds(600);
    world.config.usage_sharing = sharing_;
    world.admitter.set_config(world.config);
    world.queues("q {f/cpu=100} (byUsage)");
    local("l1");
    local("l2");
    world.settle();
  }

  UsageSharing& config() { return sharing_; }
  void configure() {
    world.config.usage_sharing = sharing_;
    world.admitter.set_config(world.config);
  }

  void local(const std::string& name, std::int64_t weight = fairshare::kWeightOne,
             const ExactAmounts& consumed = {}) {
    LocalQueueSpec spec{{"ns", name}, "uid-" + name, "q"};
    spec.fair_weight = weight;
    spec.consumed = consumed;
    world.admitter.apply(spec);
  }

  // "cpu 1171572875n" and the moment of the last update, in seconds from the start.
  std::string account(const std::string& name) const {
    const std::optional<QueueView> view = world.admitter.local_queue({"ns", name});
    if (!view || !view->consumed) return "none";
    std::string text;
    for (const auto& [resource, amount] : view->consumed->resources) {
      text += resource + " " + format_exact_quantity(resource, amount) + " ";
    }
    return text + "at " +
           std::to_string((view->consumed->updated - World::kNow).nanos / 1'000'000'000);
  }
  // In thousandths, penalties included.
  std::int64_t usage(const std::string& name) const {
    return static_cast<std::int64_t>(
        world.admitter.local_queue({"ns", name})->consumed->usage.billionths() / 1'000'000);
  }

  std::string admit_next() {
    const std::vector<Decision> decisions = world.cycle();
    world.carry_out(decisions);
    return World::text(decisions);
  }

 private:
  UsageSharing sharing_;

 protected:
  World world;
};

TEST_F(UsageTest, TheLocalQueueThatUsedLessGoesFirst) {
  // The penalty of x is 4 * 0.29, so y goes before the older and more important z.
  world.waiting("x>l1 p9 t-9 cpu=4; z>l1 p9 t-8 cpu=4; y>l2 p0 t-1 cpu=1");
  EXPECT_EQ(admit_next(), "admit x");
  EXPECT_EQ(admit_next(), "admit y");
  EXPECT_EQ(admit_next(), "admit z");
}

TEST_F(UsageTest, AF15UsageComesBeforePriority) {
  local("l3", fairshare::kWeightOne, {{"cpu", ExactQuantity::of("cpu", Quantity{5000})}});
  local("l4", fairshare::kWeightOne, {{"cpu", ExactQuantity::of("cpu", Quantity{3000})}});
  world.settle();
  world.waiting("x>l3 p100 t-9 cpu=1; y>l4 p0 t-1 cpu=1");
  EXPECT_EQ(world.admitter.pending("q"), (std::vector<ObjectKey>{{"ns", "y"}, {"ns", "x"}}));
  EXPECT_EQ(admit_next(), "admit y");
}

TEST_F(UsageTest, WithoutTheModeOnlyPriorityCounts) {
  world.queues("q {f/cpu=100}");
  world.waiting("x>l1 p9 t-9 cpu=4; z>l1 p9 t-8 cpu=4; y>l2 p0 t-1 cpu=1");
  EXPECT_EQ(admit_next(), "admit x");
  EXPECT_EQ(account("l1"), "none");
  // Turned on while workloads wait: they are where they belong. There is no history.
  world.queues("q {f/cpu=100} (byUsage)");
  world.settle(Duration::seconds(2));
  EXPECT_EQ(world.admitter.cluster_queue("q")->admitted, 3);
}

TEST_F(UsageTest, TurningTheModeOffAndOnLosesNobody) {
  world.queues("q {f/cpu=0} (byUsage StrictFIFO)");
  world.waiting("x>l1 p0 t-9 cpu=4; z>l1 p1 t-8 cpu=4; y>l2 p0 t-1 cpu=1");
  world.settle();
  EXPECT_EQ(world.heap(), "x, y, z");
  world.queues("q {f/cpu=0} (StrictFIFO)");
  EXPECT_EQ(world.heap(), "x, y, z");
  world.queues("q {f/cpu=0} (byUsage StrictFIFO)");
  EXPECT_EQ(world.heap(), "x, y, z");
  world.admitter.local_queue_gone({"ns", "l1"});
  EXPECT_EQ(world.heap(), "y");
  world.admitter.cluster_queue_gone("q");
  EXPECT_EQ(world.heap(), "");
}

TEST_F(UsageTest, AF12AFailedWriteTakesThePenaltyBack) {
  world.waiting("x>l1 p0 t-9 cpu=4");
  world.cycle();
  EXPECT_EQ(usage("l1"), 1171);
  world.admitter.workload_written({"ns", "x"}, world.workloads.at("x").uid, false, false);
  EXPECT_EQ(usage("l1"), 0);
}

TEST_F(UsageTest, AF14ThePenaltyMovesIntoTheAccountOnce) {
  world.admitter.apply(AdmissionCheckSpec{"check", "c", true});
  ClusterQueueSpec spec = world.specs.at("q");
  spec.admission_checks = {{"check", {}}};
  world.admitter.apply(spec);
  world.settle();
  world.waiting("x>l1 p0 t-9 cpu=4");
  EXPECT_EQ(admit_next(), "admit x (checks)");
  EXPECT_EQ(account("l1"), "at 0");
  EXPECT_EQ(usage("l1"), 1171);
  WorkloadSpec& x = world.workloads.at("x");
  x.checks = {{"check", CheckState::Ready}};
  world.see("x");
  EXPECT_EQ(admit_next(), "confirm x");
  EXPECT_EQ(account("l1"), "cpu 1171572875n at 0");
  EXPECT_EQ(usage("l1"), 1171);
  world.see("x");
  EXPECT_EQ(account("l1"), "cpu 1171572875n at 0");
}

TEST_F(UsageTest, WhoIsDeletedBeforeAdmissionOwesNothing) {
  world.admitter.apply(AdmissionCheckSpec{"check", "c", true});
  ClusterQueueSpec spec = world.specs.at("q");
  spec.admission_checks = {{"check", {}}};
  world.admitter.apply(spec);
  world.settle();
  world.waiting("x>l1 p0 t-9 cpu=4; y>l1 p0 t-8 cpu=4");
  admit_next();
  admit_next();
  EXPECT_EQ(usage("l1"), 2343);
  world.admitter.workload_gone({"ns", "x"}, world.workloads.at("x").uid);
  EXPECT_EQ(usage("l1"), 1171);
  world.finish("y");
  EXPECT_EQ(usage("l1"), 0);
}

TEST_F(UsageTest, AF16SamplesAreTakenWhenTheyAreDue) {
  world.waiting("x>l1 p0 t-9 cpu=2");
  admit_next();
  EXPECT_EQ(account("l1"), "cpu 585786437n at 0");
  world.settle(Duration::seconds(100));
  EXPECT_EQ(account("l1"), "cpu 585786437n at 0");
  EXPECT_EQ(world.admitter.next_wakeup(), World::kNow + Duration::seconds(300));
  world.settle(Duration::seconds(200));
  // 0.585786437 * 0.7071… + 2 * 0.2928… = 0.414213561 + 0.585786437, each cut
  EXPECT_EQ(account("l1"), "cpu 999999998n at 300");
  EXPECT_EQ(world.admitter.next_wakeup(), World::kNow + Duration::seconds(600));
  // l2 has nothing to sample.
  EXPECT_EQ(account("l2"), "at 0");
}

TEST_F(UsageTest, UsageFadesAndThenNobodyAsksForATimer) {
  world.waiting("x>l1 p0 t-9 cpu=2");
  admit_next();
  world.finish("x");
  for (int i = 0; i < 2000 && world.admitter.next_wakeup(); ++i) {
    world.settle(*world.admitter.next_wakeup() - world.now);
  }
  EXPECT_EQ(world.admitter.next_wakeup(), std::nullopt);
  EXPECT_EQ(usage("l1"), 0);
}

TEST_F(UsageTest, AHostWithoutAStatusIsNotWokenForIt) {
  config().sample_idle = false;
  configure();
  world.waiting("x>l1 p0 t-9 cpu=2");
  admit_next();
  world.settle(Duration::seconds(2));
  EXPECT_EQ(world.admitter.next_wakeup(), std::nullopt);
  // Whoever looks later still sees accounts that are up to date when the order matters.
  world.waiting("y>l1 p0 t0 cpu=1; z>l2 p0 t1 cpu=1");
  world.now = world.now + Duration::seconds(598);
  EXPECT_EQ(admit_next(), "admit z");
  EXPECT_EQ(account("l1"), "cpu 1292893218n at 600");  // 0.585786437 / 2 + 2 / 2
}

TEST_F(UsageTest, TheStatusIsWhereTheAccountGoesOnAfterARestart) {
  local("l3", fairshare::kWeightOne, {{"cpu", ExactQuantity{1'171'572'875}}});
  world.settle(Duration::seconds(50));
  EXPECT_EQ(account("l3"), "cpu 1171572875n at 50");
  // What comes back from the API server is what was written, and changes nothing.
  local("l3", fairshare::kWeightOne, {{"cpu", ExactQuantity{7}}});
  world.settle();
  EXPECT_EQ(account("l3"), "cpu 1171572875n at 50");
}

TEST_F(UsageTest, WeightsOfLocalQueuesAndResourcesCount) {
  config().resource_weights = {{"memory", 0}};
  configure();
  local("l3", 2 * fairshare::kWeightOne, {{"cpu", ExactQuantity::of("cpu", Quantity{5000})}});
  local("l4", fairshare::kWeightOne,
        {{"cpu", ExactQuantity::of("cpu", Quantity{3000})},
         {"memory", ExactQuantity::of("memory", Quantity{1 << 30})}});
  local("l5", 0);
  world.settle();
  world.waiting("x>l3 p0 t0 cpu=1; y>l4 p0 t0 cpu=1; z>l5 p9 t-9 cpu=1");
  EXPECT_EQ(usage("l3"), 2500);
  EXPECT_EQ(world.admitter.pending("q"),
            (std::vector<ObjectKey>{{"ns", "x"}, {"ns", "y"}, {"ns", "z"}}));
}

TEST_F(UsageTest, AForkGoesOnLikeTheOriginal) {
  world.waiting("x>l1 p9 t-9 cpu=4; z>l1 p9 t-8 cpu=4; y>l2 p0 t-1 cpu=1");
  world.carry_out(world.cycle());
  Journal journal;
  Admitter fork(world.admitter, journal);
  EXPECT_EQ(World::text(fork.cycle(world.now)), "admit y");
  EXPECT_EQ(World::text(world.cycle()), "admit y");
  EXPECT_EQ(fork.local_queue({"ns", "l1"}), world.admitter.local_queue({"ns", "l1"}));
  EXPECT_EQ(fork.next_wakeup(), world.admitter.next_wakeup());
}

}  // namespace
}  // namespace quorate::admission
