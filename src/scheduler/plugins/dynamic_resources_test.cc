// Pods with claims, through the whole scheduler.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/devices/testing/world.h"
#include "src/scheduler/test_world.h"

namespace quorate::scheduler {
namespace {

using devices::claim;
using devices::dev;
using devices::req;
using devices::sl;
using testing::ElementsAre;
using testing::HasSubstr;

class ClaimWorld : public World {
 public:
  ClaimWorld() {
    auto owned = std::make_unique<devices::Model>(devices::compile_for_tests);
    devices = owned.get();
    model.attach(std::move(owned));
    devices->apply(model, journal, devices::ClassObject{"c", {}, {{"driver d"}, {}, ""}});
  }

  void slice(devices::SliceObject object) {
    devices->apply(model, journal, std::move(object));
    scheduler.devices_changed(nullptr);
  }
  // A node with so many devices <node>-0, <node>-1, …
  void node_with(const std::string& name, int count) {
    node(name);
    std::vector<dra::Device> all;
    for (int i = 0; i < count; ++i) all.push_back(dev(name + "-" + std::to_string(i)));
    slice(sl(name, std::move(all)));
  }
  void claim_object(devices::ClaimObject object) {
    const ObjectKey key = object.key;
    devices->apply(model, journal, std::move(object));
    scheduler.devices_changed(&key);
  }
  static devices::ClaimObject shared(const std::string& name, dra::ClaimSpec spec) {
    devices::ClaimObject object;
    object.key = {"ns", name};
    object.uid = "uid-" + name;
    object.spec = std::move(spec);
    return object;
  }
  static devices::ClaimObject of_pod(const std::string& pod, dra::ClaimSpec spec) {
    devices::ClaimObject object = shared(pod + "-claim", std::move(spec));
    object.owner_kind = "Pod";
    object.owner_name = pod;
    object.owner_uid = "uid-" + pod;
    return object;
  }
  // A pod with a claim of its own.
  void pod_with(const std::string& name, dra::ClaimSpec spec, PodArgs args = {}) {
    claim_object(of_pod(name, std::move(spec)));
    cluster::PodSpec pod = make_pod(name, std::move(args));
    auto with = std::make_shared<PodTemplate>(*pod.spec);
    with->resource_claims = {{"gpu", "", "template"}};
    pod.spec = std::move(with);
    pod.claim_names["gpu"] = name + "-claim";
    this->pod(pod);
  }
  void pod_sharing(const std::string& name, const std::string& claim, PodArgs args = {}) {
    cluster::PodSpec pod = make_pod(name, std::move(args));
    auto with = std::make_shared<PodTemplate>(*pod.spec);
    with->resource_claims = {{"dom", claim, ""}};
    pod.spec = std::move(with);
    this->pod(pod);
  }
  std::string devices_of(const std::string& claim) {
    const devices::ClaimId id = devices->find_claim({"ns", claim});
    const dra::Allocation* allocation = devices->find(id)->allocation();
    std::string text;
    if (allocation == nullptr) return text;
    for (const auto& each : allocation->devices)
      text += (text.empty() ? "" : " ") + each.device.device;
    return text;
  }

  devices::Model* devices = nullptr;
};

dra::ClaimSpec gpus(std::int64_t count) { return claim({req("gpu", {.count = count})}); }

TEST(DynamicResources, ABindCarriesTheClaimsToWriteFirst) {
  ClaimWorld world;
  world.node_with("n1", 2);
  world.pod_with("p", gpus(2));
  const std::vector<Decision> decisions = world.decide();
  ASSERT_EQ(decisions.size(), 1u);
  const Bind& bind = std::get<Bind>(decisions[0]);
  EXPECT_EQ(bind.node, "n1");
  ASSERT_EQ(bind.claims.size(), 1u);
  EXPECT_EQ(bind.claims[0].claim, (ObjectKey{"ns", "p-claim"}));
  EXPECT_EQ(bind.claims[0].consumer, (dra::Consumer{"", "pods", "p", "uid-p"}));
  ASSERT_NE(bind.claims[0].allocation, nullptr);
  EXPECT_EQ(bind.claims[0].allocation->devices.size(), 2u);
  EXPECT_EQ(world.devices_of("p-claim"), "n1-0 n1-1");
}

TEST(DynamicResources, NoDevicesIsSaidAsKubeSchedulerSaysIt) {
  ClaimWorld world;
  world.node_with("n1", 1);
  world.node_with("n2", 0);
  world.pod_with("p", gpus(2));
  EXPECT_THAT(
      world.step(),
      ElementsAre("pod p Unschedulable: 0/2 nodes are available: 2 cannot allocate all "
                  "claims. preemption: 0/2 nodes are available: 2 Preemption is not helpful "
                  "for scheduling."));
  // A slice with more of them wakes the pod.
  world.slice(sl("n2", {dev("x"), dev("y")}));
  EXPECT_THAT(world.after(20), ElementsAre("bind p n2"));
}

TEST(DynamicResources, AMissingClassRulesOutEveryNode) {
  ClaimWorld world;
  world.node_with("n1", 1);
  world.pod_with("p", claim({req("r", {.device_class = "absent"})}));
  EXPECT_THAT(
      world.step(),
      ElementsAre("pod p Unschedulable: 0/1 nodes are available: request r: device class "
                  "absent does not exist. preemption: 0/1 nodes are available: 1 Preemption "
                  "is not helpful for scheduling."));
}

TEST(DynamicResources, V05AFailingSelectorIsASchedulerError) {
  ClaimWorld world;
  world.node_with("n1", 1);
  world.pod_with("p", claim({req("r", {.selectors = {"model=x"}})}));
  EXPECT_THAT(
      world.step(),
      ElementsAre(
          "pod p SchedulerError: running \"DynamicResources\" filter plugin: claim "
          "ns/p-claim: selector #0 on device d/n1/n1-0: CEL runtime error: no such key: model"));
}

TEST(DynamicResources, V31APodWaitsForItsClaimWithoutAWord) {
  ClaimWorld world;
  world.node_with("n1", 1);
  cluster::PodSpec pod = make_pod("p");
  auto with = std::make_shared<PodTemplate>(*pod.spec);
  with->resource_claims = {{"gpu", "", "template"}};
  pod.spec = with;
  world.pod(pod);
  EXPECT_THAT(world.step(), ElementsAre());
  world.claim_object(ClaimWorld::of_pod("p", gpus(1)));
  EXPECT_THAT(world.step(), ElementsAre());
  pod.claim_names["gpu"] = "p-claim";
  world.pod(pod);
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
}

TEST(DynamicResources, AGangHasAllItsDevicesOrNone) {
  ClaimWorld world;
  world.node_with("n1", 4);
  world.node_with("n2", 3);
  world.group("g", 4);
  for (int i = 0; i < 4; ++i) {
    world.pod_with("g" + std::to_string(i), gpus(2), {.group = "g", .cpu = 100});
  }
  for (const std::string& line : world.step()) EXPECT_THAT(line, testing::Not(HasSubstr("bind")));
  EXPECT_EQ(world.devices_of("g0-claim"), "");
  EXPECT_THAT(world.view("g").proof, HasSubstr("3 of 4 identical members fit"));
  world.slice(sl("n2", {dev("a"), dev("b"), dev("c"), dev("e")}));
  const std::vector<std::string> lines = world.after(20);
  EXPECT_EQ(
      std::ranges::count_if(lines, [](const std::string& l) { return l.starts_with("bind"); }), 4);
  std::set<std::string> used;
  for (int i = 0; i < 4; ++i) used.insert(world.devices_of("g" + std::to_string(i) + "-claim"));
  EXPECT_EQ(used.size(), 4u);
}

TEST(DynamicResources, V27ASharedNodeLocalClaimHoldsTheGangOnItsNode) {
  ClaimWorld world;
  world.node("n1", {.cpu = 2000});
  world.node("n2", {.cpu = 8000});
  world.slice(sl("n1", {dev("a")}));
  world.claim_object(ClaimWorld::shared("chan", gpus(1)));
  world.group("g", 3);
  for (int i = 0; i < 3; ++i) world.pod_sharing("g" + std::to_string(i), "chan", {.group = "g"});
  for (const std::string& line : world.step()) EXPECT_THAT(line, testing::Not(HasSubstr("bind")));
  EXPECT_EQ(world.devices_of("chan"), "");
  world.node("n1", {.cpu = 3000});
  const std::vector<std::string> lines = world.after(20);
  EXPECT_THAT(lines, testing::IsSupersetOf({"bind g0 n1", "bind g1 n1", "bind g2 n1"}));
}

TEST(DynamicResources, AFreeNodeIsNotBrokenWhileABrokenOneHasRoom) {
  ClaimWorld world;
  world.node_with("n1", 8);
  world.node_with("n2", 8);
  world.pod_with("first", gpus(1));
  EXPECT_THAT(world.step(), ElementsAre("bind first n1"));
  for (int i = 0; i < 3; ++i) world.pod_with("more" + std::to_string(i), gpus(1), {.cpu = 100});
  for (const std::string& line : world.step()) EXPECT_THAT(line, HasSubstr(" n1"));
  world.pod_with("whole", gpus(8), {.cpu = 100});
  EXPECT_THAT(world.step(), ElementsAre("bind whole n2"));
}

TEST(DynamicResources, APodThatIsNotBoundGivesItsClaimBack) {
  ClaimWorld world;
  world.node_with("n1", 1);
  world.pod_with("p", gpus(1));
  EXPECT_THAT(world.step(), ElementsAre("bind p n1"));
  world.answered("p", BindResult::Gone);
  EXPECT_THAT(world.step(), testing::Contains("unreserve p-claim"));
  // Until the host says that it was undone the device is taken.
  EXPECT_EQ(world.devices_of("p-claim"), "n1-0");
  world.devices->forget(world.model, world.journal, world.devices->find_claim({"ns", "p-claim"}),
                        "uid-p");
  EXPECT_EQ(world.devices_of("p-claim"), "");
}

TEST(DynamicResources, AClaimThatKeepsItsPodWhereThereIsNoRoomIsFreed) {
  ClaimWorld world;
  world.node("n1", {.cpu = 100});
  world.node("n2");
  world.slice(sl("n1", {dev("a")}));
  devices::ClaimObject object = ClaimWorld::of_pod("p", gpus(1));
  object.status.allocation.emplace();
  object.status.allocation->devices.push_back({"gpu", {"d", "n1", "a"}, false, {}, {}, {}, "", {}});
  NodeSelectorTerm here;
  here.match_fields = {{"metadata.name", Requirement::Op::In, {"n1"}}};
  object.status.allocation->node_selector = dra::NodeTerms{here};
  world.pod_with("p", gpus(1));
  world.claim_object(object);
  EXPECT_THAT(
      world.step(),
      ElementsAre(
          "deallocate p-claim",
          "pod p Unschedulable: 0/2 nodes are available: 1 Insufficient cpu, 1 resourceclaim "
          "not available on the node. deallocation of ResourceClaim completed, preemption: "
          "0/2 nodes are available: 2 Preemption is not helpful for scheduling."));
}

}  // namespace
}  // namespace quorate::scheduler
