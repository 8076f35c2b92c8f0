#include "fairshare/tournament.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "fairshare/testing/world.h"
#include "src/base/transaction.h"

namespace quorate::fairshare {
namespace {

// A head: its queue, what it asks for, its priority, and when it was queued.
struct Head {
  std::string name, queue, amounts;
  std::int64_t priority = 0;
  std::int64_t queued_at = 0;
  bool preemptor = false;
};

class Heads {
 public:
  Heads(testing::World& world, const std::vector<Head>& heads) : heads_(heads) {
    for (const Head& head : heads_) {
      const auto line =
          quota::testing::parse_usage(head.name + "@" + head.queue + " " + head.amounts);
      quota::ResourceMap& usage = usage_.emplace_back();
      for (const auto& [flavor, resource, amount] : line.amounts) {
        usage.add(world.names.pair(flavor, resource), amount);
      }
    }
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      contenders.push_back({world.node(heads_[i].queue), &usage_[i], heads_[i].preemptor,
                            heads_[i].priority, Time::from_seconds(heads_[i].queued_at),
                            heads_[i].name});
    }
  }

  const quota::ResourceMap& usage(std::size_t i) const { return usage_[i]; }
  const std::string& name(std::size_t i) const { return heads_[i].name; }

  std::vector<Contender> contenders;

 private:
  std::vector<Head> heads_;
  std::deque<quota::ResourceMap> usage_;
};

// The names in the order of the tournament, where each winner is admitted.
std::string order(testing::World& world, const std::vector<Head>& heads,
                  TournamentRules rules = {}) {
  Heads all(world, heads);
  Tournament tournament(world.tree, world.journal, world.sharing, rules, all.contenders);
  std::string names;
  while (const auto winner = tournament.next()) {
    names += (names.empty() ? "" : " ") + all.name(*winner);
    const Contender& contender = all.contenders[*winner];
    for (const auto& [fr, amount] : *contender.usage) {
      world.tree.charge(contender.queue, fr, amount);
    }
  }
  return names;
}

TEST(TournamentTest, TheLowerShareGoesFirst) {
  // AC21: a would use 10 of 2, b 5 of 2.
  testing::World world("a@k {f/cpu=2}; b@k {f/cpu=2}; s@k {f/cpu=8}", "wa@a f/cpu=6");
  EXPECT_EQ(order(world, {{"pa", "a", "f/cpu=4", 99, 0}, {"pb", "b", "f/cpu=5", 0, 50}}), "pb pa");
}

TEST(TournamentTest, WhoTakesNothingFromOthersGoesFirst) {
  const std::string tree = "cohort x<r; cohort y<r; a@x {f/cpu=4, f/gpu=1}; b@y {f/cpu=4, f/gpu=9}";
  // a borrows gpus, but none of what pa asks for; its share is 1/10.
  testing::World world(tree, "w@a f/gpu=2");
  const std::vector<Head> heads{{"pa", "a", "f/cpu=4"}, {"pb", "b", "f/cpu=8"}};
  EXPECT_EQ(order(world, heads), "pa pb");
  testing::World again(tree, "w@a f/gpu=9; v@b f/cpu=1");
  // Without the rule only shares count: 8/10 of a against 5/8 of b.
  EXPECT_EQ(order(again, heads, {.non_borrowing_first = false}), "pb pa");
}

TEST(TournamentTest, AtEqualSharesPriorityThenAgeThenUid) {
  const auto first = [](std::vector<Head> heads, TournamentRules rules = {}) {
    testing::World world("a@k {f/cpu=2}; b@k {f/cpu=2}", "");
    return order(world, heads, rules);
  };
  EXPECT_EQ(first({{"p", "a", "f/cpu=3", 0, 1}, {"q", "b", "f/cpu=3", 5, 9}}), "q p");
  EXPECT_EQ(
      first({{"p", "a", "f/cpu=3", 0, 1}, {"q", "b", "f/cpu=3", 5, 9}}, {.by_priority = false}),
      "p q");
  EXPECT_EQ(first({{"p", "a", "f/cpu=3", 0, 9}, {"q", "b", "f/cpu=3", 0, 1}}), "q p");
  EXPECT_EQ(first({{"q", "a", "f/cpu=3"}, {"p", "b", "f/cpu=3"}}), "p q");
}

TEST(TournamentTest, PreemptorsGoFirstWhereTheGateSaysSo) {
  const std::vector<Head> heads{{"p", "a", "f/cpu=1"}, {"q", "b", "f/cpu=4", 0, 0, true}};
  testing::World world("a@k {f/cpu=2}; b@k {f/cpu=2}", "");
  EXPECT_EQ(order(world, heads), "p q");
  testing::World again("a@k {f/cpu=2}; b@k {f/cpu=2}", "");
  EXPECT_EQ(order(again, heads, {.preemptors_first = true}), "q p");
}

TEST(TournamentTest, EveryLevelIsDecidedByItsOwnShares) {
  // Alone, pc has the lowest share of its queue (1/6 against 2/6 and 3/6), but its cohort y is the
  // heavier borrower: with it y takes 5 of 6, x with pa takes 2 of 6.
  testing::World world(
      "cohort r {f/cpu=6}; cohort x<r; cohort y<r; a@x {f/cpu=0}; b@x {f/cpu=0}; c@y {f/cpu=0}; "
      "d@y {f/cpu=0}",
      "w@d f/cpu=4");
  EXPECT_EQ(order(world, {{"pa", "a", "f/cpu=2"}, {"pb", "b", "f/cpu=3"}, {"pc", "c", "f/cpu=1"}}),
            "pa pb pc");  // x: 2/6, then 5/6 at the same share as y, older by uid
}

TEST(TournamentTest, WeightZeroGoesLast) {
  testing::World world("a@k {f/cpu=0} (weight=0); b@k {f/cpu=0}; s@k {f/cpu=9}", "w@b f/cpu=6");
  EXPECT_EQ(order(world, {{"pa", "a", "f/cpu=1", 9}, {"pb", "b", "f/cpu=3"}}), "pb pa");
}

TEST(TournamentTest, TreesShareNothing) {
  testing::World world("a@k {f/cpu=0}; s@k {f/cpu=4}; b {f/cpu=9}; c@l {f/cpu=9}", "");
  EXPECT_EQ(order(world, {{"pb", "b", "f/cpu=9", 0, 3},
                          {"pa", "a", "f/cpu=4", 1, 9},
                          {"pc", "c", "f/cpu=1", 0, 2}}),
            "pa pc pb");
}

TEST(TournamentTest, TwoOfOneQueueCountWhatTheFirstTook) {
  // r1 and r2 are of a; after r1 a has 3 of 8, so pb's 2 of 8 goes before r2.
  testing::World world("a@k {f/cpu=0}; b@k {f/cpu=0}; s@k {f/cpu=8}", "");
  EXPECT_EQ(order(world, {{"r1", "a", "f/cpu=1"}, {"r2", "a", "f/cpu=2"}, {"pb", "b", "f/cpu=2"}}),
            "r1 pb r2");
}

// --- the incremental order equals the obvious one ---

struct SlowStanding {
  std::size_t contender;
  bool borrowing;
  Share share;
};

class Slow {
 public:
  Slow(testing::World& world, const Heads& heads) : world_(world), heads_(heads) {}

  // The winner among `left` in the tree of `root`.
  std::optional<std::size_t> winner(quota::NodeId root, const std::vector<std::size_t>& left) {
    const auto best = best_at(root, left);
    return best ? std::optional(best->contender) : std::nullopt;
  }

 private:
  std::optional<SlowStanding> best_at(quota::NodeId node, const std::vector<std::size_t>& left) {
    std::optional<SlowStanding> best;
    if (world_.tree.is_cluster_queue(node)) {
      for (const std::size_t i : left) {
        if (heads_.contenders[i].queue == node) take(best, at(node, i));
      }
      return best;
    }
    for (const quota::NodeId child : world_.tree.children(node)) {
      if (const auto champion = best_at(child, left)) take(best, at(child, champion->contender));
    }
    return best;
  }
  SlowStanding at(quota::NodeId node, std::size_t i) {
    Transaction trial(world_.journal);
    for (const auto& [fr, amount] : heads_.usage(i)) {
      world_.tree.charge(heads_.contenders[i].queue, fr, amount);
    }
    bool borrowing = false;
    for (const auto& [fr, amount] : heads_.usage(i)) {
      borrowing |= world_.tree.usage(node, fr) > world_.tree.subtree_quota(node, fr);
    }
    return {i, borrowing, world_.sharing.dominant_share(world_.tree, world_.names, node).share};
  }
  void take(std::optional<SlowStanding>& best, const SlowStanding& other) {
    if (!best || better(other, *best)) best = other;
  }
  bool better(const SlowStanding& a, const SlowStanding& b) {
    const Contender& x = heads_.contenders[a.contender];
    const Contender& y = heads_.contenders[b.contender];
    if (a.borrowing != b.borrowing) return b.borrowing;
    if (a.share != b.share) return a.share < b.share;
    return std::tuple(-x.priority, x.queued_at, x.uid) <
           std::tuple(-y.priority, y.queued_at, y.uid);
  }

  testing::World& world_;
  const Heads& heads_;
};

class TournamentPropertyTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(TournamentPropertyTest, EqualsComputingEverythingAnew) {
  std::mt19937 dice(GetParam());
  const auto roll = [&](unsigned most) { return static_cast<int>(dice() % (most + 1)); };
  std::string queues = "cohort r {f/cpu=4, f/gpu=3} (weight=1)";
  std::vector<std::string> cohorts{"r"};
  for (int i = 0; i < 1 + roll(3); ++i) {
    const std::string name = "c" + std::to_string(i);
    queues += "; cohort " + name + "<" + cohorts[dice() % cohorts.size()] +
              " {f/cpu=" + std::to_string(roll(2)) + " l" + std::to_string(roll(2)) +
              "} (weight=" + std::to_string(roll(3)) + ")";
    cohorts.push_back(name);
  }
  std::vector<Head> heads;
  std::string usage;
  for (int i = 0; i < 3 + roll(6); ++i) {
    const std::string name = "q" + std::to_string(i);
    queues += "; " + name + "@" + cohorts[dice() % cohorts.size()] +
              " {f/cpu=" + std::to_string(roll(3)) + ", f/gpu=" + std::to_string(roll(1)) +
              "} (weight=" + std::to_string(roll(3)) + ")";
    if (roll(1) == 0) usage += name + "w@" + name + " f/cpu=" + std::to_string(roll(5)) + ";";
    for (int k = roll(2); k > 0; --k) {
      heads.push_back({"h" + std::to_string(heads.size()), name,
                       "f/cpu=" + std::to_string(roll(4)) + "+f/gpu=" + std::to_string(roll(2)),
                       roll(2), roll(3)});
    }
  }
  testing::World world(queues, usage);
  Heads all(world, heads);
  Slow slow(world, all);
  Tournament tournament(world.tree, world.journal, world.sharing, {}, all.contenders);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < heads.size(); ++i) left.push_back(i);
  while (!left.empty()) {
    const auto want = slow.winner(world.node("r"), left);
    const auto got = tournament.next();
    ASSERT_EQ(got, want) << "seed " << GetParam() << ": " << queues;
    std::erase(left, *got);
    if (roll(3) == 0) continue;  // it was not admitted after all
    for (const auto& [fr, amount] : all.usage(*got)) {
      world.tree.charge(all.contenders[*got].queue, fr, amount);
    }
  }
  EXPECT_EQ(tournament.next(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TournamentPropertyTest, ::testing::Range(1u, 200u));

}  // namespace
}  // namespace quorate::fairshare
