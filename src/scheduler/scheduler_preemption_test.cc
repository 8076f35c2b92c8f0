// Making room: who is evicted for whom, and what happens until they are gone.

#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

PodArgs running(const std::string& node, std::int32_t priority, std::int64_t cpu = 1000,
                const std::string& group = "") {
  return {.group = group,
          .cpu = cpu,
          .scheduler = "else",
          .priority = priority,
          .node = node,
          .created = 1};
}

std::vector<std::string> evicted(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) {
    if (line.starts_with("evict ")) names.push_back(line.substr(6));
  }
  return names;
}

PodGroupSpec whole(const std::string& name, std::int32_t priority) {
  PodGroupSpec group = make_group(name, 1);
  group.disrupt_together = true;
  group.priority = priority;
  return group;
}

DisruptionBudget budget(const std::string& name, Labels labels, std::int32_t allowed) {
  DisruptionBudget pdb{{"ns", name}, {}, allowed, {}};
  for (const auto& [key, value] : labels) {
    pdb.selector.requirements.push_back({key, Requirement::Op::In, {value}});
  }
  return pdb;
}

// --- pods ---

TEST(PodPreemptionTest, S14LowestHighestVictimWinsUnlessABudgetIsBroken) {
  for (const bool with_budget : {false, true}) {
    World world;
    world.node("n1", {.cpu = 2000});
    world.node("n2", {.cpu = 2000});
    PodArgs guarded = running("n1", 10);
    guarded.pod_labels = {{"app", "db"}};
    world.pod("v1", guarded);
    world.pod("v2", guarded);
    world.pod("w1", running("n2", 50, 2000));
    if (with_budget) world.scheduler.apply(budget("pdb", {{"app", "db"}}, 1));
    world.pod("p", {.cpu = 2000, .priority = 100});
    const auto lines = world.step();
    if (with_budget) {
      EXPECT_THAT(lines, ElementsAre("evict w1", "nominate p n2", StartsWith("pod p")));
    } else {
      EXPECT_THAT(evicted(lines), ElementsAre("v1", "v2"));
      EXPECT_THAT(lines, Contains("nominate p n1"));
    }
    // Room that was asked for is all that the message leaves out.
    EXPECT_THAT(lines,
                Contains("pod p Unschedulable: 0/2 nodes are available: 2 Insufficient cpu."));
  }
}

TEST(PodPreemptionTest, OnlyWhoHasToGoGoes) {
  World world;
  world.node("n1", {.cpu = 4000});
  world.pod("old", running("n1", 10, 2000));
  world.pod("young",
            {.cpu = 2000, .scheduler = "else", .priority = 10, .node = "n1", .created = 9});
  world.pod("p", {.cpu = 2000, .priority = 100});
  const std::vector<Decision> decisions = world.decide();
  const auto& evict = std::get<Evict>(decisions.front());
  EXPECT_EQ(evict.pod.name, "young");
  EXPECT_EQ(evict.message, "quorate-scheduler: preempting to accommodate a higher priority pod");
  EXPECT_EQ(evict.event, "Preempted by pod uid-p on node n1");
}

TEST(PodPreemptionTest, RoomIsKeptWhileTheVictimLeavesAndNobodyElseHasToGo) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.pod("v1", running("n1", 1));
  world.pod("v2", running("n2", 2));
  world.pod("p", {.priority = 100});
  EXPECT_THAT(evicted(world.step()), ElementsAre("v1"));
  world.terminating("v1");
  EXPECT_THAT(world.after(20), Each(Not(StartsWith("evict"))));
  world.gone("v1");
  // Of lower priority and first in time, yet the room is not theirs.
  world.pod("thief", {.priority = 50, .created = 0});
  EXPECT_THAT(world.after(10),
              testing::AllOf(Contains("bind p n1"), Not(Contains("bind thief n1"))));
}

TEST(PodPreemptionTest, HigherPriorityTakesTheRoomAndItsHolderLooksAgain) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.pod("v1", running("n1", 1));
  world.pod("v2", running("n2", 2));
  world.pod("p", {.priority = 100});
  world.step();
  world.gone("v1");
  world.pod("king", {.priority = 1000});
  const std::vector<std::string> lines = world.step();
  EXPECT_THAT(lines, Contains("bind king n1"));
  EXPECT_THAT(evicted(lines), ElementsAre("v2"));
}

TEST(PodPreemptionTest, B103WhoIsStoppingAlreadyCounts) {
  World world;
  world.node("n1", {.cpu = 6000});
  for (const char* name : {"a", "b", "c"}) world.pod(name, running("n1", 1, 2000));
  world.terminating("a");
  world.pod("p", {.cpu = 2000, .priority = 100});
  EXPECT_THAT(evicted(world.step()), IsEmpty());
  world.pod("q", {.cpu = 4000, .priority = 100});
  EXPECT_THAT(evicted(world.step()), testing::SizeIs(2));  // p has the room of a
}

TEST(PodPreemptionTest, VictimThatDoesNotLeaveIsToldAgain) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.pod("v", running("n1", 1));
  world.pod("p", {.priority = 100});
  EXPECT_THAT(evicted(world.step()), ElementsAre("v"));
  EXPECT_THAT(evicted(world.after(29)), IsEmpty());
  EXPECT_THAT(evicted(world.after(1)), ElementsAre("v"));
  world.gone("p");
  world.step();
  EXPECT_THAT(evicted(world.after(100)), IsEmpty());
}

TEST(PodPreemptionTest, EqualPriorityPolicyNeverAndQueuedPodsStay) {
  World world;
  world.node("n1", {.cpu = 1000});
  PodArgs queued = running("n1", 1);
  queued.pod_labels = {{"kueue.x-k8s.io/queue-name", "q"}};
  world.pod("v", queued);
  world.pod("p", {.priority = 100});
  EXPECT_THAT(world.step(),
              ElementsAre("pod p Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. "
                          "preemption: 0/1 nodes are available: 1 No preemption victims found for "
                          "incoming pod."));
  world.pod("never", {.priority = 200, .policy = "Never"});
  EXPECT_THAT(
      world.step(),
      ElementsAre(testing::EndsWith("preemption: not eligible due to preemptionPolicy=Never.")));
  world.pod("equal", {.priority = 1});
  EXPECT_THAT(world.step(), ElementsAre(StartsWith("pod equal")));
}

TEST(PodPreemptionTest, SaysWhatWasInTheWayEvenWithoutVictims) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.pod("v", running("n1", 1));
  world.pod("w", running("n1", 500));
  world.pod("p", {.cpu = 2000, .priority = 100});
  EXPECT_THAT(world.step(),
              ElementsAre("pod p Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. "
                          "preemption: 0/1 nodes are available: 1 Insufficient cpu."));
}

TEST(PodPreemptionTest, MemberOfAGroupThatGoesTogetherTakesAllWithIt) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.scheduler.apply(whole("g", 10));
  world.pod("g1", running("n1", 10, 1000, "g"));
  world.pod("g2", running("n2", 10, 1000, "g"));
  world.pod("p", {.selector = {{"kubernetes.io/hostname", "n1"}}, .priority = 100});
  EXPECT_THAT(evicted(world.step()), UnorderedElementsAre("g1", "g2"));
}

// --- groups ---

// Seven cpu on one node: a group of three that goes together, and four pods.
struct Seven : World {
  explicit Seven(std::int32_t group_priority) {
    node("n1", {.cpu = 7000});
    scheduler.apply(whole("g", group_priority));
    for (const char* name : {"g1", "g2", "g3"}) pod(name, running("n1", group_priority, 1000, "g"));
    for (const char* name : {"p1", "p2", "p3", "p4"}) pod(name, running("n1", 10));
    PodGroupSpec preemptor = make_group("x", 4);
    preemptor.priority = 100;
    scheduler.apply(preemptor);
    members(*this, "x", 4, {.priority = 100});
  }
};

TEST(GroupPreemptionTest, S20GroupThatFitsBesideIsKept) {
  Seven world(10);
  EXPECT_THAT(evicted(world.step()), ElementsAre("p1", "p2", "p3", "p4"));
}

TEST(GroupPreemptionTest, S21GroupOfLowerPriorityGoesWhole) {
  Seven world(5);
  EXPECT_THAT(evicted(world.step()), UnorderedElementsAre("p4", "g1", "g2", "g3"));
}

TEST(GroupPreemptionTest, S22PolicyNeverEvictsNobody) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.pod("v", running("n1", 1));
  world.group("g", 1);
  members(world, "g", 1, {.priority = 100, .policy = "Never"});
  const auto lines = world.step();
  EXPECT_THAT(evicted(lines), IsEmpty());
  EXPECT_THAT(lines, Contains(testing::EndsWith(
                         ", deallocation and deletion of ResourceClaims completed, pod group "
                         "preemption: not eligible due to preemptionPolicy=Never.")));
}

TEST(GroupPreemptionTest, S29TwoOfFourFullNodesAreFreedForTwoMembers) {
  World world;
  for (const char* n : {"1", "2", "3", "4"}) {
    world.node(std::string("n") + n, {.cpu = 3000});
    world.pod(std::string("v") + n, running(std::string("n") + n, 10, 3000));
  }
  PodGroupSpec group = make_group("g", 2);
  group.priority = 100;
  world.scheduler.apply(group);
  members(world, "g", 2, {.cpu = 3000, .priority = 100});
  const std::vector<Decision> decisions = world.decide();
  std::vector<std::string> lines;
  for (const Decision& decision : decisions) lines.push_back(text(decision));
  EXPECT_EQ(evicted(lines).size(), 2u);
  EXPECT_EQ(std::get<Evict>(decisions.front()).event,
            "Preempted by podgroup uid-g on node cluster");
  EXPECT_EQ(std::get<Evict>(decisions.front()).message,
            "quorate-scheduler: preempting to accommodate a higher priority podgroup");
  EXPECT_THAT(lines, Contains(StartsWith("nominate g0")));
  EXPECT_THAT(lines, Contains(StartsWith("nominate g1")));
  EXPECT_THAT(lines, Contains("group g False Unschedulable: pod group is unschedulable, 0/1 "
                              "placements are available, first placement status: minCount (2) "
                              "cannot be satisfied: 0 scheduled, 1 remaining, pod group "
                              "preemption: found a placement for podgroup, preempting 2 victims"));
  const std::vector<std::string> victims = evicted(lines);
  world.gone(victims[0]);
  EXPECT_THAT(world.after(10), Each(Not(testing::AnyOf(StartsWith("bind"), StartsWith("evict")))));
  world.gone(victims[1]);
  EXPECT_THAT(world.after(10), testing::AllOf(testing::SizeIs(2), Each(StartsWith("bind"))));
}

TEST(GroupPreemptionTest, VictimsOfLeastPriorityThatMakeRoom) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 2000});
  world.pod("dear", running("n1", 50, 2000));
  world.pod("cheap", running("n2", 5, 2000));
  world.group("g", 2);
  members(world, "g", 2, {.priority = 100});
  EXPECT_THAT(evicted(world.step()), ElementsAre("cheap"));
}

TEST(GroupPreemptionTest, NobodyIsEvictedForWhatWouldNotFitAnyway) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.pod("v", running("n1", 1));
  world.group("g", 2);
  members(world, "g", 2, {.priority = 100});
  const auto lines = world.step();
  EXPECT_THAT(evicted(lines), IsEmpty());
  const std::string core =
      "pod group is unschedulable, 0/1 placements are available, first placement status: minCount "
      "(2) cannot be satisfied: ";
  EXPECT_THAT(lines, Contains("group g False Unschedulable: " + core +
                              "0 scheduled, 1 remaining, deallocation and deletion of "
                              "ResourceClaims completed, pod group preemption: " +
                              core + "1 scheduled, 0 remaining"));
}

TEST(GroupPreemptionTest, BudgetsAreSparedWhereOthersWillDo) {
  World world;
  world.node("n1", {.cpu = 2000});
  PodArgs guarded = running("n1", 1);
  guarded.pod_labels = {{"app", "db"}};
  world.pod("a-guarded", guarded);
  world.pod("free", running("n1", 1));
  world.scheduler.apply(budget("pdb", {{"app", "db"}}, 0));
  world.group("g", 1);
  members(world, "g", 1, {.priority = 100});
  EXPECT_THAT(evicted(world.step()), ElementsAre("free"));
}

TEST(GroupPreemptionTest, OneRackIsClearedNotTwo) {
  World world;
  for (const char* rack : {"r1", "r2"}) {
    for (const char* n : {"a", "b"}) {
      const std::string name = std::string(rack) + n;
      world.node(name, {.cpu = 1000, .labels = {{"rack", rack}}});
      world.pod("on-" + name, running(name, 1));
    }
  }
  PodGroupSpec group = make_group("g", 2);
  group.topology_key = "rack";
  world.scheduler.apply(group);
  members(world, "g", 2, {.priority = 100});
  EXPECT_THAT(evicted(world.step()), ElementsAre("on-r1a", "on-r1b"));
}

TEST(GroupPreemptionTest, TwoGroupsDoNotEvictEachOtherForEver) {
  World world;
  world.node("n1", {.cpu = 2000});
  world.scheduler.apply(whole("low", 1));
  for (const char* name : {"l1", "l2"}) world.pod(name, running("n1", 1, 1000, "low"));
  world.group("high", 1);
  members(world, "high", 1, {.priority = 9});
  EXPECT_THAT(evicted(world.step()), UnorderedElementsAre("l1", "l2"));
  world.gone("l1");
  world.gone("l2");
  EXPECT_THAT(world.after(10), Contains("bind high0 n1"));
  world.seen_on("high0", "n1");
  world.pod("l1b", {.group = "low", .priority = 1});
  EXPECT_THAT(world.step(), Contains("bind l1b n1"));
  EXPECT_THAT(evicted(world.after(100)), IsEmpty());
}

}  // namespace
}  // namespace quorate::scheduler
