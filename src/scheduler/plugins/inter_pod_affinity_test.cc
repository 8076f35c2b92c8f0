#include <gmock/gmock.h>

#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

PodAffinityTerm near(const std::string& app, PodAffinityTerm term = {}) {
  term.selector = LabelSelector{{{"app", Requirement::Op::In, {app}}}};
  if (term.topology_key.empty()) term.topology_key = "kubernetes.io/hostname";
  return term;
}
PodAffinityTerm in_zone(const std::string& app) { return near(app, {.topology_key = "zone"}); }

PodRelations with(std::vector<PodAffinityTerm> terms) {
  PodRelations relations;
  relations.affinity.required = std::move(terms);
  return relations;
}
PodRelations without(std::vector<PodAffinityTerm> terms) {
  PodRelations relations;
  relations.anti_affinity.required = std::move(terms);
  return relations;
}

class InterPodTest : public testing::Test {
 protected:
  void running(const std::string& name, const std::string& node, const std::string& app,
               PodRelations relations = {}, const std::string& ns = "ns") {
    world.pod(name, {.cpu = 0,
                     .scheduler = "else",
                     .node = node,
                     .pod_labels = {{"app", app}},
                     .relations = std::move(relations),
                     .ns = ns});
  }
  void pod(const std::string& name, PodRelations relations, Labels labels = {{"app", "web"}}) {
    world.pod(name, {.pod_labels = std::move(labels), .relations = std::move(relations)});
  }

  World world;
};

TEST_F(InterPodTest, Vector10AntiAffinityOfThePodAndOfThoseThere) {
  world.node("n");
  running("db", "n", "db");
  pod("p", without({near("db")}));
  EXPECT_THAT(
      world.step(),
      ElementsAre("pod p Unschedulable: 0/1 nodes are available: 1 node(s) didn't match pod "
                  "anti-affinity rules. preemption: 0/1 nodes are available: 1 No preemption "
                  "victims found for incoming pod."));
  world.gone("db");
  running("shy", "n", "shy", without({near("web")}));
  EXPECT_THAT(
      world.after(1),
      ElementsAre("pod p Unschedulable: 0/1 nodes are available: 1 node(s) didn't satisfy "
                  "existing pods anti-affinity rules. preemption: 0/1 nodes are available: 1 "
                  "No preemption victims found for incoming pod."));
  world.gone("shy");
  EXPECT_THAT(world.after(2), ElementsAre("bind p n"));
}

TEST_F(InterPodTest, Vector11FirstOfASeriesNeedsOnlyTheLabel) {
  world.node("bare");
  world.node("z", {.labels = {{"zone", "a"}}});
  pod("p", with({in_zone("web")}));
  pod("q", with({in_zone("other")}));
  EXPECT_THAT(
      world.step(),
      ElementsAre("bind p z", StartsWith("pod q Unschedulable: 0/2 nodes are available: 2 "
                                         "node(s) didn't match pod affinity rules. "
                                         "preemption: 0/2 nodes are available: 2 Preemption "
                                         "is not helpful")));
}

TEST_F(InterPodTest, OnePodHasToMatchEveryTerm) {
  for (const char* name : {"a", "b"}) world.node(name, {.labels = {{"zone", name}}});
  running("web", "a", "web");
  world.pod("both", {.cpu = 0,
                     .scheduler = "else",
                     .node = "b",
                     .pod_labels = {{"app", "web"}, {"tier", "gold"}}});
  PodAffinityTerm gold = in_zone("web");
  gold.selector = LabelSelector{{{"tier", Requirement::Op::In, {"gold"}}}};
  pod("p", with({in_zone("web"), gold}));
  EXPECT_THAT(world.step(), ElementsAre("bind p b"));
}

TEST_F(InterPodTest, NamespacesAndTheirSelector) {
  world.model.apply_namespace("gold", {{"tier", "gold"}});
  world.model.apply_namespace("lead", {{"tier", "lead"}});
  for (const char* name : {"a", "b", "c"}) world.node(name);
  running("own", "a", "db");
  running("gold", "b", "db", {}, "gold");
  running("lead", "c", "db", {}, "lead");
  pod("listed", without({near("db", {.namespaces = {"gold", "lead"}})}));
  pod("selected", without({near("db", {.namespaces = {"ns"},
                                       .namespace_selector = LabelSelector{
                                           {{"tier", Requirement::Op::In, {"lead"}}}}})}));
  pod("all", without({near("db", {.namespace_selector = LabelSelector{}})}));
  EXPECT_THAT(world.step(),
              ElementsAre(StartsWith("pod all Unschedulable: 0/3 nodes are available: "
                                     "3 node(s) didn't match pod anti-affinity"),
                          "bind listed a", "bind selected b"));
}

TEST_F(InterPodTest, MatchAndMismatchLabelKeys) {
  for (const char* name : {"a", "b"}) world.node(name);
  world.pod(
      "one",
      {.cpu = 0, .scheduler = "else", .node = "a", .pod_labels = {{"app", "web"}, {"rev", "1"}}});
  world.pod(
      "two",
      {.cpu = 0, .scheduler = "else", .node = "b", .pod_labels = {{"app", "web"}, {"rev", "2"}}});
  pod("same", with({near("web", {.match_label_keys = {"rev"}})}), {{"app", "web"}, {"rev", "2"}});
  pod("other", with({near("web", {.mismatch_label_keys = {"rev"}})}),
      {{"app", "web"}, {"rev", "2"}});
  EXPECT_THAT(world.step(), ElementsAre("bind other a", "bind same b"));
}

TEST_F(InterPodTest, WithoutSelectorNobodyIsMeant) {
  world.node("n");
  running("db", "n", "db");
  PodAffinityTerm term{.topology_key = "kubernetes.io/hostname"};
  pod("p", without({term}));
  EXPECT_THAT(world.step(), ElementsAre("bind p n"));
}

TEST_F(InterPodTest, PreferredTermsOfBothSidesScore) {
  for (const char* name : {"a", "b", "c"}) world.node(name, {.labels = {{"zone", name}}});
  PodRelations likes_web, likes_db;
  likes_web.affinity.preferred = {{10, in_zone("web")}};
  likes_db.affinity.preferred = {{10, in_zone("db")}};
  running("fan", "c", "fan", likes_web);
  pod("p", {});  // nobody it likes; a pod on c likes it
  EXPECT_THAT(world.step(), ElementsAre("bind p c"));
  running("db", "b", "db");
  pod("q", likes_db, {{"app", "q"}});
  EXPECT_THAT(world.step(), ElementsAre("bind q b"));
  PodRelations dislikes;
  dislikes.anti_affinity.preferred = {{10, in_zone("db")}};
  for (const char* name : {"a", "c"}) running(std::string("x") + name, name, "db");
  running("xc", "c", "calm");
  pod("r", dislikes, {{"app", "r"}});
  EXPECT_THAT(world.step(), ElementsAre("bind r c"));
}

TEST_F(InterPodTest, RequiredAffinityOfAPodThereAttracts) {
  for (const char* name : {"a", "b"}) world.node(name, {.labels = {{"zone", name}}});
  running("needs", "b", "web", with({in_zone("web")}));
  pod("p", {});
  EXPECT_THAT(world.step(), ElementsAre("bind p b"));
}

TEST_F(InterPodTest, GangOfPodsThatShunEachOther) {
  for (const char* name : {"a", "b", "c"}) world.node(name);
  world.group("g", 3);
  members(world, "g", 3, {.pod_labels = {{"app", "g"}}, .relations = without({near("g")})});
  EXPECT_THAT(world.step(), ElementsAre("bind g0 a", "bind g1 b", "bind g2 c"));
  world.group("h", 4);
  members(world, "h", 4, {.pod_labels = {{"app", "h"}}, .relations = without({near("h")})});
  EXPECT_THAT(world.step(),
              testing::Contains(HasSubstr("3 node(s) didn't match pod anti-affinity rules")));
  EXPECT_EQ(world.node_of("h0"), "");
}

TEST_F(InterPodTest, GangThatWantsToBeTogether) {
  for (const char* name : {"a1", "a2", "b1", "b2"}) {
    world.node(name, {.cpu = 2000, .labels = {{"zone", std::string(1, name[0])}}});
  }
  world.pod("busy", {.cpu = 1000, .scheduler = "else", .node = "a1"});
  world.group("g", 4);
  members(world, "g", 4, {.pod_labels = {{"app", "g"}}, .relations = with({in_zone("g")})});
  const std::vector<std::string> lines = world.step();
  for (int i = 0; i < 4; ++i) {
    EXPECT_THAT(world.node_of("g" + std::to_string(i)), StartsWith("b")) << lines.front();
  }
}

TEST_F(InterPodTest, WaitsForAPodToBeNear) {
  world.node("n");
  pod("p", with({near("db")}));
  EXPECT_THAT(world.step(), ElementsAre(HasSubstr("didn't match pod affinity rules")));
  running("db", "n", "db");
  EXPECT_THAT(world.after(1), ElementsAre("bind p n"));
}

}  // namespace
}  // namespace quorate::scheduler
