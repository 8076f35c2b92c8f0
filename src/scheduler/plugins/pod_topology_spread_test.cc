#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

LabelSelector app(const std::string& value) { return {{{"app", Requirement::Op::In, {value}}}}; }
SpreadConstraint zones(SpreadConstraint rule = {}) {
  rule.topology_key = "zone";
  if (!rule.selector) rule.selector = app("x");
  return rule;
}

// Zones a, b, c with one node each, named after them, on which so many pods with app=x run.
class SpreadTest : public testing::Test {
 protected:
  void zone(const std::string& name, int running, NodeArgs args = {}) {
    args.labels["zone"] = name;
    world.node(name, args);
    for (int i = 0; i < running; ++i) {
      world.pod(name + std::to_string(i),
                {.cpu = 0, .scheduler = "else", .node = name, .pod_labels = {{"app", "x"}}});
    }
  }
  void pod(const std::string& name, SpreadConstraint rule, PodArgs args = {}) {
    args.relations.spread.push_back(std::move(rule));
    if (args.pod_labels.empty()) args.pod_labels = {{"app", "x"}};
    world.pod(name, args);
  }

  World world;
};

TEST_F(SpreadTest, Vector9OnlyTheEmptiestZoneIsAllowed) {
  // a: 3 - 0 > 1, b: 2 - 0 > 1, c: 1 - 0 = 1.
  zone("a", 2);
  zone("b", 1);
  zone("c", 0);
  pod("p", zones());
  EXPECT_THAT(world.step(), ElementsAre("bind p c"));
  // Now a = 2, b = 1, c = 1: a is too full by one.
  pod("q", zones({.honor_affinity = false}), {.selector = {{"zone", "a"}}});
  EXPECT_THAT(world.step(),
              ElementsAre("pod q Unschedulable: 0/3 nodes are available: 1 node(s) didn't match "
                          "pod topology spread constraints, 2 node(s) didn't match Pod's node "
                          "affinity/selector. preemption: 0/3 nodes are available: 1 No preemption "
                          "victims found for incoming pod, 2 Preemption is not helpful for "
                          "scheduling."));
}

TEST_F(SpreadTest, Vector9FewerDomainsThanTheMinimumCountAsEmptyOnes) {
  for (const char* name : {"a", "b", "c"}) zone(name, 1);
  // With three zones the least is 1, and one more fits anywhere; with four wanted it is 0.
  pod("p", zones({.min_domains = 4}));
  EXPECT_THAT(world.step(), ElementsAre(StartsWith(
                                "pod p Unschedulable: 0/3 nodes are available: 3 node(s) didn't "
                                "match pod topology spread constraints. ")));
  pod("q", zones({.min_domains = 3}));
  EXPECT_THAT(world.step(), ElementsAre("bind q a"));
}

TEST_F(SpreadTest, NodeWithoutTheLabelIsOutForGood) {
  world.node("bare");
  pod("p", zones());
  EXPECT_THAT(
      world.step(),
      ElementsAre("pod p Unschedulable: 0/1 nodes are available: 1 node(s) didn't match pod "
                  "topology spread constraints (missing required label). preemption: 0/1 "
                  "nodes are available: 1 Preemption is not helpful for scheduling."));
}

TEST_F(SpreadTest, OnlyNodesThatThePodMayUseAreCounted) {
  zone("a", 1);
  zone("b", 0, {.labels = {{"disk", "ssd"}}});
  zone("c", 0, {.taints = {{"gpu", "", "NoSchedule"}}});
  // nodeAffinityPolicy Honor: only b is counted, so its least is its own.
  pod("p", zones(), {.selector = {{"disk", "ssd"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind p b"));
  // Ignore: a has 1, b has 1 by now, c has 0 and the taint does not matter: b has one too many.
  pod("q", zones({.honor_affinity = false}), {.selector = {{"disk", "ssd"}}});
  EXPECT_THAT(world.step(), ElementsAre(HasSubstr("1 node(s) didn't match pod topology spread "
                                                  "constraints")));
  // nodeTaintsPolicy Honor: c is not counted either.
  pod("r", zones({.honor_affinity = false, .honor_taints = true}), {.selector = {{"disk", "ssd"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind r b"));
}

TEST_F(SpreadTest, OtherNamespacesAndEndingPodsDoNotCount) {
  zone("a", 0);
  zone("b", 0);
  const SpreadConstraint both = zones({.honor_affinity = false});
  world.pod("foreign", {.scheduler = "else", .node = "a", .pod_labels = {{"app", "x"}}, .ns = "o"});
  world.pod("ending", {.scheduler = "else", .node = "a", .pod_labels = {{"app", "x"}}});
  world.terminating("ending");
  pod("p", both, {.selector = {{"zone", "a"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind p a"));
}

TEST_F(SpreadTest, MatchLabelKeysNarrowTheSelector) {
  zone("a", 1);
  zone("b", 0);
  // The pod of zone a has no label "rev": it is of another revision.
  pod("p", zones({.match_label_keys = {"rev", "absent"}, .honor_affinity = false}),
      {.selector = {{"zone", "a"}}, .pod_labels = {{"app", "x"}, {"rev", "2"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind p a"));
}

TEST_F(SpreadTest, WithoutSelectorNobodyCounts) {
  zone("a", 5);
  zone("b", 0);
  const SpreadConstraint rule{.topology_key = "zone", .honor_affinity = false};
  pod("p", rule, {.selector = {{"zone", "a"}}});
  EXPECT_THAT(world.step(), ElementsAre("bind p a"));
}

TEST_F(SpreadTest, SoftConstraintsPreferTheEmptierZone) {
  zone("a", 3);
  zone("b", 1);
  pod("p", zones({.hard = false}));
  EXPECT_THAT(world.step(), ElementsAre("bind p b"));
}

TEST_F(SpreadTest, RejectedPodIsTriedWhenAPodElsewhereMakesRoom) {
  zone("a", 1);
  zone("b", 0);
  pod("p", zones({.honor_affinity = false}), {.selector = {{"zone", "a"}}});
  EXPECT_THAT(world.step(), ElementsAre(HasSubstr("topology spread")));
  // One more in b raises the least.
  world.pod("late", {.scheduler = "else", .node = "b", .pod_labels = {{"app", "x"}}});
  EXPECT_THAT(world.after(1), ElementsAre("bind p a"));
}

TEST_F(SpreadTest, GangSpreadsItself) {
  zone("a", 0);
  zone("b", 0);
  zone("c", 0);
  PodArgs args{.pod_labels = {{"app", "x"}}};
  args.relations.spread.push_back(zones());
  world.group("g", 6);
  members(world, "g", 6, args);
  const std::vector<std::string> lines = world.step();
  std::map<std::string, int> on;
  for (int i = 0; i < 6; ++i) ++on[world.node_of("g" + std::to_string(i))];
  EXPECT_EQ(on, (std::map<std::string, int>{{"a", 2}, {"b", 2}, {"c", 2}})) << lines.front();
}

}  // namespace
}  // namespace quorate::scheduler
