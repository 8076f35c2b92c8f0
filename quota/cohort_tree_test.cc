#include "quota/cohort_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "quota/testing/notation.h"

namespace quorate::quota {
namespace {

using testing::items;
using testing::parse_queue;
using testing::parse_usage;

struct Figures {
  std::string name;
  std::string tree;
  std::string usage;
  std::string resource;  // all figures are about flavor f and this resource
  std::string expected;
};

class World {
 public:
  explicit World(const std::string& lines) {
    for (const std::string& line : items(lines)) put(line);
    tree.settle();
  }
  void put(const std::string& line) {
    const testing::QueueLine queue = parse_queue(line);
    if (queue.cohort) {
      tree.put_cohort(queue.name, queue.parent, queue.groups, names);
    } else {
      tree.put_cluster_queue(queue.name, queue.parent, queue.groups, names);
    }
  }
  void use(const std::string& lines) {
    for (const std::string& line : items(lines)) {
      const testing::UsageLine used = parse_usage(line);
      for (const auto& [flavor, resource, amount] : used.amounts) {
        tree.charge(node(used.queue), names.pair(flavor, resource), amount);
      }
    }
  }
  NodeId node(const std::string& name) const {
    const NodeId queue = tree.cluster_queue(name);
    return queue ? queue : tree.cohort(name);
  }
  Amount cpu_available(const std::string& name) {
    return tree.available(node(name), names.pair("f", "cpu"));
  }
  // "what(node)" as the tables write it.
  std::string figure(const std::string& what, const std::string& of, const std::string& resource) {
    const FlavorResource fr = names.pair("f", resource);
    Amount amount;
    if (what == "subtreeQuota")
      amount = tree.subtree_quota(node(of), fr);
    else if (what == "usage")
      amount = tree.usage(node(of), fr);
    else if (what == "available")
      amount = tree.available(node(of), fr).or_zero();
    else if (what == "potentialAvailable")
      amount = tree.potential(node(of), fr);
    else
      ADD_FAILURE() << "unknown figure " << what;
    return amount.is_unlimited() ? "Unlimited" : format_quantity(resource, amount.quantity());
  }

  Names names;
  Journal journal;
  CohortTree tree{journal};
};

class FiguresTest : public ::testing::TestWithParam<Figures> {};

TEST_P(FiguresTest, AreThose) {
  World world(GetParam().tree);
  world.use(GetParam().usage);
  for (const std::string& line : items(GetParam().expected)) {
    const std::size_t open = line.find('('), close = line.find(')');
    EXPECT_EQ(world.figure(line.substr(0, open), line.substr(open + 1, close - open - 1),
                           GetParam().resource),
              line.substr(line.find('=') + 1))
        << line;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Trees, FiguresTest,
    ::testing::ValuesIn(std::vector<Figures>{
        // clang-format off
        {"QT01", "q {f/cpu=10}", "w@q f/cpu=4 p0", "cpu", "available(q)=6; potentialAvailable(q)=10"},
        {"QT02", "a@k {f/cpu=10}; b@k {f/cpu=6}", "w@a f/cpu=12 p0", "cpu",
         "subtreeQuota(k)=16; usage(k)=12; available(a)=4; available(b)=4; potentialAvailable(b)=16"},
        {"QT03", "a@k {f/cpu=10 l4}; b@k {f/cpu=6}", "w@a f/cpu=5 p0", "cpu",
         "subtreeQuota(k)=10; usage(k)=0; available(a)=11; available(b)=10; potentialAvailable(a)=16; potentialAvailable(b)=10"},
        {"QT04", "a@k {f/cpu=10 l4}; b@k {f/cpu=6}", "w@a f/cpu=8 p0", "cpu",
         "usage(k)=2; available(a)=8; available(b)=8"},
        {"QT05", "a@k {f/cpu=4 b2}; b@k {f/cpu=10}", "w@a f/cpu=5 p0", "cpu",
         "available(a)=1; potentialAvailable(a)=6; available(b)=9"},
        {"QT06", "a@k {f/cpu=4 b0}; b@k {f/cpu=10}", "w@a f/cpu=1 p0; v@b f/cpu=12 p0", "cpu",
         "available(a)=1; available(b)=1; potentialAvailable(a)=4"},
        {"QT07", "a@k {f/cpu=10 l0}; b@k {f/cpu=6}", "w@a f/cpu=12 p0", "cpu",
         "subtreeQuota(k)=6; usage(k)=2; available(a)=4; potentialAvailable(a)=16; available(b)=4; potentialAvailable(b)=6"},
        {"QT08", "a@k {f/cpu=10 b3 l4}; b@k {f/cpu=8}", "w@a f/cpu=9 p0", "cpu",
         "subtreeQuota(k)=12; usage(k)=3; available(a)=4; potentialAvailable(a)=13; available(b)=9"},
        {"QT09", "cohort r; cohort x<r {f/cpu=3}; cohort y<r; a@x {f/cpu=5}; b@y {f/cpu=7}", "w@a f/cpu=9 p0", "cpu",
         "subtreeQuota(x)=8; subtreeQuota(r)=15; usage(x)=9; usage(r)=9; available(a)=6; available(b)=6"},
        {"QT10", "cohort r; cohort x<r {f/cpu=3 l1}; cohort y<r; a@x {f/cpu=5}; b@y {f/cpu=7}", "w@a f/cpu=9 p0", "cpu",
         "subtreeQuota(x)=8; subtreeQuota(r)=8; usage(x)=9; usage(r)=2; available(a)=6; available(b)=6; potentialAvailable(a)=15; potentialAvailable(b)=8"},
        {"QT11", "cohort r; cohort x<r {f/cpu=3 b0}; cohort y<r; a@x {f/cpu=5}; b@y {f/cpu=7}", "w@a f/cpu=5 p0", "cpu",
         "potentialAvailable(a)=8; available(a)=3; available(b)=10"},
        {"QT12", "q {f/cpu=2}", "w@q f/cpu=5 p0", "cpu", "available(q)=0"},
        {"QT13", "a@k {f/cpu=4}; b@k {f/cpu=6}", "w@a f/cpu=12 p0", "cpu", "available(b)=0; available(a)=0"},
        {"QT14", "a@k {f/cpu=10 l2}; b@k {f/cpu=4}", "w@a f/cpu=3 p0; v@b f/cpu=9 p0", "cpu",
         "subtreeQuota(k)=6; usage(k)=9; available(a)=2; available(b)=0"},  // a's guarantee pays b's debt
        {"QT15", "a@k {f/cpu=9223372036854775}; b@k {f/cpu=6}", "w@b f/cpu=100 p0", "cpu",
         "subtreeQuota(a)=Unlimited; subtreeQuota(k)=Unlimited; available(b)=Unlimited; usage(b)=100"},
        {"QT15Exa", "a@k {f/cpu=10E}; b@k {f/cpu=6}", "w@b f/cpu=100 p0", "cpu",
         "subtreeQuota(a)=Unlimited; subtreeQuota(k)=Unlimited; available(b)=Unlimited; usage(b)=100"},
        {"QT16", "q {f/cpu=1500u}", "", "cpu", "subtreeQuota(q)=2m"},
        {"QT17", "q {f/memory=1500m}", "", "memory", "subtreeQuota(q)=2"},
        {"QT18", "a@k {f/cpu=0 b5}; b@k {f/cpu=4 l3}", "", "cpu",
         "potentialAvailable(a)=3; available(a)=3; subtreeQuota(k)=3; potentialAvailable(b)=4"},
        {"Undeclared", "a@k {f/cpu=4}; b@k {f/gpu=1}", "w@b f/cpu=3 p0", "cpu",
         "usage(b)=3; usage(k)=3; available(a)=1"},  // usage left behind by a removed quota counts
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(CohortTreeTest, WorkedExampleOfLendingAndBorrowing) {
  World world("red@lab {f/cpu=10 b3 l4}; blue@lab {f/cpu=8}");
  const FlavorResource cpu = world.names.pair("f", "cpu");
  const auto cores = [](int n) { return Quantity{n * 1000}; };
  world.tree.charge(world.node("red"), cpu, cores(9));
  EXPECT_EQ(world.cpu_available("red"), Amount{cores(4)});
  EXPECT_EQ(world.cpu_available("blue"), Amount{cores(9)});
  world.tree.charge(world.node("blue"), cpu, cores(9));
  EXPECT_EQ(world.cpu_available("red"), Amount{cores(0)});
  world.tree.release(world.node("red"), cpu, cores(5));
  EXPECT_EQ(world.tree.usage(world.node("lab"), cpu), Amount{cores(9)});  // min(5, 9 - 6) came back
  EXPECT_EQ(world.cpu_available("red"), Amount{cores(5)});
}

TEST(CohortTreeTest, LevelIsTheHeightOfTheCohortThatCovers) {
  World world("cohort r; cohort x<r; cohort y<r; a@x {f/cpu=2}; b@x {f/cpu=2}; c@y {f/cpu=6}");
  const FlavorResource cpu = world.names.pair("f", "cpu");
  const auto level = [&](int cores) {
    return world.tree.level(world.node("a"), cpu, Quantity{cores * 1000});
  };
  EXPECT_EQ(level(2), (BorrowLevel{0, true}));
  EXPECT_EQ(level(4), (BorrowLevel{1, true}));
  EXPECT_EQ(level(5), (BorrowLevel{2, false}));
  EXPECT_EQ(level(99), (BorrowLevel{2, false}));  // nobody covers it: the root's height
  EXPECT_EQ(world.tree.height(world.node("r")), 2);
  EXPECT_EQ(world.tree.height(world.node("x")), 1);
}

TEST(CohortTreeTest, NamesWhoseLimitBinds) {
  World world("cohort r; cohort x<r {f/cpu=3 b0}; a@x {f/cpu=5 b1}; b@x {f/cpu=5}; c@r {f/cpu=9}");
  const FlavorResource cpu = world.names.pair("f", "cpu");
  const auto name = [&](NodeId id) { return world.tree.name(id); };
  EXPECT_EQ(name(world.tree.limits_potential(world.node("a"), cpu)), "a");  // 5 + 1 < 13
  EXPECT_EQ(name(world.tree.limits_potential(world.node("b"), cpu)), "x");  // borrows nothing
  EXPECT_EQ(name(world.tree.limits_potential(world.node("c"), cpu)), "r");
  world.use("w@b f/cpu=10");
  EXPECT_EQ(world.cpu_available("a"), Amount{3000});  // 13 of x are there, 10 taken
  EXPECT_EQ(name(world.tree.limits_available(world.node("a"), cpu)), "x");
}

TEST(CohortTreeTest, QueueThatChangesItsCohortTakesItsUsageAlong) {
  World world("a@k {f/cpu=4}; b@k {f/cpu=6}; c@other {f/cpu=1}");
  world.use("w@a f/cpu=7");
  const FlavorResource cpu = world.names.pair("f", "cpu");
  EXPECT_EQ(world.cpu_available("b"), Amount{3000});
  world.put("a@other {f/cpu=4}");
  world.tree.settle();
  EXPECT_EQ(world.tree.usage(world.node("k"), cpu), Amount{0});
  EXPECT_EQ(world.cpu_available("b"), Amount{6000});
  EXPECT_EQ(world.cpu_available("c"), Amount{-2000});  // 1 + 4 - 7
}

TEST(CohortTreeTest, ImplicitCohortLivesAsLongAsItIsNamed) {
  World world("a@k {f/cpu=4}");
  ASSERT_TRUE(world.node("k"));
  world.tree.remove_cluster_queue("a");
  EXPECT_FALSE(world.node("k"));
  world.put("cohort k");
  world.put("b@k {f/cpu=1}");
  world.tree.remove_cluster_queue("b");
  EXPECT_TRUE(world.node("k"));  // the object holds it
  world.tree.remove_cohort("k");
  EXPECT_FALSE(world.node("k"));
  EXPECT_TRUE(world.tree.settle().empty());
}

TEST(CohortTreeTest, DeletedQueueTakesItsQuotaOutOfTheCohort) {
  World world("x@k {f/cpu=5}; y@k {f/cpu=3}");
  world.tree.remove_cluster_queue("x");
  world.tree.settle();
  EXPECT_EQ(world.cpu_available("y"), Amount{3000});
}

TEST(CohortTreeTest, CycleAmongCohortsCutsOffWhatHangsOnIt) {
  World world(
      "cohort ring-a<ring-b; cohort ring-b<ring-a; cohort below<ring-a; loop@ring-a {f/cpu=4}; "
      "deep@below {f/cpu=2}; fine {f/cpu=3}");
  EXPECT_TRUE(world.tree.in_cycle(world.node("loop")));
  EXPECT_TRUE(world.tree.in_cycle(world.node("deep")));
  EXPECT_FALSE(world.tree.root(world.node("loop")));
  EXPECT_FALSE(world.tree.in_cycle(world.node("fine")));
  world.use("w@loop f/cpu=3");

  world.put("cohort ring-b");  // one edge less
  world.tree.settle();
  EXPECT_FALSE(world.tree.in_cycle(world.node("deep")));
  EXPECT_EQ(world.tree.name(world.tree.root(world.node("deep"))), "ring-b");
  EXPECT_EQ(world.cpu_available("deep"), Amount{3000});  // 4 + 2 - 3: the usage was kept

  world.put("cohort ring-b<ring-b");  // its own parent
  world.tree.settle();
  EXPECT_TRUE(world.tree.in_cycle(world.node("deep")));
  world.tree.remove_cohort("ring-b");
  world.tree.settle();
  EXPECT_FALSE(world.tree.in_cycle(world.node("deep")));
}

TEST(CohortTreeTest, GenerationCountsRecomputationsOfTheWholeTree) {
  World world("a@k {f/cpu=4}; b@k {f/cpu=6}; s {f/cpu=1}");
  const auto before_b = world.tree.generation(world.node("b"));
  const auto before_s = world.tree.generation(world.node("s"));
  world.put("a@k {f/cpu=5}");
  world.tree.settle();
  EXPECT_EQ(world.tree.generation(world.node("b")), before_b + 1);
  EXPECT_EQ(world.tree.generation(world.node("s")), before_s);
}

}  // namespace
}  // namespace quorate::quota
