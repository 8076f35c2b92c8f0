// The allocator's test vectors by their ids (docs/compatibility.md says where ours is better). They
// run in the listed order, which is kube-scheduler's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

constexpr char kNone[] = "no: cannot allocate all claims";

TEST(DeviceVectors, V01TakesFreeDevicesInTheirOrder) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b"), dev("c")}));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "a b");
  world.add_claim("ask", claim({req("r", {.count = 2})}));
  const dra::Allocation allocation = world.allocation("ask");
  ASSERT_TRUE(allocation.node_selector);
  const Requirement here{"metadata.name", Requirement::Op::In, {"n1"}};
  EXPECT_THAT(allocation.node_selector->at(0).match_fields, testing::ElementsAre(here));
  world.in_use("x", "a");
  EXPECT_EQ(world.choose(std::string("ask")), "b c");
  world.in_use("y", "b");
  EXPECT_EQ(world.choose(std::string("ask")), kNone);
}

TEST(DeviceVectors, V02PoolsByNameAndThoseThatBindLateLast) {
  DeviceWorld world;
  const auto pool = [](const std::string& name, dra::Device device) {
    SliceObject slice = sl("n1", {std::move(device)});
    slice.name = "s-" + name;
    slice.spec.pool = name;
    return slice;
  };
  world.slice(pool("p3", dev("x")));
  world.slice(pool("p1", dev("y")));
  world.slice(pool("p2", dev("z")));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "y z");
  world.slice(pool("p1", dev("y", {.binding = {"Attached"}})));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "z x");
}

TEST(DeviceVectors, V03AnIncompleteGenerationOffersNothing) {
  DeviceWorld world;
  SliceObject old = sl("n1", {dev("a")});
  old.spec.generation = 1;
  world.slice(old);
  SliceObject fresh = sl("n1", {dev("b")});
  fresh.name = "slice-n1-1";
  fresh.spec.generation = 2;
  fresh.spec.slice_count = 2;
  world.slice(fresh);
  EXPECT_EQ(world.choose(claim({req("r")})), kNone);
  EXPECT_EQ(
      world.choose(claim({req("r", {.mode = "All"})})),
      "no: claim ns/ask, request r: asks for all devices, but resource pool d/n1 is currently "
      "being updated");
  fresh.name = "slice-n1-2";
  fresh.spec.devices = {dev("c")};
  world.slice(fresh);
  EXPECT_EQ(world.choose(claim({req("r", {.mode = "All"})})), "b c");
}

TEST(DeviceVectors, V04APoolThatMovedIsIgnoredWhereItIsOutdated) {
  DeviceWorld world;
  world.node("n2");
  SliceObject old = sl("n1", {dev("a")});
  old.spec.pool = "p";
  old.spec.generation = 1;
  old.spec.slice_count = 2;
  SliceObject fresh = sl("n2", {dev("b")});
  fresh.spec.pool = "p";
  fresh.spec.generation = 2;
  fresh.spec.slice_count = 2;
  world.slice(old);
  world.slice(fresh);
  EXPECT_EQ(world.choose(claim({req("r", {.mode = "All"})})), kNone);  // no error
  old.spec.slice_count = 1;
  fresh.spec.slice_count = 1;
  world.slice(old);
  world.slice(fresh);
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
}

TEST(DeviceVectors, V05ASelectorThatFailsIsAnErrorOfTheAttempt) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a")}));
  EXPECT_EQ(
      world.choose(claim({req("r", {.selectors = {"model=x"}})})),
      "no: claim ns/ask: selector #0 on device d/n1/a: CEL runtime error: no such key: model");
  EXPECT_EQ(world.choose(claim({req("r", {.selectors = {"model?=x"}})})), kNone);
}

TEST(DeviceVectors, V07TheFirstAlternativeThatWorks) {
  DeviceWorld world;
  world.add_class("c", {"driver d"});
  world.slice(sl("n1", {dev("s", {.attributes = {{"size", text_value("small")}}})}));
  dra::ClaimSpec spec = claim({first_of("gpu", {way("big", {.selectors = {"size=big"}}),
                                                way("small", {.selectors = {"size=small"}})})});
  spec.config = {{{"gpu/big"}, {"d", "{\"k\":1}"}}, {{"gpu"}, {"d", "{\"k\":2}"}}};
  world.add_claim("ask", spec);
  EXPECT_EQ(world.choose(std::string("ask")), "gpu/small:s");
  const dra::AllocatedConfig kept{false, {}, {"d", "{\"k\":2}"}};
  EXPECT_THAT(world.allocation("ask").config, testing::ElementsAre(kept));
  // Raw score: 8 - position of the alternative.
  const auto claims = world.claims_of("ask");
  EXPECT_EQ(world.devices->alternative_score(world.cluster, world.cluster.find_node("n1"), *claims),
            7);
}

TEST(DeviceVectors, V08AnAlternativeThatLeadsNowhereIsGivenUp) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.attributes = {{"k", text_value("x")}}}),
                        dev("b", {.attributes = {{"k", text_value("y")}}})}));
  EXPECT_EQ(world.choose(claim({first_of("A", {way("x", {.selectors = {"k=x"}}),
                                               way("y", {.selectors = {"k=y"}})}),
                                req("B", {.selectors = {"k=x"}})})),
            "A/y:b a");
}

TEST(DeviceVectors, V09CombinationsUnderAConstraint) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.attributes = {{"numa", int_value(0)}}}),
                        dev("b", {.attributes = {{"numa", int_value(1)}}}),
                        dev("c", {.attributes = {{"numa", int_value(0)}}})}));
  EXPECT_EQ(world.choose(claim({req("A", {.count = 2})}, {match("d/numa")})), "a c");
}

TEST(DeviceVectors, V10ValuesOfDifferentTypesDoNotMatch) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.attributes = {{"numa", int_value(0)}}}),
                        dev("b", {.attributes = {{"numa", text_value("0")}}}), dev("c")}));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})}, {match("d/numa")})), kNone);
  EXPECT_EQ(world.choose(claim({req("r", {.count = 1})}, {match("d/numa")})), "a");
}

TEST(DeviceVectors, V10ListsMatchWhileSomethingIsCommonToAll) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("gpu", {.attributes = {{"numa", int_list({6, 4, 5, 7})}}}),
                        dev("cpu", {.attributes = {{"numa", int_value(4)}}}),
                        dev("nic", {.attributes = {{"numa", int_value(5)}}})}));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})}, {match("d/numa")})), "gpu cpu");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 3})}, {match("d/numa")})), kNone);
}

TEST(DeviceVectors, V11DistinctValues) {
  DeviceWorld world;
  const auto root = [](const std::string& name, const std::string& value) {
    return dev(name, {.attributes = {{"root", text_value(value)}}});
  };
  world.slice(sl("n1", {root("d1", "r1"), root("d2", "r1"), root("d3", "r2"), root("d4", "r3")}));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 3})}, {distinct("d/root")})), "d1 d3 d4");
  // Of all devices of the claim: counts 2 + 1.
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2}), req("s")}, {distinct("d/root")})),
            "d1 d3 d4");
}

TEST(DeviceVectors, V12GpuAndNicOnOneRoot) {
  DeviceWorld world;
  const auto on = [](const std::string& name, const std::string& type, const std::string& root) {
    return dev(name, {.attributes = {{"type", text_value(type)},
                                     {"resource.kubernetes.io/pcieRoot", text_value(root)}}});
  };
  world.slice(sl("n1", {on("g0", "gpu", "A"), on("g1", "gpu", "B"), on("k0", "nic", "A"),
                        on("k1", "nic", "B")}));
  world.in_use("x", "g0");
  EXPECT_EQ(world.choose(claim(
                {req("gpu", {.selectors = {"type=gpu"}}), req("nic", {.selectors = {"type=nic"}})},
                {match("resource.kubernetes.io/pcieRoot", {"gpu", "nic"})})),
            "g1 k1");
}

TEST(DeviceVectors, V13AllDevicesOrNone) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.attributes = {{"v", int_value(1)}}}),
                        dev("b", {.attributes = {{"v", int_value(2)}}})}));
  EXPECT_EQ(world.choose(claim({req("r", {.mode = "All"})})), "a b");
  EXPECT_EQ(
      world.choose(claim({req("r", {.mode = "All"})}, {match("d/v")})),
      "no: claim ns/ask, request r: cannot add device d/n1/b because a claim constraint would "
      "not be satisfied");
  EXPECT_EQ(world.choose(claim({req("r", {.selectors = {"v=3"}, .mode = "All"})})), kNone);
  world.in_use("x", "a");
  EXPECT_EQ(world.choose(claim({req("r", {.mode = "All"})})), kNone);
  std::vector<dra::Device> many;
  for (int i = 0; i < 33; ++i) many.push_back(dev("m" + std::to_string(i)));
  world.gone("x");
  world.slice(sl("n1", std::move(many)));
  EXPECT_EQ(world.choose(claim({req("r", {.mode = "All"})})),
            "no: claim ns/ask, request r: adding 33 devices exceeds the claim limit of 32, with 0 "
            "already accounted for");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 33})})),
            "no: claim ns/ask, request r: adding 33 devices exceeds the claim limit of 32, with 0 "
            "already accounted for");
}

TEST(DeviceVectors, V14AdminAccessLeavesUsageAlone) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a")}));
  world.in_use("x", "a");
  EXPECT_EQ(world.allocate("admin", claim({req("r", {.admin = true})})), "a");
  EXPECT_EQ(world.choose(claim({req("r")})), kNone);
  world.gone("x");
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
  EXPECT_EQ(world.choose(claim({req("r", {.admin = true}), req("s", {.admin = true})})), kNone);
}

TEST(DeviceVectors, V15TaintsKeepAway) {
  const auto world_with = [](const std::string& effect) {
    DeviceWorld world;
    world.slice(sl("n1", {dev("a", {.taints = {{"maint", "true", effect}}}), dev("b")}));
    return world;
  };
  DeviceWorld world = world_with("NoExecute");
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
  EXPECT_EQ(world.choose(claim({req("r", {.tolerations = {{"maint", "Exists", "", "", {}}}})})),
            "a");
  EXPECT_EQ(world.choose(claim({req("r", {.tolerations = {{"maint", "", "false", "", {}}}})})),
            "b");
  DeviceWorld harmless = world_with("None");
  EXPECT_EQ(harmless.choose(claim({req("r")})), "a");
}

TEST(DeviceVectors, V15RulesTaintWhatTheySelect) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("a"), dev("b")}));
  const dra::DeviceTaint taint{{"maint", "", "NoSchedule"}, std::nullopt};
  world.devices->apply(world.cluster, world.journal,
                       TaintRuleObject{"none", {std::nullopt, taint}});
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
  world.devices->apply(
      world.cluster, world.journal,
      TaintRuleObject{"one", {dra::TaintRuleSpec::Selector{"d", "n1", "a"}, taint}});
  EXPECT_EQ(world.choose(claim({req("r")})), "b");
  world.devices->apply(world.cluster, world.journal,
                       TaintRuleObject{"all", {dra::TaintRuleSpec::Selector{}, taint}});
  EXPECT_EQ(world.choose(claim({req("r")})), kNone);
  world.devices->rule_gone(world.cluster, world.journal, "all");
  world.devices->rule_gone(world.cluster, world.journal, "one");
  EXPECT_EQ(world.choose(claim({req("r")})), "a");
}

SliceObject counters_of(const std::string& node, std::string mem) {
  SliceObject slice = sl(node, {});
  slice.name += "-counters";
  slice.spec.slice_count = 2;
  slice.spec.counters = {{"s", {{"mem", amount(mem)}}}};
  return slice;
}
dra::Device part(const std::string& name, const std::string& mem) {
  return dev(name, {.consumes = {{"s", {{"mem", amount(mem)}}}}});
}

TEST(DeviceVectors, V16PartitionsShareCounters) {
  DeviceWorld world;
  SliceObject parts = sl("n1", {part("full", "40"), part("half1", "20"), part("half2", "20")});
  parts.spec.slice_count = 2;
  world.slice(counters_of("n1", "40"));
  world.slice(parts);
  EXPECT_EQ(world.choose(claim({req("r")})), "full");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "half1 half2");
  world.in_use("x", "half1");
  EXPECT_EQ(world.choose(claim({req("r")})), "half2");
}

TEST(DeviceVectors, V16APartitionInUseOnAnotherNodeStillCounts) {
  DeviceWorld world;
  world.node("n2");
  SliceObject counters = counters_of("n1", "40");
  counters.spec.node_name = "";
  counters.spec.all_nodes = true;
  SliceObject parts = sl("n1", {part("full", "40"), part("half1", "20"), part("half2", "20")});
  parts.spec.node_name = "";
  parts.spec.per_device_nodes = true;
  parts.spec.slice_count = 2;
  parts.spec.devices[0].node_name = "n1";
  parts.spec.devices[1].node_name = "n2";
  parts.spec.devices[2].node_name = "n1";
  world.slice(counters);
  world.slice(parts);
  EXPECT_EQ(world.choose(claim({req("r")})), "full");
  world.in_use("x", "half1");
  EXPECT_EQ(world.choose(claim({req("r")})), "half2");
}

TEST(DeviceVectors, V17AnInvalidPoolIsSkipped) {
  DeviceWorld world;
  SliceObject bad = sl("n1", {dev("a", {.consumes = {{"T", {{"mem", amount("1")}}}}})});
  world.slice(bad);
  world.add_claim("ask", claim({req("r")}));
  EXPECT_EQ(world.fits("ask"), Verdict::Kind::InvalidPools);
  SliceObject good = sl("n1", {dev("b")});
  good.name = "other";
  good.spec.pool = "other";
  world.slice(good);
  EXPECT_EQ(world.choose(std::string("ask")), "b");
}

TEST(DeviceVectors, V18SharedCapacityWithoutAPolicy) {
  DeviceWorld world;
  world.slice(sl("n1", {dev("nic", {.capacity = {{"bw", "100"}}, .shared = true})}));
  const auto wants = [](const std::string& bw) {
    return claim({req("r", {.capacity = {{"bw", bw}}})});
  };
  EXPECT_EQ(world.allocate("one", wants("60")), "nic");
  EXPECT_EQ(world.allocate("two", wants("30")), "nic");
  const auto& one = *world.devices->find(world.devices->find_claim({"ns", "one"}))->allocation();
  const auto& two = *world.devices->find(world.devices->find_claim({"ns", "two"}))->allocation();
  EXPECT_EQ(one.devices[0].consumed.at("bw"), amount("60"));
  EXPECT_EQ(two.devices[0].consumed.at("bw"), amount("30"));
  EXPECT_NE(one.devices[0].share_id, two.devices[0].share_id);
  EXPECT_EQ(one.devices[0].share_id.size(), 36u);
  EXPECT_EQ(world.choose(wants("20")), kNone);
  EXPECT_EQ(world.choose(claim({req("r")})), kNone);  // wants all 100
}

// What a claim of `r` consumes of a capacity of 100 with the policy; "" if it is refused.
std::string consumed(const dra::CapacityPolicy& policy, const std::string& r) {
  DeviceWorld world;
  world.slice(sl(
      "n1",
      {dev("x", {.capacity = {{"cap", "100"}}, .policies = {{"cap", policy}}, .shared = true})}));
  RequestArgs args;
  if (!r.empty()) args.capacity = {{"cap", r}};
  world.add_claim("ask", claim({req("r", args)}));
  if (world.choose(std::string("ask")) == kNone) return "";
  return format_exact_quantity("cap", world.allocation("ask").devices[0].consumed.at("cap"));
}

TEST(DeviceVectors, V19CapacityInARange) {
  dra::CapacityPolicy policy;
  policy.fallback = amount("10");
  policy.valid_range = dra::CapacityPolicy::Range{amount("10"), amount("50"), amount("5")};
  EXPECT_EQ(consumed(policy, "3"), "10");
  EXPECT_EQ(consumed(policy, "12"), "15");
  EXPECT_EQ(consumed(policy, "50"), "50");
  EXPECT_EQ(consumed(policy, "51"), "");  // 55 is above 50
  EXPECT_EQ(consumed(policy, ""), "10");
  dra::CapacityPolicy fractions;
  fractions.fallback = amount("100m");
  fractions.valid_range = dra::CapacityPolicy::Range{amount("100m"), {}, amount("100m")};
  EXPECT_EQ(consumed(fractions, "250m"), "300m");
}

TEST(DeviceVectors, V20CapacityOfAListOfValues) {
  dra::CapacityPolicy policy;
  policy.fallback = amount("1");
  policy.valid_values = {amount("1"), amount("2"), amount("4")};
  EXPECT_EQ(consumed(policy, "3"), "4");
  EXPECT_EQ(consumed(policy, "5"), "");
  DeviceWorld world;
  world.slice(sl("n1", {dev("a", {.capacity = {{"cap", "40"}}})}));
  EXPECT_EQ(world.choose(claim({req("r", {.capacity = {{"other", "1"}}})})), kNone);
  EXPECT_EQ(world.choose(claim({req("r", {.capacity = {{"cap", "41"}}})})), kNone);
  world.add_claim("ask", claim({req("r", {.capacity = {{"cap", "30"}}})}));
  EXPECT_EQ(world.choose(std::string("ask")), "a");
  EXPECT_EQ(world.allocation("ask").devices[0].share_id, "");
  EXPECT_TRUE(world.allocation("ask").devices[0].consumed.empty());
}

TEST(DeviceVectors, V21NodeSelectorsAreMerged) {
  DeviceWorld world;
  world.node("n1", {{"zone", "z1"}, {"rack", "r1"}});
  const auto network = [](const std::string& name, const std::string& key,
                          const std::string& value) {
    SliceObject slice = sl(name, {dev(name)});
    slice.spec.node_name = "";
    slice.spec.node_selector = dra::NodeTerms{
        {.match_expressions = {{key, Requirement::Op::In, {value}}}, .match_fields = {}}};
    return slice;
  };
  world.slice(network("p1", "zone", "z1"));
  world.slice(network("p2", "rack", "r1"));
  world.add_claim("ask", claim({req("r", {.count = 2})}));
  const auto both = world.allocation("ask").node_selector;
  ASSERT_TRUE(both);
  ASSERT_EQ(both->size(), 1u);
  EXPECT_THAT(both->at(0).match_expressions,
              testing::ElementsAre(Requirement{"zone", Requirement::Op::In, {"z1"}},
                                   Requirement{"rack", Requirement::Op::In, {"r1"}}));
  SliceObject everywhere = sl("p0", {dev("e")});
  everywhere.spec.node_name = "";
  everywhere.spec.all_nodes = true;
  world.slice(everywhere);
  world.add_claim("one", claim({req("r")}));
  EXPECT_EQ(world.allocation("one").node_selector, std::nullopt);
  everywhere.spec.devices[0].binds_to_node = true;
  world.slice(everywhere);
  EXPECT_EQ(world.allocation("one").node_selector->at(0).match_fields.at(0).values,
            std::vector<std::string>{"n1"});
}

TEST(DeviceVectors, V22ConfigsOfAClassOnceForItsRequests) {
  DeviceWorld world;
  const dra::Opaque k1{"d", "{\"k\":1}"};
  world.add_class("c", {"driver d"}, {k1});
  world.add_class("e", {"driver d"});
  world.slice(sl("n1", {dev("a"), dev("b"), dev("x")}));
  world.add_claim("three", claim({req("r1"), req("r2"), req("r3", {.device_class = "e"})}));
  EXPECT_THAT(world.allocation("three").config,
              testing::ElementsAre(dra::AllocatedConfig{true, {"r1", "r2"}, k1}));
  world.add_claim("two", claim({req("r1"), req("r2")}));
  EXPECT_THAT(world.allocation("two").config,
              testing::ElementsAre(dra::AllocatedConfig{true, {}, k1}));
}

TEST(DeviceVectors, V33OfBothConstraintsMatchAttributeCounts) {
  DeviceWorld world;
  const auto with = [](const std::string& name, std::int64_t n) {
    return dev(name, {.attributes = {{"root", text_value("r1")}, {"n", int_value(n)}}});
  };
  world.slice(sl("n1", {with("x", 1), with("y", 1), with("z", 2)}));
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})}, {{{}, "d/root", "d/n"}})), "x y");
}

TEST(DeviceVectors, V36AMatchInFrontHidesAFailingSelector) {
  DeviceWorld world;
  const dra::Device matching = dev("m", {.attributes = {{"model", text_value("x")}}});
  world.slice(sl("n1", {matching, dev("z")}));
  EXPECT_EQ(world.choose(claim({req("r", {.selectors = {"model=x"}})})), "m");
  world.slice(sl("n1", {dev("a"), matching}));
  EXPECT_EQ(
      world.choose(claim({req("r", {.selectors = {"model=x"}})})),
      "no: claim ns/ask: selector #0 on device d/n1/a: CEL runtime error: no such key: model");
}

// B109: capacity used up on the first device sends the next claim to the second.
TEST(DeviceVectors, ASharedDeviceThatIsFullDoesNotEndTheSearch) {
  DeviceWorld world;
  const auto device = [](const std::string& name) {
    return dev(name, {.capacity = {{"cap", "2"}}, .shared = true});
  };
  world.slice(sl("n1", {device("d1"), device("d2")}));
  const dra::ClaimSpec two = claim({req("r", {.capacity = {{"cap", "2"}}})});
  EXPECT_EQ(world.allocate("c1", two), "d1");
  EXPECT_EQ(world.allocate("c2", two), "d2");
  EXPECT_EQ(world.choose(two), kNone);
}

}  // namespace
}  // namespace quorate::devices
