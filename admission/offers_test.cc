// What a workload that ends gives back is offered at once, to one workload of each class.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/testing/world.h"

namespace quorate::admission {
namespace {

using testing::World;

class OfferTest : public ::testing::Test {
 protected:
  // Cpu 4 in use by two, and three of cpu 3 who wait, oldest first.
  void three_equals() {
    world.queues("q {f/cpu=4}");
    world.holding("one@q f/cpu=2; two@q f/cpu=2");
    world.waiting("a>q p0 t-30 cpu=3; b>q p0 t-20 cpu=3; c>q p0 t-10 cpu=3");
    world.carry_out(world.settle());
    world.carry_out(world.settle(Duration::seconds(2)));
    ASSERT_EQ(world.parked(), "a, b, c");
  }
  World world;
};

TEST_F(OfferTest, TheOldestOfAClassIsTriedForAll) {
  three_equals();
  world.finish("one");
  EXPECT_EQ(World::text(world.settle()), "");  // two are free, three are needed
  EXPECT_EQ(world.parked(), "a, b, c");
  world.finish("two");
  EXPECT_EQ(World::text(world.cycle()), "admit a");
  EXPECT_EQ(world.parked(), "c");
  EXPECT_EQ(world.heap(), "b");  // its turn is next
  EXPECT_EQ(World::text(world.settle()), "hold b WaitingForQuota");
  EXPECT_EQ(world.parked(), "b, c");
}

TEST_F(OfferTest, TheNextFollowsUntilOneFails) {
  world.queues("q {f/cpu=6}");
  world.holding("run@q f/cpu=6");
  world.waiting("a>q p0 t-40 cpu=3; b>q p0 t-30 cpu=3; c>q p0 t-20 cpu=3; d>q p0 t-10 cpu=3");
  world.settle();
  world.settle(Duration::seconds(2));
  world.finish("run");
  EXPECT_EQ(World::text(world.settle()), "admit a; admit b; hold c WaitingForQuota");
  EXPECT_EQ(world.parked(), "c, d");
}

TEST_F(OfferTest, EveryClassIsOffered) {
  world.queues("q {f/cpu=4}; p@k {f/cpu=0}; s@k {f/cpu=2}");
  world.holding("run@q f/cpu=4; lent@s f/cpu=2");
  world.waiting("big>q p9 t0 cpu=5; small>q p0 t0 cpu=1; other>q p0 t0 cpu=2; far>p p0 t0 cpu=2");
  world.settle();
  world.settle(Duration::seconds(2));
  ASSERT_EQ(world.parked(), "big, far, other, small");
  world.finish("run");
  EXPECT_EQ(World::text(world.settle()), "admit other; admit small");
  EXPECT_EQ(world.parked(), "big, far");
  world.finish("lent");
  EXPECT_EQ(World::text(world.settle()), "admit far");
}

TEST_F(OfferTest, NewNumbersAreToldWithTheBatchOnly) {
  three_equals();
  world.finish("one");
  EXPECT_EQ(World::text(world.settle()), "");
  EXPECT_EQ(World::text(world.settle(Duration::millis(999))), "");
  // "3 more needed" has become "1 more needed".
  EXPECT_EQ(World::text(world.settle(Duration::millis(1))), "hold a WaitingForQuota");
  EXPECT_EQ(World::text(world.settle(Duration::seconds(5))), "");
}

TEST_F(OfferTest, OneThatGoesBeforeItsTurnHandsTheOfferOn) {
  world.queues("q {f/cpu=4}");
  world.holding("run@q f/cpu=4");
  world.waiting("top>q p9 t0 cpu=1; a>q p0 t-20 cpu=3; b>q p0 t-10 cpu=3");
  world.settle();
  world.settle(Duration::seconds(2));
  world.finish("run");
  EXPECT_EQ(World::text(world.cycle()), "admit top");
  EXPECT_EQ(world.heap(), "a");
  world.admitter.workload_gone({"ns", "a"}, "uid-a");
  EXPECT_EQ(World::text(world.cycle()), "admit b");
}

// Queue b's head asks for what its own queue's victim gives back, beyond nominal quota. Were it
// offered, the older head of a would take it, be reclaimed from, and so on for ever.
TEST_F(OfferTest, WhatAVictimGivesBackIsItsPreemptors) {
  world.queues(
      "a@k {f/cpu=5} (within=LowerPriority reclaim=Any);"
      "b@k {f/cpu=3} (within=LowerPriority reclaim=Any)");
  world.holding("ra@a f/cpu=4 p9; rb@b f/cpu=1 p9; low@b f/cpu=2 p0");
  world.waiting("old>a p9 t-90 cpu=3; new>b p9 t-10 cpu=3");
  int evictions = 0;
  for (int i = 0; i < 20; ++i) {
    for (const Decision& decision : world.settle()) {
      world.carry_out(decision);
      const auto* evict = std::get_if<Evict>(&decision);
      if (evict == nullptr) continue;
      ++evictions;
      world.release(evict->workload.name, true);
    }
  }
  EXPECT_EQ(evictions, 1);
  EXPECT_EQ(world.used("b"), "f/cpu=4");
}

TEST_F(OfferTest, WithoutClassesAllAreOffered) {
  world.config.equivalence_classes = false;
  world.admitter.set_config(world.config);
  three_equals();
  world.finish("one");
  world.finish("two");
  EXPECT_EQ(World::text(world.settle()), "admit a; hold b WaitingForQuota; hold c WaitingForQuota");
}

TEST_F(OfferTest, AForkOffersOnItsOwn) {
  three_equals();
  world.finish("one");
  world.finish("two");
  Journal journal;
  Admitter fork(world.admitter, journal);
  EXPECT_EQ(World::text(fork.cycle(world.now)), "admit a");
  EXPECT_EQ(World::text(world.cycle()), "admit a");
}

}  // namespace
}  // namespace quorate::admission
