#include "controller/reconcile/placement_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::ConditionStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace quorate::controller::testing;

constexpr std::string_view kIndex = names::kJobCompletionIndex;

using Places = std::vector<std::pair<std::string, std::int32_t>>;  // host, pods

// An admitted Workload "w" with one pod set, "main", on hosts.
class Scene {
 public:
  explicit Scene(const Places& places) {
    workload.meta.key = {"team", "w"};
    workload.meta.uid = "uid-w";
    for (const std::string_view type : {conditions::kQuotaReserved, conditions::kAdmitted}) {
      workload.status.conditions.push_back(
          {.type = std::string(type), .status = ConditionStatus::True});
    }
    workload.status.admission.emplace().cluster_queue = "q";
    add_set("main", places).topology->pod_index_label = std::string(kIndex);
    for (const auto& [host, count] : places) put_node(host);
  }

  objects::PodSet& add_set(const std::string& name, const Places& places) {
    objects::PodSetAssignment& assigned = workload.status.admission->pod_sets.emplace_back();
    assigned.name = name;
    objects::TopologyAssignment& topology = assigned.topology.emplace();
    topology.levels = {std::string(names::kHostname)};
    std::int32_t count = 0;
    for (const auto& [host, pods] : places) {
      topology.domains.push_back({{host}, pods});
      count += pods;
    }
    assigned.count = count;
    objects::PodSet& pods = workload.pod_sets.emplace_back();
    pods.name = name;
    pods.count = count;
    pods.topology.emplace();
    return pods;
  }

  objects::Node& put_node(const std::string& name) {
    auto node = std::make_shared<objects::Node>();
    node->meta.key.name = name;
    node->conditions = {{.type = "Ready", .status = ConditionStatus::True}};
    nodes_[name] = node;
    return *node;
  }
  void lose_node(const std::string& name) { nodes_.erase(name); }
  objects::Node& not_ready(const std::string& name, Time since = kNow) {
    objects::Node& node = put_node(name);
    node.conditions = {
        {.type = "Ready", .status = ConditionStatus::Unknown, .last_transition = since}};
    return node;
  }

  // A pod with this index, still gated.
  objects::Pod& gated(const std::string& name, const std::string& index) {
    auto pod = std::make_shared<objects::Pod>();
    pod->meta.key = {"team", name};
    pod->meta.uid = "uid-" + name;
    pod->meta.labels = {{std::string(names::kPodSet), "main"}};
    if (!index.empty()) pod->meta.labels[std::string(kIndex)] = index;
    PodTemplate spec;
    spec.scheduling_gates = {std::string(names::kTopologyGate)};
    pod->spec = std::make_shared<const PodTemplate>(spec);
    pods_.push_back(pod);
    return *pod;
  }
  // One that was let go to a host.
  objects::Pod& sent(const std::string& name, const std::string& index, const std::string& host) {
    objects::Pod& pod = gated(name, index);
    PodTemplate spec;
    spec.node_selector = {{std::string(names::kHostname), host}};
    pod.spec = std::make_shared<const PodTemplate>(spec);
    return pod;
  }
  objects::Pod& running(const std::string& name, const std::string& index,
                        const std::string& host) {
    objects::Pod& pod = sent(name, index, host);
    pod.node_name = host;
    pod.phase = objects::PodPhase::Running;
    return pod;
  }

  Plan look() const {
    PlacementView view;
    view.workload = workload;
    view.pods.assign(pods_.begin(), pods_.end());
    view.nodes.insert(nodes_.begin(), nodes_.end());
    view.flavors = flavors;
    return reconcile(view, settings, now);
  }
  // "pod→host" of each pod that is let go.
  std::vector<std::string> let_go() const {
    std::vector<std::string> said;
    for (const Write& write : look().writes) {
      const auto* ungate = std::get_if<UngatePod>(&write);
      if (ungate == nullptr) continue;
      EXPECT_EQ(ungate->gates, std::vector<std::string>{std::string(names::kTopologyGate)});
      EXPECT_EQ(ungate->uid, "uid-" + ungate->key.name);
      said.push_back(ungate->key.name + "→" + ungate->node_selector.begin()->second);
    }
    return said;
  }
  // What is recorded of hosts: their names, with "evict" behind them; "-" for an empty record.
  std::string recorded() const {
    for (const Write& write : look().writes) {
      const auto* record = std::get_if<RecordFailedNodes>(&write);
      if (record == nullptr) continue;
      std::string said;
      for (const std::string& node : record->nodes) said += node + " ";
      return said.empty() ? "-" : said + (record->evict ? "evict" : "");
    }
    return "";
  }
  std::vector<std::string> ended_pods() const {
    std::vector<std::string> said;
    for (const Write& write : look().writes) {
      if (const auto* fail = std::get_if<FailPod>(&write)) {
        EXPECT_EQ(fail->condition.reason, "UnschedulableOnAssignedNode");
        said.push_back(fail->key.name);
      }
    }
    return said;
  }

  objects::Workload workload;
  FlavorsByName flavors;
  ReconcileSettings settings;
  Time now = kNow;

 private:
  std::vector<std::shared_ptr<objects::Pod>> pods_;
  std::map<std::string, std::shared_ptr<objects::Node>, std::less<>> nodes_;
};

// --- places; ids as in topology-aware.md, 10.3

TEST(TopologyUngater, UG01ByIndex) {
  Scene scene({{"n1", 2}, {"n2", 1}});
  scene.gated("a", "2");
  scene.gated("b", "1");
  scene.gated("c", "0");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n2", "b→n1", "c→n1"));
}

TEST(TopologyUngater, UG02InTheOrderOfNamesWithoutAnIndexLabel) {
  Scene scene({{"n1", 2}, {"n2", 1}});
  scene.workload.pod_sets[0].topology->pod_index_label.reset();
  for (const char* name : {"a", "b", "c"}) scene.gated(name, "");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n1", "b→n1", "c→n2"));
}

TEST(TopologyUngater, UG03RanksGoOnBesideOneThatRunsWhereItBelongs) {
  Scene scene({{"n1", 2}, {"n2", 1}});
  scene.gated("a", "0");
  scene.gated("b", "1");
  scene.running("c", "2", "n2");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n1", "b→n1"));
}

TEST(TopologyUngater, UG04OneThatRunsElsewhereEndsTheRanks) {
  Scene scene({{"n1", 2}, {"n2", 1}});
  scene.gated("a", "0");
  scene.gated("b", "1");
  scene.running("c", "2", "n1");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n1", "b→n2"));
}

TEST(TopologyUngater, UG06TheLargerOfTwoPodSetsStartsBehindTheSmaller) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.workload.pod_sets[0].topology->pod_set_group_name = "g";
  scene.add_set("leader", {{"n1", 1}}).topology->pod_set_group_name = "g";
  scene.gated("a", "2");
  scene.gated("b", "1");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n2", "b→n1"));
}

TEST(TopologyUngater, UG07SubGroups) {
  Scene scene({{"n1", 3}, {"n2", 1}});
  objects::TopologyRequest& request = *scene.workload.pod_sets[0].topology;
  request.sub_group_index_label = "group";
  request.sub_group_count = 2;
  for (const auto& [name, group, index] : std::vector<std::array<const char*, 3>>{
           {"a", "1", "1"}, {"b", "0", "0"}, {"c", "0", "1"}, {"d", "1", "0"}}) {
    scene.gated(name, index).meta.labels["group"] = group;
  }
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n2", "b→n1", "c→n1", "d→n1"));
}

TEST(TopologyUngater, UG08IndexesMayStartLater) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  for (const auto& [name, index] : {std::pair{"a", "11"}, {"b", "10"}}) {
    scene.gated(name, index).meta.annotations[std::string(names::kPodIndexOffset)] = "10";
  }
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n2", "b→n1"));
}

TEST(TopologyUngater, UG09WhoseHostHasFailedWaits) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.workload.status.unhealthy_nodes = {"n2"};
  scene.not_ready("n2");
  scene.gated("a", "0");
  scene.gated("b", "1");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n1"));
}

TEST(TopologyUngater, UG10TheSuccessorOfAFailedPodGetsItsPlace) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.running("a", "0", "n1").phase = objects::PodPhase::Failed;
  scene.gated("a2", "0");
  scene.running("b", "1", "n2");
  EXPECT_THAT(scene.let_go(), ElementsAre("a2→n1"));
}

// The first one still counted, the two would have one index, and ranks would be given up.
TEST(TopologyUngater, TheSuccessorOfOneThatIsOnItsWayOutKeepsTheRanks) {
  Scene scene({{"n1", 2}, {"n2", 1}});
  scene.running("a", "2", "n2").meta.deleted = kNow;
  scene.gated("a2", "2");
  scene.gated("b", "1");
  EXPECT_THAT(scene.let_go(), ElementsAre("a2→n2", "b→n1"));
}

TEST(TopologyUngater, WithoutIndexesASuccessorWaitsForTheRoom) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.running("a", "", "n1").meta.deleted = kNow;
  scene.running("b", "", "n2");
  scene.gated("c", "");
  EXPECT_THAT(scene.let_go(), IsEmpty());
}

TEST(TopologyUngater, NobodyGoesBeforeTheAdmissionOrAfterTheEviction) {
  for (const bool evicted : {false, true}) {
    Scene scene({{"n1", 1}});
    scene.gated("a", "0");
    if (evicted) {
      scene.workload.status.conditions.push_back(
          {.type = std::string(conditions::kEvicted), .status = ConditionStatus::True});
    } else {
      objects::remove_condition(scene.workload.status.conditions, conditions::kAdmitted);
    }
    EXPECT_THAT(scene.let_go(), IsEmpty()) << evicted;
  }
}

TEST(TopologyUngater, PodsOfOtherSetsAreNotItsBusiness) {
  Scene scene({{"n1", 1}});
  scene.gated("a", "0").meta.labels[std::string(names::kPodSet)] = "other";
  EXPECT_THAT(scene.let_go(), IsEmpty());
}

// --- hosts; ids as in topology-aware.md, 10.4

TEST(NodeFailures, HS01ANodeThatIsGone) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.running("a", "0", "n1");
  EXPECT_EQ(scene.recorded(), "");
  scene.lose_node("n1");
  EXPECT_EQ(scene.recorded(), "n1 ");
}

TEST(NodeFailures, HS02AndHS03NotReadyCountsOnceNoPodRunsThere) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  objects::Pod& pod = scene.running("a", "0", "n1");
  scene.not_ready("n1");
  EXPECT_EQ(scene.recorded(), "");
  pod.meta.deleted = kNow;
  EXPECT_EQ(scene.recorded(), "n1 ");
  scene.workload.status.unhealthy_nodes = {"n1"};
  EXPECT_EQ(scene.recorded(), "") << "it is recorded";
}

TEST(NodeFailures, HS04ATaintCountsOnceNoPodRunsThere) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  objects::Pod& pod = scene.running("a", "0", "n1");
  scene.put_node("n1").taints = {{"broken", "", "NoSchedule"}};
  EXPECT_EQ(scene.recorded(), "");
  pod.phase = objects::PodPhase::Failed;
  EXPECT_EQ(scene.recorded(), "n1 ");
  scene.settings.replace_on_taints = false;
  EXPECT_EQ(scene.recorded(), "");
}

TEST(NodeFailures, ATaintThatThePodsTolerateForEverIsNone) {
  Scene scene({{"n1", 1}});
  scene.put_node("n1").taints = {{"reserved", "", "NoSchedule"}, {"slow", "", "PreferNoSchedule"}};
  EXPECT_EQ(scene.recorded(), "n1 ");
  Toleration toleration{.key = "reserved", .op = "Exists"};
  toleration.toleration_seconds = 300;
  scene.flavors["f"] = flavor("f", {}, {toleration});
  scene.workload.status.admission->pod_sets[0].flavors = {{"cpu", "f"}};
  EXPECT_EQ(scene.recorded(), "n1 ") << "for a limited time is not enough";
  toleration.toleration_seconds.reset();
  scene.flavors["f"] = flavor("f", {}, {toleration});
  EXPECT_EQ(scene.recorded(), "");
}

TEST(NodeFailures, HS05AnotherOneEvicts) {
  Scene scene({{"n1", 1}, {"n2", 1}, {"n3", 1}});
  scene.workload.status.unhealthy_nodes = {"n2"};
  scene.lose_node("n2");
  scene.lose_node("n1");
  EXPECT_EQ(scene.recorded(), "n2 n1 evict");

  const Plan plan = scene.look();
  ASSERT_EQ(plan.writes.size(), 1u);
  const StatusChange change = std::get<RecordFailedNodes>(plan.writes.front());
  apply(scene.workload, change, {kNow, std::nullopt});
  const objects::Condition* evicted =
      objects::find_condition(scene.workload.status.conditions, conditions::kEvicted);
  ASSERT_NE(evicted, nullptr);
  EXPECT_EQ(evicted->reason, "NodeFailures");
  EXPECT_EQ(evicted->message,
            "Workload eviction triggered due to multiple TAS assigned node failures, including: "
            "n2, n1");
  EXPECT_THAT(scene.workload.status.unhealthy_nodes, IsEmpty());
  EXPECT_EQ(scene.recorded(), "") << "once is enough";
}

TEST(NodeFailures, OneThatWasReplacedMeanwhileDoesNotEvict) {
  Scene scene({{"n1", 1}, {"n4", 1}});
  const StatusChange late = RecordFailedNodes{{"team", "w"}, "uid-w", {"n2", "n1"}, true};
  apply(scene.workload, late, {kNow, std::nullopt});
  EXPECT_EQ(scene.workload.status.unhealthy_nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(objects::find_condition(scene.workload.status.conditions, conditions::kEvicted),
            nullptr);
}

TEST(NodeFailures, HS06OneThatIsReadyAgainIsForgotten) {
  Scene scene({{"n1", 1}});
  scene.workload.status.unhealthy_nodes = {"n1"};
  EXPECT_EQ(scene.recorded(), "-");
}

TEST(NodeFailures, HS14SoIsOneOnWhichAPodRunsAgain) {
  Scene scene({{"n1", 1}});
  scene.workload.status.unhealthy_nodes = {"n1"};
  scene.not_ready("n1");
  EXPECT_EQ(scene.recorded(), "");
  scene.running("a", "0", "n1");
  EXPECT_EQ(scene.recorded(), "-");
}

TEST(NodeFailures, WhereAllPodsHaveSucceededNothingIsReplaced) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.running("a", "0", "n1").phase = objects::PodPhase::Succeeded;
  scene.not_ready("n1");
  EXPECT_EQ(scene.recorded(), "");
}

TEST(NodeFailures, AfterAFixedTimeWhereThatIsAskedFor) {
  Scene scene({{"n1", 1}});
  scene.settings.replace_after_fixed_time = true;
  scene.running("a", "0", "n1");
  scene.not_ready("n1", kNow);
  scene.now = kNow + Duration::seconds(10);
  EXPECT_EQ(scene.recorded(), "");
  EXPECT_EQ(scene.look().look_again, Duration::seconds(20));
  scene.now = kNow + Duration::seconds(30);
  EXPECT_EQ(scene.recorded(), "n1 ");
}

TEST(NodeFailures, PlacesAboveHostsDoNotFail) {
  Scene scene({{"rack-1", 1}});
  scene.workload.status.admission->pod_sets[0].topology->levels = {"rack"};
  scene.lose_node("rack-1");
  EXPECT_EQ(scene.recorded(), "");
}

TEST(NodeFailures, PodsThatWaitForALostHostAreEnded) {
  Scene scene({{"n1", 1}, {"n2", 1}});
  scene.sent("a", "0", "n1");
  scene.sent("b", "1", "n2");
  scene.sent("elsewhere", "", "n9").meta.labels[std::string(names::kPodSet)] = "other";
  EXPECT_THAT(scene.ended_pods(), IsEmpty());
  scene.not_ready("n1");
  EXPECT_THAT(scene.ended_pods(), ElementsAre("a"));
  // One whose node is gone is looked at once its place is another.
  scene.lose_node("n1");
  EXPECT_THAT(scene.ended_pods(), IsEmpty());
  scene.workload.status.admission->pod_sets[0].topology->domains[0].values = {"n3"};
  scene.put_node("n3");
  EXPECT_THAT(scene.ended_pods(), ElementsAre("a"));
}

TEST(NodeFailures, NothingIsLookedAtWhereTheGateIsOff) {
  Scene scene({{"n1", 1}});
  scene.settings.replace_failed_nodes = false;
  scene.lose_node("n1");
  scene.gated("a", "0");
  EXPECT_EQ(scene.recorded(), "");
  EXPECT_THAT(scene.let_go(), ElementsAre("a→n1"));
}

}  // namespace
}  // namespace quorate::controller
