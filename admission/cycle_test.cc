// Whole cycles as tables: queues, who holds quota, who waits; and what became of them.

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "admission/messages.h"
#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

struct Case {
  std::string name;
  int cycles = 1;
  std::string queues, holding, waiting;
  std::string admitted, heap, parked;
  std::string reasons;  // "big ExceedsMaxQuota"
  bool fair_sharing = false;
  bool classes = true;
  std::string evicted;  // "low InClusterQueue"
  bool recompute = true;
};

class CycleTest : public ::testing::TestWithParam<Case> {};

TEST_P(CycleTest, Decides) {
  const Case& given = GetParam();
  World world;
  world.config.fair_sharing = given.fair_sharing;
  world.config.equivalence_classes = given.classes;
  world.config.recompute_on_target_overlap = given.recompute;
  world.admitter.set_config(world.config);
  world.queues(given.queues);
  world.holding(given.holding);
  world.cycle(Duration::seconds(-2));  // requests of the set-up are stamped and served
  world.cycle(Duration::seconds(2));
  world.waiting(given.waiting);

  std::vector<std::string> admitted, evicted;
  std::map<std::string, std::string> reasons;
  for (int i = 0; i < given.cycles; ++i) {
    for (const Decision& decision : world.cycle()) {
      if (const auto* admit = std::get_if<Admit>(&decision)) {
        admitted.push_back(admit->workload.name);
        reasons.erase(admit->workload.name);
      }
      if (const auto* evict = std::get_if<Evict>(&decision)) {
        evicted.push_back(evict->workload.name + " " + evict->preemption_reason);
      }
      if (const auto* hold = std::get_if<Hold>(&decision))
        reasons[hold->workload.name] = hold->reason;
    }
  }
  std::vector<std::string> held;
  for (const auto& [name, reason] : reasons) held.push_back(name + " " + reason);
  EXPECT_EQ(World::names(admitted), given.admitted);
  EXPECT_EQ(World::names(evicted), given.evicted);
  EXPECT_EQ(world.heap(), given.heap);
  EXPECT_EQ(world.parked(), given.parked);
  EXPECT_EQ(World::names(held), given.reasons);
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, CycleTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"AC01", 1, "q {f/cpu=4}", "", "big>q p0 t-20 cpu=6; small>q p0 t-10 cpu=2", "", "small", "big", "big ExceedsMaxQuota"},
        {"AC02", 2, "q {f/cpu=4}", "", "big>q p0 t-20 cpu=6; small>q p0 t-10 cpu=2", "small", "", "big", "big ExceedsMaxQuota"},
        {"AC03", 2, "q {f/cpu=4} (StrictFIFO)", "", "big>q p0 t-20 cpu=6; small>q p0 t-10 cpu=2", "", "big, small", "", "big ExceedsMaxQuota"},
        {"AC04", 1, "q {f/cpu=4}", "", "lo>q p0 t-20 cpu=2; hi>q p5 t-10 cpu=2", "hi", "lo", "", ""},
        {"AC05", 1, "a@k {f/cpu=2}; b@k {f/cpu=2}", "", "bo>a p9 t-50 cpu=4; nb>b p0 t-1 cpu=2", "nb", "bo", "", "bo WaitingForQuota"},
        {"AC06", 1, "a@k {f/cpu=0}; b@k {f/cpu=0}; s@k {f/cpu=4}", "", "lo>a p0 t-50 cpu=3; hi>b p5 t-1 cpu=3", "hi", "lo", "", "lo WaitingForQuota"},
        {"AC07", 1, "a@k {f/cpu=0}; b@k {f/cpu=0}; s@k {f/cpu=4}", "", "old>a p0 t-50 cpu=3; new>b p0 t-1 cpu=3", "old", "new", "", "new WaitingForQuota"},
        {"AC08", 1, "a@k {f/cpu=0}; b@k {f/cpu=0}; s@k {f/cpu=4}", "", "old>a p0 t-50 cpu=2; new>b p0 t-1 cpu=2", "new, old", "", "", ""},
        {"AC10", 1, "a@k {f/cpu=4} (reclaim=LowerPriority); b@k {f/cpu=0}", "w@a f/cpu=2 p9", "pa>a p5 t-10 cpu=3; bb>b p0 t-5 cpu=1",
         "", "bb", "pa", "bb WaitingForQuota, pa WaitingForQuota"},
        // Nothing of a reservation outlives the cycle.
        {"AC10Next", 2, "a@k {f/cpu=4} (reclaim=LowerPriority); b@k {f/cpu=0}", "w@a f/cpu=2 p9", "pa>a p5 t-10 cpu=3; bb>b p0 t-5 cpu=1",
         "bb", "", "pa", "pa WaitingForQuota"},
        {"AC11", 1, "a@k {f/cpu=4} (reclaim=Any); b@k {f/cpu=0}", "w@a f/cpu=2 p9", "pa>a p5 t-10 cpu=3; bb>b p0 t-5 cpu=1",
         "bb", "", "pa", "pa WaitingForQuota"},
        {"AC15", 1, "a@k {f/cpu=2}; b@k {f/cpu=2}; s@k {f/cpu=2}", "", "x>a p1 t0 cpu=4; y>b p0 t0 cpu=4", "x", "y", "", "y WaitingForQuota"},
        {"AC16", 1, "q {f/cpu=6}", "", "job>q p0 t0 10 min 2 * cpu=1", "job", "", "", ""},
        {"AC17", 1, "q {f/cpu=6} (namespaceSelector=null)", "", "w>q p0 t0 cpu=1", "", "", "w", "w Misconfigured"},
        {"AC18", 1, "q {f/cpu=6} (StrictFIFO namespaceSelector=null)", "", "w>q p0 t0 cpu=1", "", "", "w", "w Misconfigured"},
        {"AC19", 1, "q {f/cpu=4}", "", "a>q p0 t-30 cpu=6; b>q p0 t-20 cpu=6; c>q p0 t-10 cpu=5", "", "c", "a, b", "a ExceedsMaxQuota"},
        {"AC20", 1, "q {f/cpu=4}", "", "a>q p0 t-30 cpu=6; b>q p0 t-20 cpu=6; c>q p0 t-10 cpu=5", "", "b, c", "a", "a ExceedsMaxQuota", false, false},
        {"AC21", 1, "a@k {f/cpu=2}; b@k {f/cpu=2}; s@k {f/cpu=8}", "wa@a f/cpu=6", "pa>a p99 t-50 cpu=4; pb>b p0 t-1 cpu=5",
         "pb", "pa", "", "pa WaitingForQuota", true},
        {"AC22", 1, "a@k {f/cpu=2}; b@k {f/cpu=2}; s@k {f/cpu=8}", "wa@a f/cpu=5; wb@b f/cpu=3", "pa>a p0 t-1 cpu=1; pb>b p99 t-50 cpu=4",
         "pa", "pb", "", "pb WaitingForQuota", true},
        {"AC25NobodyToPreempt", 1, "a@k {f/cpu=3} (within=LowerPriority); b@k {f/cpu=1}", "la@a f/cpu=3 p9", "pa>a p5 t0 cpu=3; pb>b p0 t0 cpu=2",
         "", "", "pa, pb", "pa WaitingForQuota, pb WaitingForQuota"},
        {"AC26", 1, "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=0}; n@x {f/cpu=3}; b@y {f/cpu=0}", "", "far>b p9 t-50 cpu=3; near>a p0 t-1 cpu=3",
         "near", "far", "", "far WaitingForQuota"},
        {"AC09", 1, "q {f/cpu=4} (within=LowerPriority)", "low@q f/cpu=4 p-1", "hi>q p5 t0 cpu=4",
         "", "hi", "", "hi WaitingForPreemptedWorkloads", false, true, "low InClusterQueue"},
        {"AC12", 1, "a@k {f/cpu=3} (reclaim=Any); b@k {f/cpu=3} (reclaim=Any); s@k {f/cpu=0}", "big@s f/cpu=6 p0", "pa>a p5 t-10 cpu=3; pb>b p0 t-5 cpu=3",
         "", "pa, pb", "", "pa WaitingForPreemptedWorkloads, pb WaitingForPreemptedWorkloads", false, true, "big InCohortReclamation"},
        {"AC13", 1, "a@k {f/cpu=3} (reclaim=Any); b@k {f/cpu=3} (reclaim=Any); s@k {f/cpu=0}", "big@s f/cpu=6 p0", "pa>a p5 t-10 cpu=3; pb>b p0 t-5 cpu=3",
         "", "pa, pb", "", "pa WaitingForPreemptedWorkloads, pb WaitingForQuota", false, true, "big InCohortReclamation", false},
        {"AC14", 1, "a@k {f/cpu=3} (reclaim=Any); b@k {f/cpu=3} (reclaim=Any); s@k {f/cpu=0}", "s1@s f/cpu=3 p0; s2@s f/cpu=3 p0", "pa>a p5 t-10 cpu=3; pb>b p0 t-5 cpu=3",
         "", "pa, pb", "", "pa WaitingForPreemptedWorkloads, pb WaitingForPreemptedWorkloads", false, true, "s1 InCohortReclamation, s2 InCohortReclamation"},
        {"AC23", 1, "a@k {f/cpu=3} (within=LowerPriority); b@k {f/cpu=3}", "la@a f/cpu=3 p-1", "pa>a p5 t0 cpu=3; pb>b p0 t0 cpu=3",
         "pb", "pa", "", "pa WaitingForQuota"},
        {"AC23Next", 2, "a@k {f/cpu=3} (within=LowerPriority); b@k {f/cpu=3}", "la@a f/cpu=3 p-1", "pa>a p5 t0 cpu=3; pb>b p0 t0 cpu=3",
         "pb", "pa", "", "pa WaitingForPreemptedWorkloads", false, true, "la InClusterQueue"},
        {"AC24", 1, "a@k {f/cpu=4} (within=LowerPriority); b@k {f/cpu=0}", "la@a f/cpu=3 p-1", "pa>a p5 t0 cpu=4; pb>b p0 t0 cpu=1",
         "", "pa, pb", "", "pa WaitingForPreemptedWorkloads, pb WaitingForQuota", false, true, "la InClusterQueue"},
        {"AC25", 1, "a@k {f/cpu=3} (within=LowerPriority); b@k {f/cpu=1}", "la@a f/cpu=3 p-1", "pa>a p5 t0 cpu=3; pb>b p0 t0 cpu=2",
         "", "pa", "pb", "pa WaitingForPreemptedWorkloads, pb WaitingForQuota", false, true, "la InClusterQueue"},
        {"AE01", 1, "q {f/cpu=1}", "", "a>q p0 t-20 cpu=1; b>q p0 t-30 cpu=1; c>q p5 t-10 cpu=1", "c", "a, b", "", ""},
        {"CohortQuotaIsInAddition", 1, "cohort k {f/cpu=4}; a@k {f/cpu=2}; b@k {f/cpu=2}", "", "a1>a p0 t0 cpu=4; b1>b p0 t0 cpu=4", "a1, b1", "", "", ""},
        {"NotListedPodsDoNotCount", 1, "q {f/gpu=5}", "", "w>q p0 t0 2 * gpu=1", "w", "", "", ""},
        {"ListedPodsCount", 1, "q {f/gpu=5, f/pods=3}", "u@q f/pods=2", "w>q p0 t0 2 * gpu=1", "", "", "w", "w WaitingForQuota"},
        {"ZeroOfAnUnknownResource", 1, "q {f/cpu=2}", "", "w>q p0 t0 1 * cpu=1, example.com/widget=0", "w", "", "", ""},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(CycleTest, AdmissionSaysFlavorsUsageAndCounts) {
  World world;
  world.queues("q {f/cpu=6}");
  world.waiting("job>q p0 t0 10 min 2 * cpu=1");
  const std::vector<Decision> got = world.cycle();
  Admission admission{"q", {{"main", {{"cpu", "f"}}, {{"cpu", Quantity{6000}}}, 6, {}}}};
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0],
            Decision(Admit{
                {"ns", "job"}, "uid-job", admission, true, "Quota reserved in ClusterQueue q"}));
  EXPECT_EQ(world.used("q"), "f/cpu=6");
}

TEST(CycleTest, PartialAdmissionIsChargedByItsCount) {
  World world;
  world.queues("q {f/cpu=10}");
  world.holding("s@q f/cpu=4");
  world.waiting("elastic>q p0 t0 20 min 5 * cpu=1");
  world.carry_out(world.cycle());
  EXPECT_EQ(world.used("q"), "f/cpu=10");
  world.admitter.workload_gone({"ns", "s"}, "uid-s");
  EXPECT_EQ(world.used("q"), "f/cpu=6");
  world.waiting("t>q p0 t1 cpu=3");
  EXPECT_EQ(World::text(world.cycle()), "admit t");
  EXPECT_EQ(world.used("q"), "f/cpu=9");
}

TEST(CycleTest, HoldCarriesMessageAndProof) {
  World world;
  world.queues(
      "cohort research {a100/gpu=3}; team@research {a100/gpu=0}; other@research {a100/gpu=5}");
  world.holding("w@other a100/gpu=5");
  world.waiting("w4>team p0 t0 gpu=4");
  const std::vector<Decision> got = world.cycle();
  ASSERT_EQ(got.size(), 1u);
  const Hold& hold = std::get<Hold>(got[0]);
  EXPECT_EQ(hold.reason, "WaitingForQuota");
  EXPECT_EQ(hold.message,
            "couldn't assign flavors to pod set main: insufficient unused quota for gpu in flavor "
            "a100, 1 more needed");
  EXPECT_EQ(explain(hold.proof), "needs 4 gpu in flavor a100, 3 available in cohort research");
  EXPECT_EQ(world.admitter.waiting({"ns", "w4"}), hold);
}

TEST(CycleTest, AnEqualHoldIsNotWrittenTwice) {
  World world;
  world.queues("q {f/cpu=4} (StrictFIFO)");
  world.waiting("big>q p0 t0 cpu=6");
  EXPECT_EQ(World::text(world.settle()), "hold big ExceedsMaxQuota");
  world.see("big");  // an older version of the object, without the condition
  EXPECT_EQ(World::text(world.settle()), "");
  world.admitter.workload_written({"ns", "big"}, "uid-big", false, false);
  EXPECT_EQ(World::text(world.settle()), "hold big ExceedsMaxQuota");
  world.carry_out(world.last);
  EXPECT_EQ(World::text(world.settle()), "");
}

TEST(CycleTest, ManyEqualsCostOneEvaluation) {
  World world;
  world.queues("q {f/cpu=4}");
  for (int i = 0; i < 10'000; ++i) {
    WorkloadSpec spec = testing::workload("w" + std::to_string(i), "main*1: cpu=9", 0,
                                          World::kNow + Duration::seconds(i));
    spec.queue_name = "q";
    world.admitter.apply(spec);
  }
  EXPECT_EQ(World::text(world.cycle()), "hold w0 ExceedsMaxQuota");  // and no other was looked at
  EXPECT_EQ(world.admitter.parked("q").size(), 10'000u);
  EXPECT_FALSE(world.admitter.waiting({"ns", "w77"})->proof.facts.empty());
  EXPECT_EQ(world.admitter.waiting({"ns", "w77"})->message,
            "Bypassed scheduling evaluation because an equivalent workload recently failed");
}

TEST(CycleTest, OrderOfArrivalDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    std::vector<ClusterQueueSpec> queues;
    std::vector<WorkloadSpec> workloads;
    for (int i = 0; i < 8; ++i) {
      queues.push_back(testing::queue("q" + std::to_string(i) + "@c" + std::to_string(i % 3) +
                                      " {f/cpu=" + std::to_string(pick(0, 9)) +
                                      ", g/cpu=" + std::to_string(pick(0, 5)) + "}"));
    }
    for (int i = 0; i < 60; ++i) {
      WorkloadSpec spec =
          testing::workload("w" + std::to_string(i), "main*1: cpu=" + std::to_string(pick(1, 5)),
                            pick(0, 2), World::kNow + Duration::seconds(pick(0, 5)));
      spec.queue_name = "q" + std::to_string(pick(0, 7));
      workloads.push_back(spec);
    }
    const bool fair = pick(0, 1) == 1;
    const auto run = [&] {
      World world;
      world.config.fair_sharing = fair;
      world.admitter.set_config(world.config);
      std::shuffle(queues.begin(), queues.end(), random);
      std::shuffle(workloads.begin(), workloads.end(), random);
      std::vector<std::function<void()>> events;
      for (const ClusterQueueSpec& queue : queues) {
        events.push_back([&] { world.admitter.apply(queue); });
        events.push_back([&] {
          world.admitter.apply(LocalQueueSpec{{"ns", queue.name}, "uid", queue.name});
        });
      }
      for (const char* flavor : {"f", "g"}) {
        events.push_back([&world, flavor] { world.admitter.apply(FlavorSpec{flavor}); });
      }
      for (const char* cohort : {"cohort c0<top", "cohort c1<top {f/cpu=2}"}) {
        events.push_back([&world, cohort] { world.admitter.apply(testing::cohort(cohort)); });
      }
      for (const WorkloadSpec& workload : workloads) events.push_back([&] { world.see(workload); });
      std::shuffle(events.begin(), events.end(), random);
      for (const auto& event : events) event();
      std::vector<Decision> all = world.settle();
      const std::vector<Decision> more = world.settle(Duration::seconds(2));
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const std::vector<Decision> first = run();
    EXPECT_EQ(World::text(run()), World::text(first));
    EXPECT_TRUE(run() == first);
  }
}

TEST(CycleTest, ForkIsTheOriginal) {
  World world;
  world.queues("a@k {f/cpu=4}; b@k {f/cpu=4}; q {f/cpu=1} (StrictFIFO)");
  world.holding("w@a f/cpu=2");
  world.waiting(
      "x>a p0 t0 cpu=3; y>b p1 t0 cpu=4; z>q p0 t0 cpu=2; z2>q p0 t0 cpu=1; p>b p0 t0 cpu=99");
  world.cycle();
  Journal journal;
  Admitter fork(world.admitter, journal);
  world.waiting("late>a p7 t0 cpu=1");
  fork.apply(world.workloads.at("late"));
  for (int i = 0; i < 4; ++i) {
    const Time now = world.now + Duration::seconds(i);
    EXPECT_EQ(World::text(fork.cycle(now)), World::text(world.admitter.cycle(now)));
  }
  for (const std::string& name : world.admitter.cluster_queues()) {
    EXPECT_EQ(fork.cluster_queue(name), world.admitter.cluster_queue(name));
    EXPECT_EQ(fork.pending(name), world.admitter.pending(name));
  }
  // From here on they go their own ways.
  fork.workload_gone({"ns", "w"}, "uid-w");
  EXPECT_EQ(fork.cluster_queue("a")->reserving + 1, world.admitter.cluster_queue("a")->reserving);
}

}  // namespace
}  // namespace quorate::admission
