// Fair-sharing preemption as tables: queues, who holds quota, who wants in, and who has to leave.

#include "admission/preemption_fair.h"

#include <gtest/gtest.h>

#include "admission/testing/dice.h"
#include "admission/testing/preemption_world.h"

namespace quorate::admission {
namespace {

using testing::Dice;
using testing::PreemptionWorld;

using Strategies = std::vector<FairStrategy>;
const Strategies kFinal{FairStrategy::LessThanOrEqualToFinalShare};
const Strategies kInitial{FairStrategy::LessThanInitialShare};
const Strategies kBoth{FairStrategy::LessThanOrEqualToFinalShare,
                       FairStrategy::LessThanInitialShare};

const char* const kThree =
    "a@k {f/cpu=3} (within=LowerPriority reclaim=Any); "
    "b@k {f/cpu=3} (within=LowerPriority reclaim=Any); "
    "c@k {f/cpu=3} (within=LowerPriority reclaim=Any)";
const char* const kTree =
    "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=2} (within=LowerPriority reclaim=Any); "
    "b@x {f/cpu=2} (reclaim=Any); c@y {f/cpu=2}; d@y {f/cpu=2}";

struct Case {
  std::string name, queues, holding, incoming, want;
  Strategies strategies;
};

class FairTest : public ::testing::TestWithParam<Case> {};

TEST_P(FairTest, Preempts) {
  const Case& given = GetParam();
  PreemptionWorld world;
  world.fair_sharing = true;
  world.config.fair_strategies = given.strategies;
  world.queues(given.queues);
  world.holding(given.holding);
  Journal journal;
  const quota::CohortTree before(world.tree, journal);
  EXPECT_EQ(world.run(given.incoming), given.want);
  EXPECT_TRUE(world.tree.same_as(before));
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, FairTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"PF01", kThree,
         "a1@a f/cpu=1 p0; b1..b5@b f/cpu=1 p0; c1..c3@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f: b1 InCohortReclamation", kBoth},
        {"PF02", kThree,
         "a1..a3@a f/cpu=1 p0; b1..b6@b f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: b1 InCohortFairSharing", kBoth},
        {"PF03", kThree,
         "a1..a3@a f/cpu=1 p0; b1..b4@b f/cpu=1 p0; c1@c f/cpu=1 p0; c2@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: none", kBoth},
        {"PF04", kThree,
         "a1..a3@a f/cpu=1 p0; b1@b f/cpu=6 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: b1 InCohortFairSharing", kBoth},
        {"PF05", kThree,
         "a1..a3@a f/cpu=1 p0; b1@b f/cpu=6 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: none", kFinal},
        {"PF06", kThree,
         "a1..a3@a f/cpu=1 p0; b1@b f/cpu=6 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: b1 InCohortFairSharing", kInitial},
        {"PF07", kThree,
         "a1..a3@a f/cpu=1 p0; b1..b5@b f/cpu=1 p0; c1@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: b1 InCohortFairSharing", kBoth},
        {"PF08", "a@k {f/cpu=3} (weight=2 within=LowerPriority reclaim=Any); b@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); c@k {f/cpu=6}",
         "a1..a5@a f/cpu=1 p0; b1..b7@b f/cpu=1 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: b1 InCohortFairSharing, b2 InCohortFairSharing", kBoth},
        {"PF09", "a@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); b@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); c@k {f/cpu=6}",
         "a1..a5@a f/cpu=1 p0; b1..b7@b f/cpu=1 p0",
         "a p0 main*1: cpu=2", "Preempt cpu>f level 1: none", kBoth},
        {"PF10", "a@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); b@k {f/cpu=3} (weight=0 within=LowerPriority reclaim=Any); c@k {f/cpu=6}",
         "a1..a8@a f/cpu=1 p0; b1..b4@b f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: b1 InCohortFairSharing", kBoth},
        {"PF11", "a@k {f/cpu=3} (weight=0 within=LowerPriority reclaim=Any); b@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); c@k {f/cpu=6}",
         "a1..a4@a f/cpu=1 p0; b1..b8@b f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: none", kBoth},
        {"PF12", "a@k {f/cpu=3} (weight=0 within=LowerPriority reclaim=Any); b@k {f/cpu=3} (weight=1 within=LowerPriority reclaim=Any); c@k {f/cpu=6}",
         "a1@a f/cpu=1 p0; a2@a f/cpu=1 p0; b1..b10@b f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f: b1 InCohortReclamation", kBoth},
        {"PF13", kThree,
         "a1@a f/cpu=1 p-1; a2@a f/cpu=1 p0; a3@a f/cpu=1 p0; b1..b3@b f/cpu=1 p0; c1..c3@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f: a1 InClusterQueue", kBoth},
        {"PF14", "a@k {f/cpu=3} (within=LowerPriority reclaim=LowerPriority); b@k {f/cpu=3} (within=LowerPriority reclaim=LowerPriority); c@k {f/cpu=3} (within=LowerPriority reclaim=LowerPriority)",
         "a1..a3@a f/cpu=1 p0; b1..b4@b f/cpu=1 p1; b5@b f/cpu=1 p-1; b6@b f/cpu=1 p-1",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: b5 InCohortFairSharing", kBoth},
        {"PF15", kThree,
         "b1..b5@b f/cpu=1 p0; c1..c4@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f: b1 InCohortReclamation", kBoth},
        {"PF16", kThree,
         "b1..b5@b f/cpu=1 p0; c1..c4@c f/cpu=1 p0",
         "a p0 main*1: cpu=3", "Preempt cpu>f: b1 InCohortReclamation, b2 InCohortReclamation, c1 InCohortReclamation", kBoth},
        {"PF17", kTree,
         "b1..b3@b f/cpu=1 p0; c1..c5@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f: c1 InCohortReclamation", kBoth},
        {"PF18", kTree,
         "a1@a f/cpu=1 p0; a2@a f/cpu=1 p0; c1..c6@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 1: c1 InCohortFairSharing", kBoth},
        {"PF19", kTree,
         "a1@a f/cpu=1 p0; a2@a f/cpu=1 p0; b1..b4@b f/cpu=1 p0; c1@c f/cpu=1 p0; d1@d f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 2: b1 InCohortFairSharing", kBoth},
        {"PF20", kTree,
         "a1@a f/cpu=1 p0; a2@a f/cpu=1 p0; b1..b3@b f/cpu=1 p0; c1..c3@c f/cpu=1 p0",
         "a p0 main*1: cpu=1", "Preempt cpu>f level 2: none", kBoth},
        {"PF21", kThree,
         "b1@b f/cpu=5 p0; c1@c f/cpu=4 p0",
         "a p0 main*1: cpu=3", "Preempt cpu>f: b1 InCohortReclamation", kBoth},
        // Publicly reported faults.
        {"B022AtEqualZeroWeightsNobodyGainsFromASwap", "wa@k {f/cpu=0} (weight=0 reclaim=Any); wb@k {f/cpu=0} (weight=0 reclaim=Any); s@k {f/cpu=8}",
         "a1..a2@wa f/cpu=2 p0; b1..b2@wb f/cpu=2 p0",
         "wb p0 main*1: cpu=2", "Preempt cpu>f level 1: none", kBoth},
        {"B023WhoIsWithinNominalIsSpared", "humble@k {f/cpu=1} (weight=0); proud@k {f/cpu=0} (reclaim=Any)",
         "h1@humble f/cpu=1 p0", "proud p0 main*1: cpu=1", "Preempt cpu>f level 1: none", kBoth},
        {"B025TheLowerPriorityAmongEqualShares",
         "cohort r; cohort A<r; cohort B<r; cohort C<r; ag@A {f/gpu=3 b0}; af@A {f/gpu=0}; bg@B {f/gpu=3 b0}; bf@B {f/gpu=0}; "
         "cg@C {f/gpu=12 b0} (reclaim=Any); cf@C {f/gpu=0}",
         "wa@af f/gpu=6 p9; wb@bf f/gpu=6 p5; wc@cf f/gpu=6 p0",
         "cg p5 main*1: gpu=6", "Preempt gpu>f: wb InCohortReclamation", kBoth},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(FairGateTest, WithoutItWithinNominalNeedsTheRuleToo) {
  // a with weight 0 would be within nominal: nothing is borrowed, so its share is 0 and any rule
  // holds.
  const auto run = [](bool gate, const char* incoming) {
    PreemptionWorld world;
    world.fair_sharing = true;
    world.config.preempt_within_nominal = gate;
    world.queues(
        "a@k {f/cpu=3, f/gpu=0} (reclaim=Any); b@k {f/cpu=3, f/gpu=0}; s@k {f/cpu=0, f/gpu=4}");
    // a borrows 4 of 4 gpus, so that its share is above that of b, whatever cpus it asks for.
    world.holding("a1@a f/gpu=4 p0; b1..b6@b f/cpu=1 p0");
    return world.run(incoming);
  };
  EXPECT_EQ(run(true, "a p0 main*1: cpu=1"), "Preempt cpu>f: b1 InCohortReclamation");
  EXPECT_EQ(run(false, "a p0 main*1: cpu=1"), "Preempt cpu>f: none");
}

// --- random worlds ---

struct Question {
  explicit Question(std::uint32_t seed, int factor = 1) {
    Dice dice(seed);
    world.fair_sharing = true;
    world.config.fair_strategies = dice.one_in(3) ? kFinal : dice.one_in(2) ? kInitial : kBoth;
    const int queues = dice.pick(1, 6);
    world.queues(testing::random_queues(dice, queues));
    for (const auto& [name, spec] : world.specs) {
      const std::int64_t weight = dice.one_of({"0", "1", "1", "2", "3"})[0] - '0';
      world.sharing.set_weight(world.tree.cluster_queue(name),
                               weight * factor * fairshare::kWeightOne / 8);
    }
    std::string lines;
    const int holders = dice.pick(1, 12);
    for (int i = 0; i < holders; ++i) {
      lines += "h" + std::to_string(i) + "@q" + std::to_string(dice.pick(0, queues - 1)) + " " +
               dice.one_of({"f", "f", "g"}) + "/cpu=" + std::to_string(dice.pick(1, 5)) + " p" +
               std::to_string(dice.pick(-2, 2)) + " reserved t-" + std::to_string(dice.pick(0, 3)) +
               (dice.one_in(8) ? " EVICTED" : "") + ";";
    }
    world.holding(lines);
    facts = world.incoming("q" + std::to_string(dice.pick(0, queues - 1)) + " p" +
                           std::to_string(dice.pick(-2, 2)) +
                           " main*1: cpu=" + std::to_string(dice.pick(1, 6)));
    node = world.tree.cluster_queue(facts->queue_name);
  }

  PreemptionWorld world;
  std::shared_ptr<const Facts> facts;
  quota::NodeId node;
};

void take(quota::CohortTree& tree, const Candidate& holder, int sign) {
  for (const auto& [fr, amount] : *holder.usage) {
    if (sign > 0) {
      tree.charge(holder.node, fr, amount);
    } else {
      tree.release(holder.node, fr, amount);
    }
  }
}

TEST(FairPropertyTest, VictimsAreEnoughNeededAllowedAndTheStateIsAsBefore) {
  int answered = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Question question(seed);
    PreemptionWorld& world = question.world;
    quota::CohortTree& tree = world.tree;
    Journal journal;
    const quota::CohortTree before(tree, journal);
    const Assignment got = world.assign(*question.facts);
    ASSERT_TRUE(tree.same_as(before));
    if (got.targets.empty()) continue;
    ++answered;
    const Preemption search = world.preemption();
    const Preemptor preemptor =
        preemptor_of(world.context(question.facts->queue_name, search), *question.facts, got);
    const ClusterQueueSpec& spec = world.specs.at(question.facts->queue_name);
    for (const Target& target : got.targets) {
      const bool own = target.victim.node == question.node;
      EXPECT_TRUE(holds_contested(preemptor, target.victim));
      EXPECT_TRUE(allowed_by(own ? spec.within_cluster_queue : spec.reclaim_within_cohort,
                             *question.facts, *target.victim.facts));
      EXPECT_EQ(own, target.kind == PreemptionKind::InClusterQueue);
      EXPECT_TRUE(own || over_quota(tree, target.victim.node, preemptor));
    }
    Transaction trial(world.journal);
    const auto fits = [&] {
      return std::all_of(preemptor.usage.begin(), preemptor.usage.end(), [&](const auto& wanted) {
        return quota::Amount{wanted.second} <= tree.available(question.node, wanted.first);
      });
    };
    for (const Target& target : got.targets) take(tree, target.victim, -1);
    EXPECT_TRUE(fits());
    for (const Target& target : got.targets) {
      take(tree, target.victim, 1);
      EXPECT_FALSE(fits()) << target.victim.facts->key.name;
      take(tree, target.victim, -1);
    }
  }
  EXPECT_GT(answered, 200);
}

TEST(FairPropertyTest, ScalingAllWeightsChangesNothing) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Question one(seed), other(seed, 3);
    for (const quota::NodeId node : one.world.tree.children(one.world.tree.root(one.node))) {
      if (!one.world.tree.is_cluster_queue(node)) {
        one.world.sharing.set_weight(node, fairshare::kWeightOne / 8);
        other.world.sharing.set_weight(node, 3 * fairshare::kWeightOne / 8);
      }
    }
    EXPECT_EQ(one.world.print(one.world.assign(*one.facts), *one.facts),
              other.world.print(other.world.assign(*other.facts), *other.facts));
  }
}

TEST(FairPropertyTest, OrderOfHoldersDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Question question(seed);
    const std::string first =
        question.world.print(question.world.assign(*question.facts), *question.facts);
    std::reverse(question.world.held.begin(), question.world.held.end());
    for (PreemptionWorld::Held& one : question.world.held) {
      one.candidate.usage = &one.usage;  // moved with the entry
    }
    EXPECT_EQ(question.world.print(question.world.assign(*question.facts), *question.facts), first);
  }
}

}  // namespace
}  // namespace quorate::admission
