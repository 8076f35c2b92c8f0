#include "src/devices/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

std::vector<dra::Device> four() { return {dev("a"), dev("b"), dev("c"), dev("e")}; }

TEST(DeviceModel, UndoneIsNeverDone) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 dice(seed);
    DeviceWorld world;
    world.slice(sl("n1", four()));
    world.in_use("x", "b");
    for (int i = 0; i < 3; ++i) world.add_claim("p" + std::to_string(i), claim({req("r")}));
    const std::string before = world.digest();
    {
      Transaction trial(world.journal);
      for (int step = 0; step < 6; ++step) {
        const std::string name = "p" + std::to_string(dice() % 3);
        const auto claims = world.claims_of(name);
        const ClaimId id = world.devices->find_claim({"ns", name});
        switch (dice() % 3) {
          case 0:
            world.devices->try_out(world.cluster, world.journal, world.cluster.find_node("n1"),
                                   claims, step);
            break;
          case 1:
            world.allocate(name);
            break;
          default:
            world.devices->forget(world.cluster, world.journal, id, "pod-" + name);
        }
      }
    }
    ASSERT_EQ(world.digest(), before) << "seed " << seed;
    ASSERT_EQ(world.choose(claim({req("r", {.count = 3})})), "a c e") << "seed " << seed;
  }
}

TEST(DeviceModel, AForkGoesItsOwnWay) {
  DeviceWorld world;
  world.slice(sl("n1", four()));
  world.add_claim("p", claim({req("r")}));
  cluster::Model fork = world.cluster;
  EXPECT_EQ(world.allocate("p"), "a");
  Digest digest;
  of(fork)->digest(digest);
  EXPECT_NE(digest.hex(), world.digest());
  const auto claims = of(fork)->claims_of(world.pod_of("p"), nullptr);
  EXPECT_TRUE(claims->uses.at(0).own);  // not allocated there
  EXPECT_EQ(of(fork)->fits(fork, fork.find_node("n1"), *claims).kind, Verdict::Kind::Fits);
}

TEST(DeviceModel, WhatAWithdrawnDeviceIsUsedForIsRemembered) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a")}));
  world.in_use("x", "a");
  world.devices->slice_gone(world.cluster, world.journal, "slice-n1");
  world.slice(sl("n1", {dev("a"), dev("b")}));
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
  world.gone("x");
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
}

TEST(DeviceModel, AnAssumptionHoldsUntilItIsSeen) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b")}));
  EXPECT_EQ(world.allocate("p", claim({req("r")})), "a");
  const dra::Allocation ours =
      *world.devices->find(world.devices->find_claim({"ns", "p"}))->allocation();
  world.add_claim("p", claim({req("r")}));  // an event from before our write
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
  dra::ClaimStatus written{ours, {{"", "pods", "p", "pod-p"}}, {}};
  world.add_claim("p", claim({req("r")}), written);
  const Claim& seen = *world.devices->find(world.devices->find_claim({"ns", "p"}));
  EXPECT_EQ(seen.assumed, nullptr);
  EXPECT_TRUE(seen.consumers.empty());
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
  world.add_claim("p", claim({req("r")}));  // deallocated
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
}

TEST(DeviceModel, SomebodyElsesAllocationTakesThePlaceOfOurs) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b")}));
  EXPECT_EQ(world.allocate("p", claim({req("r")})), "a");
  world.in_use("p", "b");
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
}

TEST(DeviceModel, ACollisionIsFoundAndNothingIsBuiltOnIt) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b")}));
  world.in_use("x", "a");
  EXPECT_TRUE(world.devices->collisions().empty());
  world.in_use("y", "a");
  EXPECT_THAT(world.devices->collisions(),
              testing::ElementsAre(Collision{{"d", "n1", "a"}, {{"ns", "x"}, {"ns", "y"}}}));
  world.gone("x");
  EXPECT_TRUE(world.devices->collisions().empty());
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
}

// Members of a gang on one node: the first is content with another device if the second needs its.
TEST(DeviceModel, MembersOfAGangGetTheirDevicesTogether) {
  DeviceWorld world;
  const auto on = [](const std::string& name, const std::string& type, const std::string& root) {
    return dev(name, {.attributes = {{"type", text_value(type)}, {"root", text_value(root)}}});
  };
  world.slice(sl("n1", {on("g0", "gpu", "A"), on("g1", "gpu", "B"), on("k0", "nic", "A")}));
  world.add_claim("any", claim({req("gpu", {.selectors = {"type=gpu"}})}));
  world.add_claim("both", claim({req("gpu", {.selectors = {"type=gpu"}}),
                                 req("nic", {.selectors = {"type=nic"}})},
                                {match("d/root")}));
  const cluster::NodeId node = world.cluster.find_node("n1");
  const std::string before = world.digest();
  {
    Transaction trial(world.journal);
    ASSERT_TRUE(
        world.devices->try_out(world.cluster, world.journal, node, world.claims_of("any"), 0));
    EXPECT_EQ(
        world.devices->tried_out(0)->claims[0].allocated->allocation->devices[0].device.device,
        "g0");
    EXPECT_EQ(world.fits("both"), Verdict::Kind::Fits);
    ASSERT_TRUE(
        world.devices->try_out(world.cluster, world.journal, node, world.claims_of("both"), 1));
    EXPECT_EQ(
        world.devices->tried_out(0)->claims[0].allocated->allocation->devices[0].device.device,
        "g1");
    EXPECT_EQ(world.fits("any"), Verdict::Kind::NoDevices);
  }
  EXPECT_EQ(world.digest(), before);
}

TEST(DeviceModel, CopiesAreCountedExactly) {
  DeviceWorld world;
  world.slice(sl("n1", four()));
  world.add_claim("p", claim({req("r")}));
  world.add_claim("pair", claim({req("r", {.count = 2})}));
  const cluster::NodeId node = world.cluster.find_node("n1");
  EXPECT_EQ(world.devices->copies(world.cluster, node, *world.claims_of("p"), 100), 4);
  EXPECT_EQ(world.devices->copies(world.cluster, node, *world.claims_of("p"), 3), 3);
  EXPECT_EQ(world.devices->copies(world.cluster, node, *world.claims_of("pair"), 100), 2);
  world.in_use("x", "a");
  EXPECT_EQ(world.devices->copies(world.cluster, node, *world.claims_of("pair"), 100), 1);
}

TEST(DeviceModel, AnImpossibleClaimSaysHowClose) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b"), dev("c", {.taints = {{"bad", "", "NoSchedule"}}})}));
  world.in_use("x", "a");
  world.add_claim("p", claim({req("r", {.count = 2})}));
  EXPECT_EQ(
      world.devices->shortfall(world.cluster, world.cluster.nodes(), *world.claims_of("p"), 9),
      "node n1: claim ns/p, request r: 1 of 2 devices; others: 1 in use, 1 tainted");
}

}  // namespace
}  // namespace quorate::devices
