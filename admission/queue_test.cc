// Order in a queue, requeue, parking and moving back.

#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

std::string order(const World& world, const std::string& queue) {
  std::string all;
  for (const ObjectKey& key : world.admitter.pending(queue)) {
    all += (all.empty() ? "" : ", ") + key.name;
  }
  return all;
}

struct OrderCase {
  std::string name;
  bool by_creation = false;
  std::string evicted_reason;  // of a, created at t-100; b at t-50, a's eviction at t-20
  bool evicted = true;
  std::string want;
};

class QueueTimeTest : public ::testing::TestWithParam<OrderCase> {};

TEST_P(QueueTimeTest, Orders) {
  const OrderCase& given = GetParam();
  World world;
  world.config.requeue_by_creation = given.by_creation;
  world.admitter.set_config(world.config);
  world.queues("q {f/cpu=1}");
  world.waiting("a>q p0 t-100 cpu=1; b>q p0 t-50 cpu=1");
  World::set(world.workloads.at("a"), "Evicted", given.evicted, given.evicted_reason,
             World::kNow - Duration::seconds(20));
  world.see("a");
  EXPECT_EQ(order(world, "q"), given.want);
}

INSTANTIATE_TEST_SUITE_P(Vectors, QueueTimeTest,
                         ::testing::ValuesIn(std::vector<OrderCase>{
                             {"AE02", false, "PodsReadyTimeout", true, "b, a"},
                             {"AE03", true, "PodsReadyTimeout", true, "a, b"},
                             {"AE04", false, "Preempted", true, "a, b"},
                             {"AE05", true, "AdmissionCheck", true, "b, a"},
                             {"AE06", false, "PodsReadyTimeout", false, "a, b"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(QueueTest, AE01PriorityThenAge) {
  World world;
  world.queues("q {f/cpu=1}");
  world.waiting("a>q p0 t-20 cpu=1; b>q p0 t-30 cpu=1; c>q p5 t-10 cpu=1");
  EXPECT_EQ(order(world, "q"), "c, b, a");
}

TEST(QueueTest, AE09EqualAgeGoesByUid) {
  World world;
  world.queues("q {f/cpu=1}");
  for (const auto& [name, uid] : {std::pair("first", "y"), std::pair("second", "x")}) {
    WorkloadSpec spec = testing::workload(name, "main*1: cpu=1");
    spec.uid = uid;
    spec.queue_name = "q";
    world.see(spec);
  }
  EXPECT_EQ(order(world, "q"), "second, first");
}

TEST(QueueTest, BoostAddsToThePriority) {
  World world;
  world.config.priority_boost = true;
  world.admitter.set_config(world.config);
  world.queues("q {f/cpu=1}");
  world.waiting("a>q p5 t-20 cpu=1; b>q p0 t-30 cpu=1");
  world.workloads.at("b").priority_boost = 6;
  world.see("b");
  EXPECT_EQ(order(world, "q"), "b, a");
}

// --- requeue ---

TEST(RequeueTest, AE11NoFitIsParkedAE13ButNotInStrictOrder) {
  World world;
  world.queues("q {f/cpu=4}; s {f/cpu=4} (StrictFIFO)");
  world.waiting("a>q p0 t0 cpu=6; b>s p0 t0 cpu=6");
  world.cycle();
  EXPECT_EQ(world.parked(), "a");
  EXPECT_EQ(world.heap(), "b");
}

TEST(RequeueTest, AE12FlavorsLeftToTryAreTriedAtOnce) {
  World world;
  // p1 stops at f1 of two; p2 finds nothing.
  world.queues("q {f1/cpu=4, f2/cpu=4} {g/gpu=1}");
  WorkloadSpec spec = testing::workload("w", "p1*1: cpu=1 | p2*1: gpu=2");
  spec.queue_name = "q";
  world.see(spec);
  world.cycle();
  EXPECT_EQ(world.heap(), "w");
  world.cycle();  // the scan goes on behind f1 and reaches the last
  EXPECT_EQ(world.parked(), "w");
}

TEST(RequeueTest, AE14NamespaceMismatchIsParkedInStrictOrderToo) {
  World world;
  world.queues("s {f/cpu=4} (StrictFIFO namespaceSelector=null)");
  world.waiting("w>s p0 t0 cpu=1");
  world.cycle();
  EXPECT_EQ(world.parked(), "w");
}

TEST(RequeueTest, AE15LostInTheCycleIsTriedAgain) {
  World world;
  world.queues("a@k {f/cpu=0}; b@k {f/cpu=0}; s@k {f/cpu=4}");
  world.waiting("x>a p1 t0 cpu=3; y>b p0 t0 cpu=3");
  world.cycle();
  EXPECT_EQ(world.heap(), "y");
  EXPECT_EQ(world.admitter.waiting({"ns", "y"})->message,
            "Workload no longer fits after processing another workload");
  world.cycle();
  EXPECT_EQ(world.parked(), "y");
}

TEST(RequeueTest, AE17BackoffParksUntilItsTime) {
  World world;
  world.queues("q {f/cpu=4}");
  world.waiting("w>q p0 t0 cpu=1");
  world.workloads.at("w").requeue_at = World::kNow + Duration::seconds(60);
  world.cycle();
  world.carry_out(world.last);
  World again;
  again.queues("q {f/cpu=4}");
  again.cycle();
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.queue_name = "q";
  spec.requeue_at = World::kNow + Duration::seconds(60);
  again.see(spec);
  EXPECT_EQ(World::text(again.settle()), "");
  EXPECT_EQ(again.parked(), "w");
  again.settle(Duration::seconds(2));
  EXPECT_EQ(again.admitter.next_wakeup(), spec.requeue_at);
  EXPECT_EQ(World::text(again.settle(Duration::seconds(57))), "");
  EXPECT_EQ(World::text(again.settle(Duration::seconds(1))), "admit w");
}

// --- what frees a parked workload ---

class ParkedTest : public ::testing::Test {
 protected:
  ParkedTest() {
    world.queues("a@k {f/cpu=4}; b@k {f/cpu=4}; other {f/cpu=4}");
    world.holding("run@b f/cpu=4; far@other f/cpu=4");
    world.waiting("w>a p0 t0 cpu=6");
    world.settle();
    world.settle(Duration::seconds(2));
    EXPECT_EQ(world.parked(), "w");
  }
  World world;
};

TEST_F(ParkedTest, AE18LabelsAreNothing) {
  world.see("w");
  EXPECT_EQ(world.parked(), "w");
}

TEST_F(ParkedTest, AE19NewPriority) {
  world.workloads.at("w").priority = 7;
  world.see("w");
  EXPECT_EQ(world.heap(), "w");
}

TEST_F(ParkedTest, AE20PodsThatAreDone) {
  WorkloadSpec spec = testing::workload("many", "main*9: cpu=1");
  spec.queue_name = "a";
  world.see(spec);
  world.cycle();
  EXPECT_EQ(world.parked(), "many, w");
  world.workloads.at("many").reclaimable_pods["main"] = 6;
  world.see("many");
  EXPECT_EQ(world.heap(), "many");
  EXPECT_EQ(World::text(world.cycle()), "admit many");
  EXPECT_EQ(world.used("a"), "f/cpu=3");
}

TEST_F(ParkedTest, AE21EndOfAWorkloadOfTheTree) {
  world.finish("run");
  EXPECT_EQ(World::text(world.cycle()), "admit w");
}

TEST_F(ParkedTest, OtherEventsAreServedWithinABatch) {
  world.queues("cohort k {f/cpu=2}");
  world.cycle();
  EXPECT_EQ(world.parked(), "w");
  EXPECT_EQ(world.admitter.next_wakeup(), world.now + Duration::seconds(1));
  EXPECT_EQ(World::text(world.cycle(Duration::millis(999))), "");
  EXPECT_EQ(World::text(world.cycle(Duration::millis(1))), "admit w");
}

TEST_F(ParkedTest, AE22EndOfAWorkloadOfAnotherTreeIsNothing) {
  world.finish("far");
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "");
  EXPECT_EQ(world.parked(), "w");
}

TEST_F(ParkedTest, AE23NamespaceThatNoLongerMatchesStays) {
  ClusterQueueSpec spec = world.specs.at("a");
  spec.namespace_selector = LabelSelector{{{"team", Requirement::Op::In, {"red"}}}};
  world.admitter.apply(spec);
  world.finish("run");
  world.settle();
  world.settle(Duration::seconds(2));
  EXPECT_EQ(world.parked(), "w");
  world.admitter.apply(NamespaceSpec{"ns", {{"team", "red"}}});
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "admit w");
}

TEST_F(ParkedTest, MoreQuotaAnywhereInTheTree) {
  world.queues("cohort k {f/cpu=2}");
  world.settle();
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "admit w");
}

TEST_F(ParkedTest, QueueDeletedTakesItsQuotaAlong) {
  world.admitter.cluster_queue_gone("b");
  world.settle();
  world.settle(Duration::seconds(2));
  EXPECT_EQ(world.parked(), "w");
  const std::string message = world.admitter.waiting({"ns", "w"})->message;
  EXPECT_NE(message.find("maximum capacity (4)"), std::string::npos) << message;
}

TEST_F(ParkedTest, AE25EqualNewcomerIsParkedWithItsReason) {
  WorkloadSpec spec = testing::workload("twin", "main*1: cpu=6");
  spec.queue_name = "a";
  world.see(spec);
  EXPECT_EQ(world.parked(), "twin, w");
  EXPECT_EQ(World::text(world.settle()), "hold twin WaitingForQuota");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message,
            "Bypassed scheduling evaluation because an equivalent workload recently failed");
  world.finish("run");
  EXPECT_EQ(World::text(world.settle()), "admit twin");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(2))), "hold w WaitingForQuota");
}

TEST_F(ParkedTest, AE51ConditionsAloneDoNotFreeAMemberOfAParkedClass) {
  World::set(world.workloads.at("w"), "Requeued", true, "BackoffFinished");
  world.see("w");
  EXPECT_EQ(world.parked(), "w");
  world.workloads.at("w").generation++;
  world.see("w");
  EXPECT_EQ(world.parked(), "w");
}

TEST(ParkedClassTest, AE26StrictQueuesKnowNoClasses) {
  World world;
  world.queues("s {f/cpu=4} (StrictFIFO)");
  world.waiting("a>s p0 t0 cpu=6; b>s p0 t1 cpu=6");
  world.settle();
  EXPECT_EQ(world.heap(), "a, b");
}

TEST(ParkedClassTest, EqualsFurtherDownAreParkedWhenTheyGetThere) {
  World world;
  world.queues("q {f/cpu=4}");
  world.waiting("a>q p0 t-30 cpu=6; b>q p0 t-20 cpu=3; c>q p0 t-10 cpu=6; d>q p0 t-5 cpu=1");
  world.settle();
  EXPECT_EQ(world.parked(), "a, c");
  EXPECT_EQ(world.used("q"), "f/cpu=4");
}

TEST(StrictTest, BlockedQueueComesToRestAndWakesWithRoom) {
  World world;
  world.queues("q@k {f/cpu=4} (StrictFIFO); r@k {f/cpu=2}");
  world.holding("run@q f/cpu=4");
  world.waiting("a>q p0 t-30 cpu=6; b>q p0 t-20 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold a WaitingForQuota");
  EXPECT_FALSE(world.admitter.busy());
  world.finish("run");
  EXPECT_TRUE(world.admitter.busy());
  EXPECT_EQ(World::text(world.settle()), "admit a; hold b WaitingForQuota");
}

TEST(QueueTest, WorkloadThatChangesItsQueueLeavesTheOldOne) {
  World world;
  world.queues("a {f/cpu=1}; b {f/cpu=9}");
  world.waiting("w>a p0 t0 cpu=5");
  world.settle();
  EXPECT_EQ(world.parked(), "w");
  world.workloads.at("w").queue_name = "b";
  world.see("w");
  EXPECT_EQ(order(world, "a"), "");
  EXPECT_EQ(World::text(world.settle()), "admit w");
  EXPECT_EQ(world.admitter.local_queue({"ns", "b"})->reserving, 1);
}

TEST(QueueTest, QueuesMayAppearInAnyOrder) {
  World world;
  WorkloadSpec spec = testing::workload("w", "main*1: cpu=1");
  spec.queue_name = "q";
  world.see(spec);
  EXPECT_EQ(World::text(world.settle()), "hold w Misconfigured");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "LocalQueue q doesn't exist");
  world.admitter.apply(LocalQueueSpec{{"ns", "q"}, "u", "cq"});
  EXPECT_EQ(World::text(world.settle()), "hold w Misconfigured");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "ClusterQueue cq doesn't exist");
  world.admitter.apply(testing::queue("cq {f/cpu=1}"));
  EXPECT_EQ(World::text(world.settle()), "hold w Suspended");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message, "ClusterQueue cq is inactive");
  world.admitter.apply(FlavorSpec{"f"});
  EXPECT_EQ(World::text(world.settle()), "admit w");
}

TEST(QueueTest, LimitRangesAndRuntimeClassesReachWhatIsPending) {
  World world;
  world.queues("q {f/cpu=4}");
  world.holding("run@q f/cpu=2");
  WorkloadSpec spec = testing::workload("w", "main*3: ");
  auto pod = std::make_shared<PodTemplate>();
  pod->containers.push_back({"main", {}, {}});
  pod->runtime_class = "kata";
  spec.pod_sets[0].pod = pod;
  spec.queue_name = "q";
  LimitRangeItem item;
  item.default_requests["cpu"] = Quantity{1000};
  world.admitter.apply(LimitRangeSpec{{"ns", "lr"}, {item}});
  world.see(spec);
  world.settle();
  EXPECT_EQ(world.parked(), "w");  // 3 of 2
  item.default_requests["cpu"] = Quantity{500};
  world.admitter.apply(LimitRangeSpec{{"ns", "lr"}, {item}});
  world.admitter.apply(RuntimeClassSpec{"kata", {{"cpu", Quantity{100}}}});
  EXPECT_EQ(World::text(world.settle()), "admit w");
  EXPECT_EQ(world.used("q"), "f/cpu=3800m");
}

TEST(QueueTest, WrongRequestsAreReportedAndNothingElseSuffers) {
  World world;
  world.queues("q {f/cpu=4}");
  WorkloadSpec spec = testing::workload("wrong", "main*1: cpu=2", 5);
  auto pod = std::make_shared<PodTemplate>(*spec.pod_sets[0].pod);
  pod->containers[0].limits["cpu"] = Quantity{1000};
  spec.pod_sets[0].pod = pod;
  spec.queue_name = "q";
  world.see(spec);
  world.waiting("fine>q p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "hold wrong Misconfigured; admit fine");
  EXPECT_EQ(std::get<Hold>(world.last[0]).message,
            "resources validation failed: spec.podSets[0].template.spec.containers[0]: Invalid "
            "value: [\"cpu\"]: requests must not exceed its limits");
}

TEST(QueueTest, NegativeRequestsAreNoCredit) {
  World world;
  world.queues("q {f/cpu=4}");
  world.waiting("minus>q p1 t0 cpu=-100; feast>q p0 t0 cpu=20");
  EXPECT_EQ(World::text(world.settle()), "admit minus; hold feast ExceedsMaxQuota");
  EXPECT_EQ(world.used("q"), "f/cpu=0");
}

}  // namespace
}  // namespace quorate::admission
