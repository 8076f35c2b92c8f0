// Trees of groups: bound together with what the root needs, or not at all.

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

CompositeGroupSpec composite(const std::string& name, std::int32_t min_groups,
                             const std::string& parent = "") {
  CompositeGroupSpec spec;
  spec.key = {"ns", name};
  spec.uid = "uid-" + name;
  spec.min_groups = min_groups;
  spec.parent = parent;
  return spec;
}

PodGroupSpec below(const std::string& name, std::int32_t min_count, const std::string& parent) {
  PodGroupSpec group = make_group(name, min_count);
  group.parent = parent;
  return group;
}

TEST(TreeTest, SA27NothingIsTriedUntilEnoughChildrenAreComplete) {
  World world;
  world.node("n1");
  world.scheduler.apply(composite("root", 2));
  world.scheduler.apply(below("a", 2, "root"));
  world.scheduler.apply(below("b", 1, "root"));
  members(world, "a", 2);
  EXPECT_THAT(world.step(), IsEmpty());
  members(world, "b", 1);
  EXPECT_THAT(world.step(), ElementsAre("bind a0 n1", "bind a1 n1", "bind b0 n1"));
  for (const char* name : {"a0", "a1"}) world.seen_on(name, "n1");
  EXPECT_THAT(world.step(), IsEmpty());  // b0 may still fail
  world.seen_on("b0", "n1");
  EXPECT_THAT(world.step(), UnorderedElementsAre("group a True", "group b True"));
}

TEST(TreeTest, ChildrenComeBeforeTheirParentsAndPodsBeforeBoth) {
  World world;
  world.node("n1");
  members(world, "a", 1);
  world.scheduler.apply(below("a", 1, "mid"));
  EXPECT_THAT(world.step(), IsEmpty());
  world.scheduler.apply(composite("mid", 1, "root"));
  EXPECT_THAT(world.step(), IsEmpty());
  world.scheduler.apply(composite("root", 1));
  EXPECT_THAT(world.step(), ElementsAre("bind a0 n1"));
}

TEST(TreeTest, NobodyIsBoundUnlessTheRootHasItsMinimum) {
  World world;
  world.node("n1", {.cpu = 3000});
  world.scheduler.apply(composite("root", 2));
  world.scheduler.apply(below("a", 2, "root"));
  world.scheduler.apply(below("b", 2, "root"));
  members(world, "a", 2);
  members(world, "b", 2);
  const auto lines = world.step();
  EXPECT_THAT(lines, Each(Not(StartsWith("bind"))));
  const std::string condition =
      "pod group is unschedulable, 0/1 placements are available, first placement status: minCount "
      "(2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: No preemption "
      "victims found for incoming preemptor";
  EXPECT_THAT(lines, Contains("group a False Unschedulable: " + condition));
  EXPECT_THAT(lines, Contains("group b False Unschedulable: " + condition));
  EXPECT_THAT(lines, Contains("pod a0 Unschedulable: pod group is unschedulable, " + condition));
  EXPECT_THAT(world.view("a").proof, StartsWith("exhausted: "));
  world.node("n2", {.cpu = 1000});
  EXPECT_THAT(world.after(10),
              UnorderedElementsAre("bind a0 n1", "bind a1 n1", "bind b0 n1", "bind b1 n2"));
}

TEST(TreeTest, TreeToldByAnnotationsIsATreeToo) {
  World world;
  world.node("n1", {.cpu = 2000});
  CompositeGroupSpec told = composite("w", 2);
  told.uid.clear();
  for (const char* name : {"head", "work"}) {
    PodGroupSpec group = make_group(name, 1);
    group.native = false;
    group.ancestors = {told};
    world.scheduler.apply(group);
  }
  members(world, "head", 1);
  EXPECT_THAT(world.step(), IsEmpty());
  members(world, "work", 1, {.cpu = 1500});
  EXPECT_THAT(world.step(), Each(Not(StartsWith("bind"))));
  world.node("n2", {.cpu = 1500});
  EXPECT_THAT(world.after(10), UnorderedElementsAre("bind head0 n1", "bind work0 n2"));
}

TEST(TreeTest, HalfBoundTreeLeavesWholeInTime) {
  World world;
  world.node("n1", {.cpu = 1000});
  world.node("n2", {.cpu = 1000});
  world.scheduler.apply(composite("root", 2));
  world.scheduler.apply(below("a", 1, "root"));
  world.scheduler.apply(below("b", 1, "root"));
  members(world, "a", 1);
  members(world, "b", 1);
  EXPECT_THAT(world.step(), ElementsAre("bind a0 n1", "bind b0 n2"));
  world.seen_on("a0", "n1");
  world.terminating("b0");
  EXPECT_THAT(world.step(), IsEmpty());
  EXPECT_THAT(world.after(29), IsEmpty());
  EXPECT_THAT(world.after(1), ElementsAre(StartsWith("delete a0")));
}

TEST(TreeTest, MistakesAreToldNotHeldSilently) {
  World world;
  world.node("n1");
  world.scheduler.apply(composite("x", 1, "y"));
  world.scheduler.apply(composite("y", 1, "x"));
  world.scheduler.apply(below("a", 1, "x"));
  members(world, "a", 1);
  EXPECT_THAT(world.step(),
              ElementsAre("group a False Invalid: CompositePodGroup ns/x is above itself"));
  for (int i = 0; i < 5; ++i) {
    world.scheduler.apply(
        composite("c" + std::to_string(i), 1, i == 0 ? "" : "c" + std::to_string(i - 1)));
  }
  world.scheduler.apply(below("deep", 1, "c4"));
  members(world, "deep", 1);
  EXPECT_THAT(world.step(), ElementsAre("group deep False Invalid: the tree of CompositePodGroup "
                                        "ns/c0 has more than 4 levels of composites"));
  CompositeGroupSpec mixed = composite("mixed", 1);
  mixed.workload = "w1";
  world.scheduler.apply(mixed);
  PodGroupSpec stray = below("stray", 1, "mixed");
  stray.workload = "w2";
  world.scheduler.apply(stray);
  members(world, "stray", 1);
  EXPECT_THAT(world.step(),
              ElementsAre(StartsWith("group stray False Invalid: the groups of CompositePodGroup "
                                     "ns/mixed belong to more than one Workload")));
}

TEST(TreeTest, PriorityOfAllMembersIsThatOfTheRoot) {
  World world;
  world.node("n1");
  CompositeGroupSpec root = composite("root", 1);
  root.priority = 7;
  world.scheduler.apply(root);
  world.scheduler.apply(below("a", 1, "root"));
  members(world, "a", 1, {.priority = 5});
  EXPECT_THAT(world.step(), Contains(StartsWith("group a False SchedulerError: all pods in a "
                                                "single pod group should have the same priority")));
}

TEST(TreeTest, LateGroupJoinsATreeThatRuns) {
  World world;
  world.node("n1");
  world.scheduler.apply(composite("root", 1));
  world.scheduler.apply(below("a", 1, "root"));
  members(world, "a", 1);
  world.step();
  world.seen_on("a0", "n1");
  world.step();
  world.scheduler.apply(below("b", 2, "root"));
  members(world, "b", 2, {.cpu = 1500});
  EXPECT_THAT(world.step(), ElementsAre("bind b0 n1", "bind b1 n1"));
  world.gone("b0");
  world.gone("b1");
  world.scheduler.group_gone({"ns", "b"}, "uid-b");
  world.gone("a0");
  world.scheduler.group_gone({"ns", "a"}, "uid-a");
  world.scheduler.composite_gone({"ns", "root"}, "uid-root");
  world.step();
  EXPECT_FALSE(world.scheduler.next_wakeup());
  EXPECT_EQ(world.scheduler.group_view(world.model, {"ns", "a"}), std::nullopt);
}

}  // namespace
}  // namespace quorate::scheduler
