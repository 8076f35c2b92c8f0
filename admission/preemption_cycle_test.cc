// Preemption from the first decision to the admission of who preempted: what is decided when, and
// that it ends.

#include <gtest/gtest.h>

#include "admission/messages.h"
#include "admission/testing/dice.h"
#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

std::optional<Evict> find_evict(const std::vector<Decision>& decisions, const std::string& name) {
  for (const Decision& decision : decisions) {
    const auto* evict = std::get_if<Evict>(&decision);
    if (evict != nullptr && evict->workload.name == name) return *evict;
  }
  return std::nullopt;
}

// Shows what was decided and lets evicted jobs stop, all at once or (with dice) each after a while,
// until nothing more happens. Returns how often each workload was preempted.
std::map<std::string, int> run_out(World& world, int limit, testing::Dice* dice = nullptr) {
  std::map<std::string, int> preempted;
  std::vector<std::string> stopping;
  for (int i = 0; i < limit; ++i) {
    const std::vector<Decision> batch = world.settle(Duration::seconds(2));
    if (batch.empty() && stopping.empty() && !world.admitter.next_wakeup()) return preempted;
    world.carry_out(batch);
    for (const Decision& decision : batch) {
      const auto* evict = std::get_if<Evict>(&decision);
      if (evict == nullptr) continue;
      if (evict->reason == "Preempted") ++preempted[evict->workload.name];
      stopping.push_back(evict->workload.name);
    }
    std::erase_if(stopping, [&](const std::string& name) {
      if (dice != nullptr && dice->one_in(2)) return false;
      world.release(name, true);
      return true;
    });
  }
  ADD_FAILURE() << "does not end";
  return preempted;
}

Quantity nominal(const ClusterQueueSpec& spec, const std::string& flavor) {
  for (const quota::FlavorQuotas& one : spec.resource_groups.at(0).flavors) {
    if (one.flavor == flavor) return one.resources.at(0).nominal;
  }
  return {};
}

std::string holders(const World& world) {
  std::vector<std::string> names;
  for (const auto& [name, spec] : world.workloads) {
    if (spec.admission) names.push_back(name);
  }
  return World::names(names);
}

TEST(PreemptionCycleTest, VictimIsToldOnceAndThePreemptorGetsItsPlace) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("hi>q p5 t0 cpu=4");
  const std::vector<Decision> first = world.settle();
  EXPECT_EQ(World::text(first), "evict low InClusterQueue; hold hi WaitingForPreemptedWorkloads");
  const Evict& evict = std::get<Evict>(first.at(0));
  EXPECT_EQ(evict,
            (Evict{{"ns", "low"},
                   "uid-low",
                   "Preempted",
                   "Preempted to accommodate a workload (UID: uid-hi, JobUID: UNKNOWN) due to "
                   "prioritization in the ClusterQueue; preemptor path: /q; preemptee path: /q",
                   "InClusterQueue",
                   ObjectKey{"ns", "hi"},
                   "",
                   {},
                   "uid-hi",
                   "q",
                   "; preemptor effective priority: 5 (base: 5, boost: 0); preemptee effective "
                   "priority: -1 (base: -1, boost: 0)"}));
  const Hold& hold = std::get<Hold>(first.at(1));
  EXPECT_EQ(hold.message,
            "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "
            "f, 4 more needed. Pending the preemption of 1 workload(s)");
  EXPECT_EQ(explain(hold.proof),
            "needs 4 cpu in flavor f, 0 available in ClusterQueue q; waits for preempted workloads "
            "to stop: ns/low");

  EXPECT_EQ(World::text(world.settle(Duration::seconds(5))), "");
  world.see("low");  // changed, but from before the eviction was written
  EXPECT_EQ(World::text(world.settle()), "");
  world.carry_out(first);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(60))), "");  // it stops slowly
  EXPECT_EQ(world.used("q"), "f/cpu=4");
  world.release("low", true);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "admit hi; hold low WaitingForQuota");
}

TEST(PreemptionCycleTest, PathsRunFromTheRoot) {
  World world;
  world.queues("cohort r; cohort x<r; cohort y<r; a@x {f/cpu=2} (reclaim=Any); b@y {f/cpu=2}");
  world.holding("w@b f/cpu=4 p9");
  WorkloadSpec spec = testing::workload("p", "main*1: cpu=2", 0, World::kNow);
  spec.queue_name = "a";
  spec.owner_uid = "job-7";
  world.see(spec);
  const std::optional<Evict> evict = find_evict(world.settle(), "w");
  ASSERT_TRUE(evict);
  EXPECT_EQ(evict->message,
            "Preempted to accommodate a workload (UID: uid-p, JobUID: job-7) due to reclamation "
            "within the cohort; preemptor path: /r/x/a; preemptee path: /r/y/b");
}

TEST(PreemptionCycleTest, AFailedWriteIsRepeated) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("hi>q p5 t0 cpu=4");
  world.settle();
  world.admitter.workload_written({"ns", "low"}, "uid-low", false, false);
  EXPECT_EQ(World::text(world.settle()), "evict low InClusterQueue");
}

TEST(PreemptionCycleTest, WhoIsToldIsNotDrainedAsWell) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("hi>q p5 t0 cpu=4");
  world.settle();
  ClusterQueueSpec stopped = world.specs.at("q");
  stopped.stop_policy = StopPolicy::HoldAndDrain;
  world.admitter.apply(stopped);
  EXPECT_FALSE(find_evict(world.settle(), "low"));
}

TEST(PreemptionCycleTest, WhoIsDrainedNeedNotBePreempted) {
  World world;
  world.queues("a@k {f/cpu=2} (reclaim=Any); b@k {f/cpu=2}");
  world.holding("w@b f/cpu=4 p9");
  WorkloadSpec off = world.workloads.at("w");
  off.active = false;
  world.see(off);
  world.waiting("p>a p0 t0 cpu=2");
  EXPECT_EQ(World::text(world.settle()),
            "evict w Deactivated; hold p WaitingForPreemptedWorkloads");
}

TEST(PreemptionCycleTest, NobodyOfAStoppedQueueIsPreempted) {
  World world;
  world.queues("a@k {f/cpu=2} (reclaim=Any); b@k {f/cpu=2}");
  world.holding("w@b f/cpu=4 p0");
  ClusterQueueSpec held = world.specs.at("b");
  held.stop_policy = StopPolicy::Hold;
  world.admitter.apply(held);
  world.waiting("p>a p0 t0 cpu=2");
  EXPECT_EQ(World::text(world.settle()), "hold p WaitingForQuota");
}

TEST(PreemptionCycleTest, WhatWasJustAdmittedCanBePreempted) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.waiting("low>q p0 t0 cpu=4");
  EXPECT_EQ(World::text(world.settle()), "admit low");
  world.waiting("hi>q p5 t0 cpu=4");
  EXPECT_EQ(World::text(world.settle()),
            "evict low InClusterQueue; hold hi WaitingForPreemptedWorkloads");
}

TEST(PreemptionCycleTest, PO09JustAssumedIsTheLatest) {
  World world;
  world.queues("q {f/cpu=2} (within=LowerPriority)");
  world.holding("a@q f/cpu=1 p0");  // its uid would come first
  world.waiting("v>q p0 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()), "admit v");
  world.waiting("hi>q p5 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()),
            "evict v InClusterQueue; hold hi WaitingForPreemptedWorkloads");
}

TEST(PreemptionCycleTest, WhoWasToldCountsAsLeavingBeforeItShows) {
  World world;
  world.queues("q {f/cpu=2} (within=LowerPriority)");
  world.holding("a@q f/cpu=1 p1; b@q f/cpu=1 p2");
  world.waiting("hi>q p5 t0 cpu=1");
  EXPECT_EQ(World::text(world.settle()),
            "evict a InClusterQueue; hold hi WaitingForPreemptedWorkloads");
  // A cheaper victim than the one that was told: nobody else has to leave.
  WorkloadSpec cheap = world.workloads.at("b");
  cheap.priority = -9;
  ++cheap.generation;
  world.see(cheap);
  EXPECT_EQ(World::text(world.settle(Duration::seconds(5))), "");
}

// --- who goes first in the queue ---

TEST(PreemptionCycleTest, AE07ThePreemptorGoesFirst) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("a>q p0 t0 cpu=4");
  world.settle();
  world.waiting("b>q p9 t1 cpu=4");
  EXPECT_EQ(world.admitter.pending("q").front().name, "a");
}

TEST(PreemptionCycleTest, AE08NotWhereOrderIsStrict) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority StrictFIFO)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("a>q p0 t0 cpu=4");
  world.settle();
  world.waiting("b>q p9 t1 cpu=4");
  EXPECT_EQ(world.admitter.pending("q").front().name, "b");
}

TEST(PreemptionCycleTest, AE10ADeletedPreemptorIsForgotten) {
  World world;
  world.queues("q {f/cpu=4} (within=LowerPriority)");
  world.holding("low@q f/cpu=4 p-1");
  world.waiting("a>q p0 t0 cpu=4");
  world.settle();
  world.waiting("c>q p0 t2 cpu=4; b>q p0 t1 cpu=4");
  world.admitter.workload_gone({"ns", "a"}, "uid-a");
  EXPECT_EQ(world.admitter.pending("q").front().name, "b");
}

// --- publicly reported faults ---

TEST(PreemptionCycleTest, B016AWorkloadThatNeverFitsPreemptsNobody) {
  World world;
  world.queues("own@k {f/cpu=6 b0} (reclaim=Any); guest@k {f/cpu=0 b6}");
  world.holding("g1@guest f/cpu=3; g2@guest f/cpu=3");
  world.waiting("own-huge>own p0 t-20 cpu=8; own-ok>own p0 t-10 cpu=6");
  EXPECT_EQ(run_out(world, 20), (std::map<std::string, int>{{"g1", 1}, {"g2", 1}}));
  EXPECT_EQ(holders(world), "own-ok");
}

TEST(PreemptionCycleTest, B019AVictimIsCountedOnce) {
  World world;
  world.queues("p@k {f/cpu=5} (reclaim=Any); q@k {f/cpu=5} (reclaim=Any); r@k {f/cpu=0}");
  world.holding("v@r f/cpu=6 p-5; keep@p f/cpu=2 p9");
  world.waiting("p1>p p0 t0 cpu=3; q1>q p0 t0 cpu=5; q2>q p0 t1 cpu=4");
  EXPECT_EQ(run_out(world, 20), (std::map<std::string, int>{{"v", 1}}));
  EXPECT_EQ(holders(world), "keep, p1, q1");
}

TEST(PreemptionCycleTest, B020FreedQuotaIsKeptForThePreemptor) {
  World world;
  world.queues("prod@k {f/cpu=6} (reclaim=Any); batch@k {f/cpu=0}");
  world.holding("b1@batch f/cpu=3; b2@batch f/cpu=3");
  world.waiting("big>prod p0 t0 cpu=6");
  const std::vector<Decision> first = world.settle();
  EXPECT_EQ(World::text(first),
            "evict b1 InCohortReclamation; evict b2 InCohortReclamation; hold big "
            "WaitingForPreemptedWorkloads");
  world.carry_out(first);
  world.release("b1", true);  // 20 s before the other
  const std::vector<Decision> between = world.settle(Duration::seconds(20));
  EXPECT_EQ(World::text(between), "hold big WaitingForPreemptedWorkloads; hold b1 WaitingForQuota");
  world.carry_out(between);
  world.release("b2", true);
  EXPECT_EQ(run_out(world, 20), (std::map<std::string, int>{}));
  EXPECT_EQ(holders(world), "big");
}

TEST(PreemptionCycleTest, B026OneEvictionWhileTheVictimStops) {
  World world;
  world.queues("q {f/cpu=2} (within=LowerPriority)");
  world.holding("low@q f/cpu=2 p-1");
  world.waiting("hi>q p5 t0 cpu=2");
  world.carry_out(world.settle());
  for (int second = 0; second < 60; ++second) {
    EXPECT_EQ(World::text(world.settle(Duration::seconds(1))), "");
  }
}

TEST(PreemptionCycleTest, B044ANewPriorityIsTriedAtOnce) {
  World world;
  world.queues("q {f/cpu=2} (within=LowerPriority)");
  world.holding("low@q f/cpu=2 p0");
  world.waiting("late>q p0 t0 cpu=2");
  world.carry_out(world.settle());
  WorkloadSpec raised = world.workloads.at("late");
  raised.priority = 50;
  ++raised.generation;
  world.see(raised);
  EXPECT_EQ(World::text(world.cycle()),
            "evict low InClusterQueue; hold late WaitingForPreemptedWorkloads");
}

TEST(PreemptionCycleTest, ALowerPriorityOfAHolderIsNoticed) {
  World world;
  world.queues("q {f/cpu=2} (within=LowerPriority)");
  world.holding("run@q f/cpu=2 p9");
  world.waiting("w>q p5 t0 cpu=2");
  world.carry_out(world.settle());
  world.settle(Duration::seconds(5));
  WorkloadSpec lowered = world.workloads.at("run");
  lowered.priority = 1;
  ++lowered.generation;
  world.see(lowered);
  EXPECT_EQ(World::text(world.settle()),
            "evict run InClusterQueue; hold w WaitingForPreemptedWorkloads");
}

TEST(PreemptionCycleTest, BoostCountsOnlyWithItsGate) {
  for (const bool gate : {false, true}) {
    World world;
    world.config.priority_boost = gate;
    world.admitter.set_config(world.config);
    world.queues("q {f/cpu=2} (within=LowerPriority)");
    world.holding("run@q f/cpu=2 p3");
    WorkloadSpec spec = testing::workload("w", "main*1: cpu=2", 0, World::kNow);
    spec.queue_name = "q";
    spec.priority_boost = 5;
    world.see(spec);
    EXPECT_EQ(World::text(world.settle()),
              gate ? "evict run InClusterQueue; hold w WaitingForPreemptedWorkloads"
                   : "hold w WaitingForQuota");
  }
}

TEST(PreemptionCycleTest, WhoHasPreemptedGoesFirstWithItsGate) {
  // Of two queues at the same level the one with the older workload goes first, unless the other
  // has preempted already.
  for (const bool gate : {false, true}) {
    World world;
    world.config.prioritize_preemptors = gate;
    world.admitter.set_config(world.config);
    world.queues(
        "a@k {f/cpu=4} (reclaim=LowerPriority); b@k {f/cpu=4} (reclaim=LowerPriority); "
        "s@k {f/cpu=0}");
    world.holding("v@s f/cpu=4 p-1; fix@b f/cpu=4 p9");
    world.waiting("pa>a p0 t0 cpu=4");
    world.carry_out(world.settle());
    world.holding("fix2@b f/cpu=0");
    world.admitter.workload_gone({"ns", "fix"}, "uid-fix");
    world.waiting("pb>b p5 t-9 cpu=4");
    world.release("v", true);
    // Both fit: nothing is lost by the order.
    const std::string want = gate ? "admit pa; admit pb" : "admit pb; admit pa";
    EXPECT_EQ(World::text(world.settle()).substr(0, want.size()), want);
  }
}

// --- it ends ---

// Every workload stays as it is, so what runs in the end is set by who may push out whom. Bound: no
// workload is preempted more often than there are workloads. Jobs stop at once or after a while.
//
// Two things go round by what the rules say, whoever carries them out, and are left out: in one
// tree, quota taken back whatever the priorities and preemption by priority while borrowing; and,
// unless who has preempted comes first, preemption while borrowing in favour of one that borrows
// from farther away than its victim, which therefore comes before it again.
TEST(PreemptionCycleTest, PreemptionsEnd) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Dice dice(seed);
    World world;
    world.config.prioritize_preemptors = dice.one_in(2);
    world.config.recompute_on_target_overlap = dice.one_in(2);
    world.admitter.set_config(world.config);
    const int queues = dice.pick(1, 5);
    const bool any = !world.config.prioritize_preemptors || dice.one_in(2);
    world.queues(testing::random_queues(dice, queues, any, !any));
    const int count = dice.pick(2, 14);
    for (int i = 0; i < count; ++i) {
      WorkloadSpec spec = testing::workload(
          "w" + std::to_string(i), "main*1: cpu=" + std::to_string(dice.pick(1, 5)),
          dice.pick(-2, 2), World::kNow - Duration::seconds(dice.pick(0, 4)));
      spec.queue_name = "q" + std::to_string(dice.pick(0, queues - 1));
      world.see(spec);
      if (!dice.one_in(3)) continue;  // some run before the others come
      for (const Decision& decision : world.settle(Duration::seconds(2))) {
        if (std::holds_alternative<Admit>(decision)) world.carry_out(decision);
      }
    }
    const int rounds = 100 + 10 * count * count;
    for (const auto& [name, times] : run_out(world, rounds, dice.one_in(2) ? &dice : nullptr)) {
      EXPECT_LE(times, count) << name;
    }
    for (const std::string& name : world.admitter.cluster_queues()) {
      const std::optional<QueueView> view = world.admitter.cluster_queue(name);
      if (!world.specs.at(name).cohort.empty()) continue;
      for (const ResourceUsageView& one : view->usage) {
        EXPECT_LE(one.total, nominal(world.specs.at(name), one.flavor)) << name;
      }
    }
  }
}

}  // namespace
}  // namespace quorate::admission
