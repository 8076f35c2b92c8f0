// Random trees and random usage; every failure prints its seed.

#include <gtest/gtest.h>

#include <random>

#include "quota/cohort_tree.h"

namespace quorate::quota {
namespace {

constexpr int kSeeds = 300;

class RandomTree {
 public:
  explicit RandomTree(std::uint32_t seed) : random(seed) {
    // Cohort i hangs below one with a smaller number, so there are no cycles.
    const int cohorts = pick(0, 4);
    for (int i = 0; i < cohorts; ++i) {
      const std::string parent =
          i == 0 || pick(0, 3) == 0 ? "" : "c" + std::to_string(pick(0, i - 1));
      tree.put_cohort("c" + std::to_string(i), parent, groups(!parent.empty()), names);
    }
    const int queues = pick(1, 6);
    for (int i = 0; i < queues; ++i) {
      const std::string cohort =
          cohorts == 0 || pick(0, 4) == 0 ? "" : "c" + std::to_string(pick(0, cohorts - 1));
      tree.put_cluster_queue("q" + std::to_string(i), cohort, groups(!cohort.empty()), names);
      all.push_back("q" + std::to_string(i));
    }
    tree.settle();
  }

  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); }

  std::vector<ResourceGroup> groups(bool with_limits) {
    ResourceGroup group;
    group.covered_resources = {"cpu"};
    for (const char* flavor : {"f", "g"}) {
      if (pick(0, 3) == 0) continue;
      ResourceQuota quota{"cpu", Quantity{pick(0, 9)}, {}, {}};
      if (with_limits && pick(0, 2) == 0) quota.borrowing_limit.bound = Quantity{pick(0, 6)};
      if (with_limits && pick(0, 2) == 0)
        quota.lending_limit.bound = Quantity{pick(0, static_cast<int>(quota.nominal.base_units()))};
      group.flavors.push_back({flavor, {quota}});
    }
    return {group};
  }
  NodeId queue() {
    return tree.cluster_queue(
        all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))]);
  }
  FlavorResource fr() { return names.pair(pick(0, 1) == 0 ? "f" : "g", "cpu"); }

  std::mt19937 random;
  Names names;
  Journal journal;
  CohortTree tree{journal};
  std::vector<std::string> all;
};

struct Charge {
  NodeId queue;
  FlavorResource fr;
  Quantity amount;
};

TEST(CohortTreeProperties, ReleaseUndoesChargeAndRebuildChangesNothing) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree world(seed);
    const CohortTree empty(world.tree, world.journal);
    std::vector<Charge> charges;
    for (int step = 0; step < 30; ++step) {
      if (!charges.empty() && world.pick(0, 2) == 0) {
        const auto at = charges.begin() + world.pick(0, static_cast<int>(charges.size()) - 1);
        world.tree.release(at->queue, at->fr, at->amount);
        charges.erase(at);
      } else {
        charges.push_back({world.queue(), world.fr(), Quantity{world.pick(0, 8)}});
        world.tree.charge(charges.back().queue, charges.back().fr, charges.back().amount);
      }
    }
    // Marking every queue again makes the tree be computed from the queues' own usage.
    CohortTree rebuilt(world.tree, world.journal);
    const std::string probe = "probe";
    for (int i = 0; i < 5; ++i) {
      rebuilt.put_cluster_queue(probe, "c" + std::to_string(i), {}, world.names);
      rebuilt.settle();
    }
    rebuilt.remove_cluster_queue(probe);
    rebuilt.settle();
    EXPECT_TRUE(rebuilt.same_as(world.tree));

    for (const Charge& charge : charges) {
      world.tree.release(charge.queue, charge.fr, charge.amount);
    }
    EXPECT_TRUE(world.tree.same_as(empty));
  }
}

TEST(CohortTreeProperties, UndoneIsNeverDoneAndForkIsTheOriginal) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree world(seed);
    world.tree.charge(world.queue(), world.fr(), Quantity{3});
    Journal other_journal;
    CohortTree fork(world.tree, other_journal);
    EXPECT_TRUE(fork.same_as(world.tree));
    {
      Transaction outer(world.journal);
      for (int step = 0; step < 20; ++step) {
        Transaction inner(world.journal);
        const Charge charge{world.queue(), world.fr(), Quantity{world.pick(0, 9)}};
        world.tree.charge(charge.queue, charge.fr, charge.amount);
        if (world.pick(0, 2) == 0) world.tree.release(charge.queue, charge.fr, charge.amount);
        if (world.pick(0, 1) == 0) inner.commit();
      }
    }
    EXPECT_TRUE(fork.same_as(world.tree));

    // The same steps lead to the same place on both sides.
    for (int step = 0; step < 10; ++step) {
      const Charge charge{world.queue(), world.fr(), Quantity{world.pick(0, 9)}};
      world.tree.charge(charge.queue, charge.fr, charge.amount);
      fork.charge(charge.queue, charge.fr, charge.amount);
    }
    EXPECT_TRUE(fork.same_as(world.tree));
  }
}

TEST(CohortTreeProperties, FittingAdmissionsStayWithinPotential) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree world(seed);
    for (int step = 0; step < 40; ++step) {
      const NodeId queue = world.queue();
      const FlavorResource fr = world.fr();
      const Quantity amount{world.pick(0, 6)};
      int last = 0;
      for (int v = 0; v <= 12; ++v) {
        const int level = world.tree.level(queue, fr, Quantity{v}).level;
        EXPECT_GE(level, last) << "level falls as the request grows";
        if (Amount{Quantity{v}} + world.tree.usage(queue, fr) <= world.tree.nominal(queue, fr)) {
          EXPECT_EQ(level, 0);
        }
        last = level;
      }
      if (Amount{amount} > world.tree.available(queue, fr)) continue;
      world.tree.charge(queue, fr, amount);
      for (const std::string& name : world.all) {
        for (NodeId node = world.tree.cluster_queue(name); node; node = world.tree.parent(node)) {
          for (const FlavorResource known : world.tree.known(node)) {
            EXPECT_LE(world.tree.usage(node, known), world.tree.potential(node, known));
            EXPECT_GE(world.tree.available(node, known), Amount{0});
            EXPECT_LE(world.tree.available(node, known),
                      world.tree.potential(node, known) - world.tree.usage(node, known));
          }
        }
      }
    }
  }
}

TEST(CohortTreeProperties, OrderInWhichObjectsArriveDoesNotMatter) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTree a(seed);
    struct Put {
      bool cohort;
      std::string name, parent;
      std::vector<ResourceGroup> groups;
    };
    std::vector<Put> puts;
    for (int i = 0; i < 4; ++i) {
      puts.push_back({true, "c" + std::to_string(i),
                      i == 0 ? "" : "c" + std::to_string(a.pick(0, i - 1)), a.groups(i != 0)});
      puts.push_back({false, "q" + std::to_string(i), "c" + std::to_string(i), a.groups(true)});
    }
    Names names;
    Journal journal;
    const auto build = [&] {
      CohortTree tree(journal);
      for (const Put& put : puts) {
        if (put.cohort)
          tree.put_cohort(put.name, put.parent, put.groups, names);
        else
          tree.put_cluster_queue(put.name, put.parent, put.groups, names);
        if (a.pick(0, 1) == 0) tree.settle();
      }
      tree.settle();
      for (int i = 0; i < 4; ++i) {
        tree.charge(tree.cluster_queue("q" + std::to_string(i)), names.pair("f", "cpu"),
                    Quantity{3 * i});
      }
      return CohortTree(tree, journal);
    };
    const CohortTree first = build();
    std::shuffle(puts.begin(), puts.end(), a.random);
    EXPECT_TRUE(build().same_as(first));
  }
}

}  // namespace
}  // namespace quorate::quota
