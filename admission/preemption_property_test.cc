// What holds of every set of victims that classic preemption finds, on random trees.

#include <gtest/gtest.h>

#include "admission/preemption.h"
#include "admission/testing/dice.h"
#include "admission/testing/preemption_world.h"

namespace quorate::admission {
namespace {

using testing::Dice;
using testing::PreemptionWorld;

// A random world with somebody who wants in.
struct Question {
  explicit Question(std::uint32_t seed) {
    Dice dice(seed);
    const int queues = dice.pick(1, 6);
    world.queues(testing::random_queues(dice, queues));
    std::string lines;
    const int holders = dice.pick(1, 12);
    for (int i = 0; i < holders; ++i) {
      lines += "h" + std::to_string(i) + "@q" + std::to_string(dice.pick(0, queues - 1)) + " " +
               dice.one_of({"f", "f", "g"}) + "/cpu=" + std::to_string(dice.pick(1, 5)) + " p" +
               std::to_string(dice.pick(-2, 2)) + " reserved t-" + std::to_string(dice.pick(0, 3)) +
               " created t-" + std::to_string(dice.pick(0, 3)) +
               (dice.one_in(8) ? " EVICTED" : "") + ";";
    }
    world.holding(lines);
    facts =
        world.incoming("q" + std::to_string(dice.pick(0, queues - 1)) + " p" +
                       std::to_string(dice.pick(-2, 2)) + " t-" + std::to_string(dice.pick(0, 3)) +
                       " main*1: cpu=" + std::to_string(dice.pick(1, 6)));
    node = world.tree.cluster_queue(facts->queue_name);
  }

  const ClusterQueueSpec& spec() const { return world.specs.at(facts->queue_name); }

  PreemptionWorld world;
  std::shared_ptr<const Facts> facts;
  quota::NodeId node;
};

bool fits(const quota::CohortTree& tree, const Preemptor& preemptor) {
  for (const auto& [fr, amount] : preemptor.usage) {
    if (quota::Amount{amount} > tree.available(preemptor.node, fr)) return false;
  }
  return true;
}

bool within_nominal(const quota::CohortTree& tree, const Preemptor& preemptor) {
  for (const auto& [fr, amount] : preemptor.usage) {
    if (tree.borrowing_with(preemptor.node, fr, amount)) return false;
  }
  return true;
}

void take(quota::CohortTree& tree, const Candidate& holder, int sign) {
  for (const auto& [fr, amount] : *holder.usage) {
    if (sign > 0) {
      tree.charge(holder.node, fr, amount);
    } else {
      tree.release(holder.node, fr, amount);
    }
  }
}

// Whether a subtree that holds the preemptor's queue and not the candidate's has quota for it.
bool has_advantage(const quota::CohortTree& tree, const Preemptor& preemptor, quota::NodeId other) {
  const auto below = [&](quota::NodeId node, quota::NodeId ancestor) {
    while (node && node != ancestor) node = tree.parent(node);
    return static_cast<bool>(node);
  };
  std::map<quota::FlavorResource, quota::Amount> rest;
  for (const auto& [fr, amount] : preemptor.usage) rest[fr] = amount;
  for (quota::NodeId at = preemptor.node; at && !below(other, at); at = tree.parent(at)) {
    bool all = true;
    for (auto& [fr, amount] : rest) {
      all = all && tree.usage(at, fr) + amount <= tree.subtree_quota(at, fr);
      const quota::Amount room = tree.local_quota(at, fr) - tree.usage(at, fr);
      amount = (amount - room.or_zero()).or_zero();
    }
    if (all) return true;
  }
  return false;
}

TEST(ClassicPropertyTest, VictimsAreEnoughNeededAllowedAndTheStateIsAsBefore) {
  int answered = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Question question(seed);
    PreemptionWorld& world = question.world;
    quota::CohortTree& tree = world.tree;
    Journal journal;
    const quota::CohortTree before(tree, journal);
    const Assignment got = world.assign(*question.facts);
    ASSERT_TRUE(tree.same_as(before));
    if (got.mode == Mode::NoFit || got.mode == Mode::Fit) {
      EXPECT_TRUE(got.targets.empty());
      continue;
    }
    const Preemption search = world.preemption();
    const Preemptor preemptor =
        preemptor_of(world.context(question.facts->queue_name, search), *question.facts, got);
    const ClusterQueueSpec& spec = question.spec();

    for (const Target& target : got.targets) {
      const Facts& victim = *target.victim.facts;
      const bool own = target.victim.node == question.node;
      EXPECT_TRUE(holds_contested(preemptor, target.victim));
      EXPECT_TRUE(allowed_by(own ? spec.within_cluster_queue : spec.reclaim_within_cohort,
                             *question.facts, victim));
      EXPECT_EQ(own, target.kind == PreemptionKind::InClusterQueue);
      if (own) continue;
      EXPECT_TRUE(over_quota(tree, target.victim.node, preemptor));
      if (target.kind == PreemptionKind::InCohortReclaimWhileBorrowing) {
        EXPECT_LT(victim.priority, question.facts->priority);
        const BorrowWithinCohort& borrow = spec.borrow_within_cohort;
        EXPECT_NE(borrow.policy, PreemptionPolicy::Never);
        EXPECT_LE(victim.priority, borrow.max_priority_threshold.value_or(99));
      }
    }
    if (got.targets.empty()) continue;
    ++answered;

    Transaction trial(world.journal);
    const bool advantage_of_all =
        std::all_of(got.targets.begin(), got.targets.end(), [&](const Target& target) {
          return target.victim.node == question.node ||
                 has_advantage(tree, preemptor, target.victim.node);
        });
    for (const Target& target : got.targets) take(tree, target.victim, -1);
    EXPECT_TRUE(fits(tree, preemptor));
    if (!advantage_of_all && spec.borrow_within_cohort.policy == PreemptionPolicy::Never) {
      EXPECT_TRUE(within_nominal(tree, preemptor));
    }
    // No single one can be spared: the preemptor would not fit, or would have to borrow to.
    const bool by_own_quota = within_nominal(tree, preemptor);
    for (const Target& target : got.targets) {
      take(tree, target.victim, 1);
      EXPECT_FALSE(fits(tree, preemptor) && (!by_own_quota || within_nominal(tree, preemptor)))
          << target.victim.facts->key.name;
      take(tree, target.victim, -1);
    }
  }
  EXPECT_GT(answered, 150);  // the questions are worth asking
}

// Alone, a queue finds victims whenever all candidates together are enough.
TEST(ClassicPropertyTest, AQueueOfItsOwnMissesNoAnswer) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Question question(seed);
    if (question.world.tree.parent(question.node)) continue;
    const Assignment got = question.world.assign(*question.facts);
    if (got.mode != Mode::NoCandidates) continue;
    const Preemption search = question.world.preemption();
    const Preemptor preemptor = preemptor_of(
        question.world.context(question.facts->queue_name, search), *question.facts, got);
    Transaction trial(question.world.journal);
    for (const PreemptionWorld::Held& one : question.world.held) {
      if (one.candidate.node == question.node &&
          allowed_by(question.spec().within_cluster_queue, *question.facts, *one.facts)) {
        take(question.world.tree, one.candidate, -1);
      }
    }
    EXPECT_FALSE(fits(question.world.tree, preemptor));
  }
}

// The order in which holders are listed means nothing.
TEST(ClassicPropertyTest, OrderOfHoldersDoesNotMatter) {
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
