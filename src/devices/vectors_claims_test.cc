// Which claims a pod has, by the ids of the vectors.

#include <gtest/gtest.h>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

ClaimObject shared_claim(const std::string& name, dra::ClaimSpec spec) {
  ClaimObject object;
  object.key = {"ns", name};
  object.uid = "uid-" + name;
  object.spec = std::move(spec);
  return object;
}

TEST(ClaimVectors, V26AClaimOfTheGroupIsReservedForTheGroup) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a")}));
  world.devices->apply(world.cluster, world.journal, shared_claim("chan", claim({req("r")})));
  const GroupClaims group{"g", "uid-g", {{"dom", "chan", ""}}, {}};
  cluster::PodSpec pod = world.pod_of("p");
  PodTemplate spec;
  spec.resource_claims = {{"dom", "chan", ""}};
  pod.spec = std::make_shared<const PodTemplate>(spec);
  EXPECT_TRUE(world.devices->claims_of(pod, &group)->uses.at(0).by_group);
  spec.resource_claims = {{"other", "chan", ""}};
  pod.spec = std::make_shared<const PodTemplate>(spec);
  EXPECT_FALSE(world.devices->claims_of(pod, &group)->uses.at(0).by_group);
}

TEST(ClaimVectors, V27ASharedNodeLocalClaimBindsItsUsersToTheNode) {
  DeviceWorld world;
  world.node("n2");
  world.slice(sl("n1", {dev("a")}));
  world.slice(sl("n2", {dev("b")}));
  world.devices->apply(world.cluster, world.journal, shared_claim("chan", claim({req("r")})));
  cluster::PodSpec pod = world.pod_of("p");
  PodTemplate spec;
  spec.resource_claims = {{"dom", "chan", ""}};
  pod.spec = std::make_shared<const PodTemplate>(spec);
  const auto claims = world.devices->claims_of(pod, nullptr);
  const cluster::NodeId n1 = world.cluster.find_node("n1");
  const cluster::NodeId n2 = world.cluster.find_node("n2");
  EXPECT_EQ(world.devices->fits(world.cluster, n2, *claims).kind, Verdict::Kind::Fits);
  Transaction trial(world.journal);
  ASSERT_TRUE(world.devices->try_out(world.cluster, world.journal, n1, claims, 0));
  EXPECT_EQ(world.devices->fits(world.cluster, n2, *claims).kind, Verdict::Kind::NotHere);
  EXPECT_EQ(world.devices->fits(world.cluster, n1, *claims).kind, Verdict::Kind::Fits);
  trial.roll_back();
  EXPECT_EQ(world.devices->fits(world.cluster, n2, *claims).kind, Verdict::Kind::Fits);
}

TEST(ClaimVectors, V28AFailedBindingConditionMakesTheClaimUnavailable) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.binding = {"Attached"}})}));
  world.add_claim("p", claim({req("r")}));
  dra::ClaimStatus status{world.allocation("p"), {}, {}};
  EXPECT_EQ(status.allocation->devices[0].binding_failure_conditions,
            std::vector<std::string>{"AttachedFailed"});
  world.add_claim("p", claim({req("r")}), status);
  EXPECT_EQ(world.fits("p"), Verdict::Kind::Fits);
  status.conditions = {{{"d", "n1", "a"}, "", "AttachedFailed", true, "", ""}};
  world.add_claim("p", claim({req("r")}), status);
  EXPECT_EQ(world.fits("p"), Verdict::Kind::NotHere);
}

TEST(ClaimVectors, V29ExtendedResourcesThatAClassServes) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b"), dev("x")}));
  world.devices->apply(world.cluster, world.journal,
                       ClassObject{"c", {}, {{"driver d"}, {}, "example.com/gpu"}});
  PodTemplate spec;
  spec.init_containers.push_back({.name = "i", .requests = {{"example.com/gpu", Quantity{2}}}});
  spec.containers.push_back({.name = "m", .requests = {{"example.com/gpu", Quantity{1}}}});
  const auto claims = world.devices->claims_of("ns", spec);
  ASSERT_EQ(claims->extended.size(), 2u);
  // The app container's own, and what the init container needs besides.
  EXPECT_EQ(claims->extended[0].name, "container-0-request-0");
  EXPECT_EQ(claims->extended[0].count, 1);
  EXPECT_EQ(claims->extended[1].name, "container-1-request-0");
  EXPECT_EQ(claims->extended[1].count, 1);
  const auto chosen = world.devices->choose(world.cluster, world.cluster.find_node("n1"), *claims);
  ASSERT_TRUE(chosen);
  EXPECT_EQ((*chosen)->claims.at(0).allocated->allocation->devices.size(), 2u);
  // A node that has the resource itself serves it by its device plugin.
  cluster::NodeSpec node;
  node.name = "n2";
  node.allocatable = {{"example.com/gpu", Quantity{4}}};
  world.cluster.demand(std::make_shared<const PodTemplate>(spec), pod_requests(spec));
  world.cluster.apply(world.journal, node);
  const auto there = world.devices->choose(world.cluster, world.cluster.find_node("n2"), *claims);
  ASSERT_TRUE(there);
  EXPECT_TRUE((*there)->claims.empty());
}

TEST(ClaimVectors, V30AFullClaimTakesNobodyElse) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a")}));
  world.in_use("p", "a");
  dra::ClaimStatus status =
      world.devices->find(world.devices->find_claim({"ns", "p"}))->seen->status;
  for (int i = 0; i < 256; ++i) {
    status.reserved_for.push_back({"", "pods", "q", "q" + std::to_string(i)});
  }
  world.add_claim("p", claim({req("r")}), status);
  EXPECT_EQ(world.claims_of("p")->unresolvable,
            "resourceclaim ns/p is reserved for 256 consumers, the most it can have");
  status.reserved_for.back().uid = "pod-p";
  world.add_claim("p", claim({req("r")}), status);
  EXPECT_EQ(world.claims_of("p")->unresolvable, "");
}

TEST(ClaimVectors, V31ATemplatesClaimIsWaitedFor) {
  DeviceWorld world;
  cluster::PodSpec pod = world.pod_of("p");
  pod.claim_names.clear();
  EXPECT_EQ(world.devices->claims_of(pod, nullptr)->waits_for,
            "claim of entry claim is not created yet");
  pod.claim_names["claim"] = "";
  EXPECT_TRUE(world.devices->claims_of(pod, nullptr)->nothing());
  pod.claim_names["claim"] = "p";
  EXPECT_EQ(world.devices->claims_of(pod, nullptr)->waits_for, "claim ns/p does not exist");
}

TEST(ClaimVectors, V32AClaimOfAnotherPodIsNotTouched) {
  DeviceWorld world;
  world.add_claim("p", claim({req("r")}));
  cluster::PodSpec pod = world.pod_of("other");
  pod.claim_names["claim"] = "p";
  EXPECT_EQ(world.devices->claims_of(pod, nullptr)->waits_for,
            "claim ns/p was not created for the pod");
}

TEST(ClaimVectors, AClassThatIsMissingRulesOutEveryNode) {
  DeviceWorld world;
  world.add_claim("p", claim({req("r", {.device_class = "absent"})}));
  EXPECT_EQ(world.claims_of("p")->unresolvable, "request r: device class absent does not exist");
  const std::uint64_t before = world.claims_of("p")->id;
  world.add_class("absent");
  EXPECT_EQ(world.claims_of("p")->unresolvable, "");
  EXPECT_NE(world.claims_of("p")->id, before);  // what was worked out before does not hold
}

}  // namespace
}  // namespace quorate::devices
