// Pods of their own: who is tried when, and what is said.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

TEST(PodsTest, OthersOnlyConsume) {
  World world;
  world.node("n1", {.cpu = 1500});
  world.pod("foreign", {.scheduler = "default-scheduler"});
  world.pod("running", {.scheduler = "default-scheduler", .node = "n1"});
  world.pod("ours");
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod ours Unschedulable: 0/1 nodes are "
                                                   "available: 1 Insufficient cpu.")));
}

TEST(PodsTest, HigherPriorityGoesFirst) {
  World world;
  world.node("n1", {.cpu = 1500});
  world.pod("low", {.priority = 1, .created = 1});
  world.pod("high", {.priority = 2, .created = 2});
  EXPECT_THAT(world.step(), ElementsAre("bind high n1", StartsWith("pod low Unschedulable")));
}

TEST(PodsTest, GatedPodIsLeftAloneAndTriedAtOnceWithoutItsGate) {
  World world;
  world.node("n1");
  world.pod("p", {.gates = {"wait"}});
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_FALSE(world.scheduler.next_wakeup());
  world.pod("p");
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
}

TEST(PodsTest, BoundPodIsConfirmedByAnswerAndWatchInEitherOrder) {
  for (const bool answer_first : {true, false}) {
    World world;
    world.node("n1");
    world.pod("p");
    EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
    if (answer_first) world.answered("p", BindResult::Bound);
    world.seen_on("p", "n1");
    if (!answer_first) world.answered("p", BindResult::Bound);
    EXPECT_THAT(world.after(1000), IsEmpty());
    EXPECT_FALSE(world.scheduler.busy());
    EXPECT_FALSE(world.scheduler.next_wakeup());
    EXPECT_EQ(world.node_of("p"), "n1");
  }
}

TEST(PodsTest, FailedBindFreesTheNodeAndIsTriedAgainLater) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.pod("p", {.created = 1});
  world.pod("q", {.created = 2});
  EXPECT_THAT(world.step(), ElementsAre("bind p n1", StartsWith("pod q Unschedulable")));
  world.answered("p", BindResult::Failed, "", "webhook says no");
  // q waited for the room that p gives back; p comes again after its backoff.
  EXPECT_THAT(world.step(),
              ElementsAre("pod p SchedulerError: binding failed: webhook says no", "bind q n1"));
  EXPECT_THAT(world.after(1), ElementsAre(StartsWith("pod p Unschedulable")));
}

TEST(PodsTest, BoundElsewhereCountsThere) {
  World world;
  world.node("n1");
  world.node("n2");
  world.pod("p");
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
  world.answered("p", BindResult::Elsewhere, "n2");
  EXPECT_EQ(world.node_of("p"), "n2");
  EXPECT_THAT(world.after(100), IsEmpty());
}

TEST(PodsTest, GonePodIsDropped) {
  World world;
  world.node("n1");
  world.pod("p");
  world.step();
  world.answered("p", BindResult::Gone);
  EXPECT_EQ(world.node_of("p"), "");
  EXPECT_THAT(world.after(1000), IsEmpty());
}

TEST(PodsTest, UnansweredBindIsSentAgain) {
  World world;
  world.node("n1");
  world.pod("p");
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
  EXPECT_THAT(world.after(29), IsEmpty());
  EXPECT_THAT(world.after(1), ElementsAre("bind p n1"));
}

TEST(PodsTest, SameConditionIsNotWrittenTwice) {
  World world;
  world.node("n1", {.cpu = 100});
  cluster::PodSpec pod = make_pod("p");
  pod.unschedulable_reason = "Unschedulable";
  pod.unschedulable_message =
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
      "Preemption is not helpful for scheduling.";
  world.pod(pod);
  EXPECT_THAT(world.step(), IsEmpty());
  world.node("n2", {.unschedulable = true});
  EXPECT_THAT(world.after(300), ElementsAre(StartsWith("pod p Unschedulable: 0/2")));
}

TEST(PodsTest, OnlyAnEventThatCanHelpBringsAPodBack) {
  Config config;
  config.pop_from_backoff = false;
  World world(config);
  world.node("n1", {.cpu = 1000});
  world.pod("running", {.cpu = 800, .scheduler = "else", .node = "n1"});
  world.pod("p", {.cpu = 600});
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod p Unschedulable")));
  const auto queued = [&] {
    return world.scheduler.next_wakeup() < world.now + Duration::seconds(60);
  };
  world.node("n1", {.cpu = 1000, .labels = {{"a", "b"}}});  // a label does not make room
  world.step();
  EXPECT_FALSE(queued());
  world.pod("running", {.cpu = 500, .scheduler = "else", .node = "n1"});  // 500 left: too little
  world.step();
  EXPECT_FALSE(queued());
  world.pod("running", {.cpu = 400, .scheduler = "else", .node = "n1"});
  world.step();
  EXPECT_TRUE(queued());
  EXPECT_THAT(world.after(1), ElementsAre("bind p n1"));
}

TEST(PodsTest, OwnStatusWriteDoesNotRequeue) {
  World world;
  world.node("n1", {.cpu = 100});
  world.pod("p");
  world.step();
  cluster::PodSpec echoed = make_pod("p");
  echoed.unschedulable_reason = "Unschedulable";
  echoed.unschedulable_message = "whatever";
  world.pod(echoed);
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_FALSE(world.scheduler.busy());
}

TEST(PodsTest, NominatedNodeIsTakenFirst) {
  World world;
  world.node("n1");
  world.node("n2");
  cluster::PodSpec pod = make_pod("p");
  pod.nominated_node = "n2";
  world.pod(pod);
  EXPECT_THAT(world.step(), ElementsAre("bind p n2"));
}

TEST(PodsTest, BudgetBoundsAStepAndBusySaysSo) {
  World world;
  world.node("n1");
  for (const char* name : {"a", "b", "c"}) world.pod(name);
  EXPECT_THAT(world.step(2), ElementsAre("bind a n1", "bind b n1"));
  EXPECT_TRUE(world.scheduler.busy());
  EXPECT_THAT(world.step(2), ElementsAre("bind c n1"));
  EXPECT_FALSE(world.scheduler.busy());
}

TEST(PodsTest, ProfilesMayChange) {
  World world;
  world.node("n1");
  world.pod("p", {.scheduler = "second"});
  EXPECT_THAT(world.step(), IsEmpty());
  Config config;
  config.profiles.push_back({.scheduler_name = "second"});
  world.scheduler.set_config(config);
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
}

}  // namespace
}  // namespace quorate::scheduler
