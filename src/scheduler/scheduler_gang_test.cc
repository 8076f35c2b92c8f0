// Gangs: given a cluster, when things happen, then all are bound or none.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr const char* kCore =
    "pod group is unschedulable, 0/1 placements are available, first placement status: minCount ";
constexpr const char* kNoVictims =
    ", pod group preemption: No preemption victims found for incoming preemptor";

TEST(GangTest, BindsAllMembersInOneBatch) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 2000});
  world.group("g", 3);
  members(world, "g", 3);
  const std::vector<Decision> decisions = world.decide();
  ASSERT_EQ(decisions.size(), 3u);
  for (const Decision& decision : decisions) {
    EXPECT_EQ(std::get<Bind>(decision).group, (ObjectKey{"ns", "g"}));
  }
  EXPECT_EQ(world.view("g").state, GroupView::State::Binding);
  for (const char* name : {"g0", "g1"}) world.answered(name, BindResult::Bound);
  EXPECT_THAT(world.step(), IsEmpty());
  world.answered("g2", BindResult::Bound);
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
  EXPECT_EQ(world.view("g").state, GroupView::State::Scheduled);
}

TEST(GangTest, HeldWithoutAWordUntilTheQuorumExists) {
  World world;
  world.node("n1");
  members(world, "g", 2);
  EXPECT_THAT(world.step(), IsEmpty());  // the group itself is missing
  world.group("g", 3);
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_EQ(world.view("g").state, GroupView::State::WaitsForMembers);
  world.pod("g2", {.group = "g", .gates = {"later"}});
  EXPECT_THAT(world.step(), IsEmpty());  // a gated member does not count
  world.pod("g2", {.group = "g"});
  EXPECT_THAT(world.step(), ElementsAre("bind g0 n1", "bind g1 n1", "bind g2 n1"));
}

TEST(GangTest, MembersOfAForeignSchedulerDoNotCount) {
  World world;
  world.node("n1");
  world.group("g", 2);
  world.pod("a", {.group = "g"});
  world.pod("b", {.group = "g", .scheduler = "default-scheduler"});
  EXPECT_THAT(world.step(), IsEmpty());
  world.group("g", 1);
  EXPECT_THAT(world.step(), ElementsAre("bind a n1"));
}

// Four members of 1 cpu, minCount 3.
TEST(GangTest, ThreeOfFourFitWithRoomForThree) {
  World world;
  world.node("n1", {.cpu = 3000});
  world.group("g", 3);
  members(world, "g", 4);
  EXPECT_THAT(world.step(), ElementsAre("bind g0 n1", "bind g1 n1", "bind g2 n1",
                                        "pod g3 Unschedulable: 0/1 nodes are available: 1 "
                                        "Insufficient cpu."));
}

TEST(GangTest, NobodyIsBoundWithRoomForTwo) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.group("g", 3);
  members(world, "g", 4);
  const std::string condition =
      std::string(kCore) + "(3) cannot be satisfied: 2 scheduled, 0 remaining" + kNoVictims;
  const std::string own = "0/1 nodes are available: 1 Insufficient cpu.";
  EXPECT_THAT(world.step(),
              ElementsAre("pod g0 Unschedulable: pod group is unschedulable, " + condition,
                          "pod g1 Unschedulable: pod group is unschedulable, " + condition,
                          "pod g2 Unschedulable: " + own, "pod g3 Unschedulable: " + own,
                          "group g False Unschedulable: " + condition));
  EXPECT_EQ(world.view("g").proof, "bound: 2 of 3 identical members fit on 1 nodes");
}

TEST(GangTest, StopsWithOneUntriedWithRoomForOne) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.group("g", 3);
  members(world, "g", 4);
  const std::string core = std::string(kCore) + "(3) cannot be satisfied: 1 scheduled, 1 remaining";
  EXPECT_THAT(
      world.step(),
      ElementsAre("pod g0 Unschedulable: pod group is unschedulable, " + core + kNoVictims,
                  StartsWith("pod g1 Unschedulable: 0/1 nodes"),
                  StartsWith("pod g2 Unschedulable: 0/1 nodes"), "pod g3 Unschedulable: " + core,
                  "group g False Unschedulable: " + core + kNoVictims));
}

TEST(GangTest, WaitsUntilAllFitThenBindsAllInOneCycle) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  for (const char* n : {"1", "2"}) {
    world.pod(std::string("r") + n, {.scheduler = "else", .node = std::string("n") + n});
  }
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  world.gone("r1");
  EXPECT_THAT(world.step(), AllOf(testing::Each(testing::Not(StartsWith("bind")))));
  world.gone("r2");
  EXPECT_THAT(world.after(10), ElementsAre("bind g0 n1", "bind g1 n2"));
}

TEST(GangTest, CompetingGangsNeverHoldEachOthersHalves) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 1000});
  world.group("g", 2);
  world.group("h", 2);
  members(world, "g", 2, {.created = 1});
  members(world, "h", 2, {.created = 1});
  const auto lines = world.step();
  EXPECT_THAT(lines, testing::Contains("bind g0 n1"));
  EXPECT_EQ(world.view("g").held, 2);
  EXPECT_EQ(world.view("h").held, 0);
  world.node("n3", {.cpu = 1000});
  EXPECT_THAT(world.after(10), UnorderedElementsAre("bind h0 n2", "bind h1 n3"));
}

TEST(GangTest, LateMemberJoinsAScheduledGang) {
  World world;
  world.node("n1", {.cpu = 3000});
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  for (const char* name : {"g0", "g1"}) world.seen_on(name, "n1");
  world.pod("g2", {.group = "g"});
  EXPECT_THAT(world.step(), ElementsAre("group g True", "bind g2 n1"));
  world.seen_on("g2", "n1");
  world.pod("g3", {.group = "g"});
  // True stays; the extra member only has its own fit error.
  EXPECT_THAT(world.step(), ElementsAre("pod g3 Unschedulable: 0/1 nodes are available: 1 "
                                        "Insufficient cpu."));
  EXPECT_THAT(world.after(600), IsEmpty());
}

TEST(GangTest, RaisedMinimumLeavesTheRunningOnesAlone) {
  World world;
  world.node("n1");
  world.group("g", 3);
  members(world, "g", 3);
  world.step();
  for (const char* name : {"g0", "g1", "g2"}) world.seen_on(name, "n1");
  world.step();
  world.group("g", 9);
  world.pod("g3", {.group = "g"});
  EXPECT_THAT(world.after(600), IsEmpty());  // held: 4 of 9 exist
  world.group("g", 5);
  world.pod("g4", {.group = "g", .cpu = 9000});
  // Five exist; the fifth fits nowhere. Three were the minimum once: they stay.
  world.after(1);
  EXPECT_THAT(world.after(600), testing::Not(testing::Contains(StartsWith("delete"))));
}

TEST(GangTest, DeletedMemberDropsOutWhileTheGangWaits) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.group("g", 2);
  members(world, "g", 2, {.cpu = 1500});
  world.step();
  world.terminating("g1");
  world.node("n2", {.cpu = 2000});
  EXPECT_THAT(world.after(10), IsEmpty());
  world.gone("g1");
  EXPECT_EQ(world.view("g").state, GroupView::State::WaitsForMembers);
  world.pod("g1b", {.group = "g", .cpu = 1500});
  EXPECT_THAT(world.after(10), ElementsAre("bind g0 n1", "bind g1b n2"));
}

TEST(GangTest, ReplacedMemberIsPlannedBesideTheHeldOnes) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.group("g", 2);
  members(world, "g", 2);
  EXPECT_THAT(world.step(), ElementsAre("bind g0 n1", "bind g1 n2"));
  world.answered("g0", BindResult::Bound);
  world.answered("g1", BindResult::Gone);
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_EQ(world.view("g").bound, 1);
  world.gone("g1");
  world.pod("g1b", {.group = "g"});
  EXPECT_THAT(world.after(1), ElementsAre("bind g1b n2"));
  world.seen_on("g1b", "n2");
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
}

TEST(GangTest, BindThatFailsHalfWayIsRetriedWithEverythingHeld) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  world.answered("g0", BindResult::Bound);
  world.answered("g1", BindResult::Failed);
  world.pod("thief", {.priority = 100});
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod thief Unschedulable")));
  EXPECT_EQ(world.scheduler.next_wakeup(), world.now + Duration::millis(200));
  world.now = world.now + Duration::millis(200);
  EXPECT_THAT(world.step(), ElementsAre("bind g1 n2"));
  world.answered("g1", BindResult::Bound);
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
}

TEST(GangTest, BindThatFailsForGoodRollsTheGangBack) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  world.seen_on("g0", "n1");
  for (int i = 0; i < 29; ++i) {
    world.answered("g1", BindResult::Failed, "", "denied");
    world.after(0);
    EXPECT_THAT(world.after(1), ElementsAre("bind g1 n2")) << i;
  }
  world.answered("g1", BindResult::Failed, "", "denied");
  const std::string why = "1 of 2 members of gang ns/g could be bound: denied";
  EXPECT_THAT(world.after(1), ElementsAre("delete g0: " + why, "pod g1 SchedulerError: " + why));
  EXPECT_EQ(world.node_of("g1"), "");
  // The owner recreates the member; the gang is planned whole again, after a backoff.
  world.gone("g0");
  world.pod("g0b", {.group = "g"});
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_THAT(world.after(1), UnorderedElementsAre("bind g0b n1", "bind g1 n2"));
}

TEST(GangTest, RejectedByAllIsReleasedAtOnceForOthers) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.group("bad", 2);
  members(world, "bad", 2, {.created = 1});
  world.step();
  world.pod("good", {.created = 2});
  for (const char* name : {"bad0", "bad1"}) world.answered(name, BindResult::Failed, "", "denied");
  const auto lines = world.step();
  EXPECT_THAT(lines, testing::Contains("bind good n1"));
  EXPECT_THAT(lines, testing::Not(testing::Contains(StartsWith("delete"))));
  EXPECT_THAT(world.after(1), testing::Not(testing::Contains(StartsWith("bind"))));
}

TEST(GangTest, DeletionIsRepeatedUntilItHappens) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.group("g", 2);
  world.pod("g0", {.group = "g", .node = "n1"});
  world.step();
  EXPECT_THAT(world.after(30), ElementsAre(StartsWith("delete g0")));
  EXPECT_THAT(world.after(30), ElementsAre(StartsWith("delete g0")));
  world.terminating("g0");
  EXPECT_THAT(world.after(30), IsEmpty());
}

TEST(GangTest, BoundAfterAllOnceItsGangWasRolledBack) {
  for (const bool by_answer : {true, false}) {
    World world;
    world.node("n1");
    world.group("g", 2);
    members(world, "g", 2);
    world.step();
    world.seen_on("g0", "n1");
    EXPECT_THAT(world.after(1), IsEmpty());
    // The answer of g1 is lost for longer than the bound.
    EXPECT_THAT(world.after(30), ElementsAre(StartsWith("delete g0"), StartsWith("pod g1")));
    if (by_answer) {
      world.answered("g1", BindResult::Bound);
    } else {
      world.seen_on("g1", "n1");
    }
    EXPECT_THAT(world.step(), ElementsAre(StartsWith("delete g1")));
  }
}

TEST(GangTest, LostAnswersAreResolvedByTheWatch) {
  World world;
  world.node("n1");
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  world.seen_on("g1", "n1");
  world.seen_on("g0", "n1");
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
  EXPECT_THAT(world.after(600), IsEmpty());
}

TEST(GangTest, MemberBoundElsewhereCountsAsScheduledThere) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 1000});
  world.group("g", 2);
  members(world, "g", 2, {.selector = {{"kubernetes.io/hostname", "n1"}}});
  world.step();
  world.answered("g0", BindResult::Elsewhere, "n2");
  world.answered("g1", BindResult::Bound);
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
  EXPECT_EQ(world.node_of("g0"), "n2");
}

TEST(GangTest, HalfBoundAtStartIsCompleted) {
  World world;
  world.group("g", 3);
  world.pod("g0", {.group = "g", .node = "n1"});
  world.pod("g1", {.group = "g"});
  world.pod("g2", {.group = "g"});
  world.node("n1", {.cpu = 3000});
  EXPECT_THAT(world.step(), ElementsAre("bind g1 n1", "bind g2 n1"));
}

TEST(GangTest, HalfBoundAtStartThatCannotBeCompletedIsRolledBackInTime) {
  World world;
  world.group("g", 3);
  world.node("n1", {.cpu = 1000});
  world.pod("g0", {.group = "g", .node = "n1"});
  world.pod("g1", {.group = "g"});
  world.pod("g2", {.group = "g"});
  world.now = Time::from_seconds(5000);
  world.step();  // first seen so
  EXPECT_THAT(world.after(29), testing::Not(testing::Contains(StartsWith("delete"))));
  EXPECT_THAT(world.after(1),
              testing::Contains("delete g0: 1 of 3 members of gang ns/g could be bound"));
}

TEST(GangTest, BrokenGangGetsItsMemberBackBeforeOthersOrLeavesWhole) {
  for (const bool node_returns : {true, false}) {
    World world;
    world.group("g", 3);
    for (const char* n : {"1", "2", "3"}) world.node(std::string("n") + n, {.cpu = 1000});
    members(world, "g", 3);
    world.step();
    for (const char* n : {"0", "1", "2"}) {
      world.seen_on(std::string("g") + n, "n" + std::to_string(n[0] - '0' + 1));
    }
    EXPECT_THAT(world.step(), ElementsAre("group g True"));
    world.node("n3", {.cpu = 1000, .unschedulable = true});  // drained
    world.gone("g2");
    world.pod("g2b", {.group = "g", .created = 900});
    world.step();
    if (node_returns) {
      world.node("n3", {.cpu = 1000});
      world.pod("plain", {.created = 1});
      EXPECT_THAT(world.step(), ElementsAre("bind g2b n3", StartsWith("pod plain")));
    } else {
      EXPECT_THAT(world.after(30), ElementsAre(StartsWith("delete g0"), StartsWith("delete g1")));
    }
  }
}

TEST(GangTest, FinishedMembersDoNotEndTheOthers) {
  World world;
  world.node("n1");
  world.group("g", 2);
  members(world, "g", 2);
  world.step();
  for (const char* name : {"g0", "g1"}) world.seen_on(name, "n1");
  world.step();
  world.finished("g0");
  EXPECT_THAT(world.after(600), IsEmpty());
}

// Key rack: r1 has 3 free slots, r2 has 5.
TEST(GangTest, OneDomainTakesTheWholeGang) {
  World world;
  world.node("a", {.cpu = 3000, .labels = {{"rack", "r1"}}});
  world.node("b", {.cpu = 5000, .labels = {{"rack", "r2"}}});
  world.node("c", {.cpu = 9000});
  PodGroupSpec group = make_group("g", 4);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 4);
  EXPECT_THAT(world.step(), ElementsAre("bind g0 b", "bind g1 b", "bind g2 b", "bind g3 b"));
  for (int i = 0; i < 4; ++i) world.seen_on("g" + std::to_string(i), "b");
  world.step();
  // The domain is fixed: with r2 full a fifth member waits, whatever r1 has.
  world.pod("other", {.scheduler = "else", .node = "b"});
  world.pod("g4", {.group = "g"});
  EXPECT_THAT(world.step(), ElementsAre("pod g4 Unschedulable: 0/1 nodes are available: 1 "
                                        "Insufficient cpu."));
}

TEST(GangTest, OfSeveralDomainsTheFullestThatTakesAll) {
  World world;
  world.node("a", {.cpu = 8000, .labels = {{"rack", "r1"}}});
  world.node("b", {.cpu = 8000, .labels = {{"rack", "r2"}}});
  world.node("c", {.cpu = 8000, .labels = {{"rack", "r3"}}});
  world.pod("in-b", {.cpu = 6000, .scheduler = "else", .node = "b"});
  world.pod("in-c", {.cpu = 7000, .scheduler = "else", .node = "c"});
  PodGroupSpec group = make_group("g", 2);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 2);
  EXPECT_THAT(world.step(), ElementsAre("bind g0 b", "bind g1 b"));
}

TEST(GangTest, NoNodeHasTheTopologyKey) {
  World world;
  world.node("a");
  PodGroupSpec group = make_group("g", 1);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 1);
  EXPECT_THAT(world.step(),
              ElementsAre("pod g0 Unschedulable: no feasible placements found",
                          "group g False Unschedulable: no feasible placements found" +
                              std::string(kNoVictims)));
}

TEST(GangTest, FirstPlacementSpeaksForAll) {
  World world;
  world.node("a", {.cpu = 1000, .labels = {{"rack", "r1"}}});
  world.node("b", {.cpu = 1000, .labels = {{"rack", "r2"}}});
  PodGroupSpec group = make_group("g", 2);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 2);
  EXPECT_THAT(world.step(),
              ElementsAre(HasSubstr("0/2 placements are available"),
                          "pod g1 Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
                          HasSubstr("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining")));
}

TEST(GangTest, BasicGroupBindsWhatFits) {
  World world;
  world.node("n1", {.cpu = 2000});
  PodGroupSpec group = make_group("g", 1);
  group.gang = false;
  world.scheduler.apply(group);
  members(world, "g", 3);
  EXPECT_THAT(world.step(), ElementsAre("bind g0 n1", "bind g1 n1",
                                        "pod g2 Unschedulable: 0/1 nodes are available: 1 "
                                        "Insufficient cpu."));
  world.seen_on("g0", "n1");
  EXPECT_THAT(world.step(), ElementsAre("group g True"));
}

TEST(GangTest, BasicGroupOfWhichNobodyFits) {
  World world;
  world.node("n1", {.cpu = 500});
  PodGroupSpec group = make_group("g", 1);
  group.gang = false;
  world.scheduler.apply(group);
  members(world, "g", 1);
  EXPECT_THAT(world.step(),
              ElementsAre("pod g0 Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
                          "group g False Unschedulable: " + std::string(kCore) +
                              "(1) cannot be satisfied: 0 scheduled, 0 remaining" + kNoVictims));
}

TEST(GangTest, PriorityOfMembersMustBeThatOfTheGroup) {
  World world;
  world.node("n1");
  PodGroupSpec group = make_group("g", 3);
  group.priority = 100;
  world.scheduler.apply(group);
  members(world, "g", 2, {.priority = 100});
  world.pod("z", {.group = "g", .priority = 0});
  const std::string why =
      "SchedulerError: all pods in a single pod group should have the same priority as the pod "
      "group's priority, got 0 and 100";
  EXPECT_THAT(world.step(), ElementsAre("pod g0 " + why, "pod g1 " + why, "pod z " + why,
                                        "group g False " + why));
  EXPECT_EQ(world.scheduler.next_wakeup(), world.now + Duration::seconds(1));
}

TEST(GangTest, PreemptionPolicyMustBeOne) {
  World world;
  world.node("n1");
  world.group("g", 2);
  world.pod("a", {.group = "g", .policy = "Never"});
  world.pod("b", {.group = "g"});
  EXPECT_THAT(world.step(),
              testing::Contains("group g False SchedulerError: all pods in a single pod group "
                                "should have the same preemption policy, got Never and "
                                "PreemptLowerPriority"));
}

TEST(GangTest, TwoProfilesOfOneSchedulerInOneGroup) {
  Config config;
  config.profiles.push_back({.scheduler_name = "second"});
  World world(config);
  world.node("n1");
  world.group("g", 2);
  world.pod("a", {.group = "g"});
  world.pod("b", {.group = "g", .scheduler = "second"});
  EXPECT_THAT(world.step(),
              testing::Contains("group g False SchedulerError: all pods in a single pod group "
                                "should have the same scheduler name, got quorate-scheduler and "
                                "second"));
}

TEST(GangTest, ReplacedWhileOthersHaveSucceededIsNoReasonToEndTheRest) {
  World world;
  world.node("n1", {.cpu = 3000});
  world.group("g", 3);
  members(world, "g", 3);
  world.step();
  for (const char* name : {"g0", "g1", "g2"}) world.seen_on(name, "n1");
  world.step();
  world.finished("g0");
  world.pod("thief", {.scheduler = "else", .node = "n1"});
  world.pod("g3", {.group = "g"});
  world.step();
  EXPECT_THAT(world.after(600), testing::Not(testing::Contains(StartsWith("delete"))));
}

TEST(GangTest, ConditionThatIsThereIsNotWrittenAgain) {
  World world;
  world.node("n1", {.cpu = 500});
  PodGroupSpec group = make_group("g", 1);
  group.condition_reason = "Unschedulable";
  group.condition_message =
      std::string(kCore) + "(1) cannot be satisfied: 0 scheduled, 0 remaining" + kNoVictims;
  world.scheduler.apply(group);
  members(world, "g", 1);
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod g0")));
}

TEST(GangTest, TrueIsNeverOverwrittenByFalse) {
  World world;
  world.node("n1", {.cpu = 500});
  PodGroupSpec group = make_group("g", 1);
  group.initially_scheduled = true;
  world.scheduler.apply(group);
  members(world, "g", 1);
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod g0")));
}

TEST(GangTest, EmptyGroupsAreForgotten) {
  World world;
  world.group("g", 1);
  members(world, "g", 1);
  world.step();
  world.gone("g0");
  world.scheduler.group_gone({"ns", "g"}, "uid-g");
  world.step();
  EXPECT_EQ(world.scheduler.group_view(world.model, {"ns", "g"}), std::nullopt);
  EXPECT_FALSE(world.scheduler.next_wakeup());
}

}  // namespace
}  // namespace quorate::scheduler
