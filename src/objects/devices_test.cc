// resource.k8s.io/v1: reading, validating, writing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/objects/codec.h"
#include "src/objects/device_class.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/yaml.h"

namespace quorate::objects {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
T read_ok(std::string_view text) {
  const Outcome<T> object = decode_json<T>(text);
  EXPECT_TRUE(object) << object.error().message;
  return object.value_or(T{});
}

template <class T>
std::vector<std::string> faults(std::string_view text) {
  std::vector<std::string> all;
  for (const FieldError& fault : validate(read_ok<T>(text))) all.push_back(fault.text());
  return all;
}

constexpr std::string_view kSlice = R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.example.com",
  "pool":{"name":"n1","generation":3,"resourceSliceCount":2},"nodeName":"n1","devices":[{"name":"g0",
  "attributes":{"model":{"string":"x"},"numa":{"int":-1},"ok":{"bool":true},"v":{"version":"1.2.3"},
   "lists/l":{"ints":[1,2]}},
  "capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi",
    "validRange":{"min":"1Gi","max":"8Gi","step":"1Gi"}}}},
  "consumesCounters":[{"counterSet":"s","counters":{"mem":{"value":"20"}}}],
  "taints":[{"key":"k","value":"v","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}],
  "bindsToNode":true,"bindingConditions":["Attached"],"bindingFailureConditions":["Failed"],
  "allowMultipleAllocations":true}]}})";

TEST(ResourceSlice, ReadsADevice) {
  const ResourceSlice slice = read_ok<ResourceSlice>(kSlice);
  EXPECT_EQ(slice.spec.generation, 3);
  EXPECT_EQ(slice.spec.slice_count, 2);
  ASSERT_EQ(slice.spec.devices.size(), 1u);
  const dra::Device& device = slice.spec.devices[0];
  EXPECT_EQ(device.attributes.at("numa").numbers, std::vector<std::int64_t>{-1});
  EXPECT_EQ(device.attributes.at("v").type, dra::Attribute::Type::Version);
  EXPECT_TRUE(device.attributes.at("lists/l").list);
  EXPECT_EQ(device.capacity.at("memory").value, *parse_exact_quantity("40Gi"));
  EXPECT_EQ(device.capacity.at("memory").policy->valid_range->step, *parse_exact_quantity("1Gi"));
  EXPECT_EQ(device.consumes[0].counters.at("mem"), *parse_exact_quantity("20"));
  EXPECT_EQ(device.taints[0].taint, (Taint{"k", "v", "NoExecute"}));
  EXPECT_TRUE(device.allow_multiple && device.binds_to_node);
  EXPECT_THAT(validate(slice), testing::IsEmpty());
}

TEST(ResourceSlice, AnAttributeHasOneValue) {
  const auto read = decode_json<ResourceSlice>(
      R"({"spec":{"devices":[{"name":"a","attributes":{"x":{"int":1,"string":"y"}}}]}})");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("spec.devices[0].attributes.x"));
}

TEST(ResourceSlice, RefusesWhatTheServerRefuses) {
  EXPECT_THAT(
      faults<ResourceSlice>(R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p/q",
        "resourceSliceCount":0},"nodeName":"n","allNodes":true,"devices":[
        {"name":"A","attributes":{"1x":{"int":1}}},{"name":"b","bindingConditions":["X"]},{"name":"b"}]}})"),
      ElementsAre(HasSubstr("spec.pool.resourceSliceCount: Invalid value: 0: must be greater"),
                  HasSubstr("exactly one of `nodeName`, `nodeSelector`"),
                  HasSubstr("spec.devices[0].name: Invalid value: \"A\""),
                  HasSubstr("spec.devices[0].attributes[1x]"),
                  HasSubstr("spec.devices[1].bindingFailureConditions"),
                  HasSubstr("spec.devices[2]: Duplicate value: \"b\"")));
  EXPECT_THAT(
      faults<ResourceSlice>(R"({"metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p",
        "resourceSliceCount":1},"allNodes":true,"devices":[{"name":"a","allowMultipleAllocations":true,
        "attributes":{"v":{"version":"1.2"}},"capacity":{"m":{"value":"10","requestPolicy":{"default":"3",
        "validRange":{"min":"2","max":"12","step":"2"}}}}}]}})"),
      ElementsAre(HasSubstr("attributes[v].version"), HasSubstr("validRange.max"),
                  HasSubstr("requestPolicy.default")));
}

constexpr std::string_view kClaim = R"({"metadata":{"name":"c","namespace":"ns","uid":"u",
  "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"pu","controller":true}]},
 "spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"gpu.example.com","count":2,
   "selectors":[{"cel":{"expression":"true"}}],"adminAccess":true,
   "tolerations":[{"key":"k","operator":"Exists"}],"capacity":{"requests":{"memory":"1Gi"}}}},
   {"name":"nic","firstAvailable":[{"name":"fast","deviceClassName":"f","allocationMode":"All"},
     {"name":"slow","deviceClassName":"s"}]}],
  "constraints":[{"requests":["gpu","nic/fast"],"matchAttribute":"resource.kubernetes.io/pcieRoot"}],
  "config":[{"requests":["gpu"],"opaque":{"driver":"d","parameters":{"a":1}}}]}},
 "status":{"allocation":{"devices":{"results":[{"request":"gpu","driver":"d","pool":"p","device":"g0",
    "shareID":"s","consumedCapacity":{"memory":"1Gi"},"bindingConditions":["B"],
    "bindingFailureConditions":["F"]}],"config":[{"source":"FromClass","requests":["gpu"],
    "opaque":{"driver":"d","parameters":{"b":2}}}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":
    [{"key":"metadata.name","operator":"In","values":["n1"]}]}]},"allocationTimestamp":"2026-01-01T00:00:00Z"},
  "reservedFor":[{"resource":"pods","name":"p","uid":"pu"}],
  "devices":[{"driver":"d","pool":"p","device":"g0","shareID":"s",
    "conditions":[{"type":"B","status":"True","reason":"R"}]}]}})";

TEST(ResourceClaim, ReadsWhatItSays) {
  const ResourceClaim claim = read_ok<ResourceClaim>(kClaim);
  ASSERT_EQ(claim.spec.requests.size(), 2u);
  EXPECT_EQ(claim.spec.requests[0].alternatives[0].count, 2);
  EXPECT_TRUE(claim.spec.requests[1].first_available);
  EXPECT_EQ(claim.spec.requests[1].alternatives[0].count, 0);  // All
  EXPECT_EQ(claim.spec.requests[1].alternatives[1].count, 1);
  EXPECT_EQ(claim.spec.config[0].opaque.parameters, R"({"a":1})");
  EXPECT_EQ(claim.status.allocation->devices[0].share_id, "s");
  EXPECT_TRUE(claim.status.conditions.at(0).is_true);
  EXPECT_THAT(validate(claim), testing::IsEmpty());
}

TEST(ResourceClaim, WhatIsWrittenReadsTheSame) {
  ResourceClaim claim = read_ok<ResourceClaim>(kClaim);
  claim.status.conditions.clear();  // written by drivers
  EXPECT_EQ(read_ok<ResourceClaim>(encode_json(claim)), claim);
}

TEST(ResourceClaim, ARequestIsExactlyOrOneOfSeveral) {
  EXPECT_FALSE(decode_json<ResourceClaim>(R"({"spec":{"devices":{"requests":[{"name":"r"}]}}})"));
}

TEST(ResourceClaim, RefusesWhatTheServerRefuses) {
  EXPECT_THAT(
      faults<ResourceClaim>(R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[
        {"name":"r","exactly":{"allocationMode":"Some","count":-1}},
        {"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All","count":1}}],
        "constraints":[{"requests":["q"],"matchAttribute":"x"},{"requests":["r"]}]}},
        "status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u"},
                                 {"resource":"pods","name":"q","uid":"u"}]}})"),
      ElementsAre(
          "spec.devices.requests[0].exactly.deviceClassName: Required value",
          HasSubstr("spec.devices.requests[0].exactly.allocationMode: Unsupported value: \"Some\""),
          HasSubstr(
              "spec.devices.requests[1].exactly.count: Invalid value: 1: must not be specified"),
          "spec.devices.requests[1]: Duplicate value: \"r\"",
          HasSubstr("spec.devices.constraints[0].requests[0]: Invalid value: \"q\""),
          HasSubstr(
              "spec.devices.constraints[0].matchAttribute: Invalid value: \"x\": must include"),
          HasSubstr("spec.devices.constraints[1]: Required value"),
          "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
          "status.reservedFor[1]: Duplicate value: \"u\""));
}

TEST(ResourceClaim, StatusPatchesSayOnlyWhatIsOurs) {
  dra::ClaimStatus status;
  EXPECT_EQ(
      claim_status_patch("u", "7", status),
      R"({"metadata":{"resourceVersion":"7","uid":"u"},"status":{"allocation":null,"devices":null,"reservedFor":null}})");
  status.allocation.emplace().devices.push_back({"r", {"d", "p", "a"}, false, {}, {}, {}, "", {}});
  status.reserved_for.push_back({"", "pods", "p", "pu"});
  EXPECT_EQ(
      claim_status_patch("u", "7", status),
      R"({"metadata":{"resourceVersion":"7","uid":"u"},"status":{"allocation":{"devices":{"results":[{"device":"a","driver":"d","pool":"p","request":"r"}]}},"reservedFor":[{"name":"p","resource":"pods","uid":"pu"}]}})");
  EXPECT_EQ(
      claim_unreserve_patch("u", "pu"),
      R"({"metadata":{"uid":"u"},"status":{"reservedFor":[{"$patch":"delete","uid":"pu"}]}})");
}

TEST(DeviceClass, ReadsAndValidates) {
  const auto read = read_ok<DeviceClass>(R"({"metadata":{"name":"c"},"spec":{
    "selectors":[{"cel":{"expression":"a"}}],"extendedResourceName":"example.com/gpu",
    "config":[{"opaque":{"driver":"d","parameters":{"x":1}}}]}})");
  EXPECT_EQ(read.spec.selectors, std::vector<std::string>{"a"});
  EXPECT_EQ(read.spec.extended_resource, "example.com/gpu");
  EXPECT_THAT(validate(read), testing::IsEmpty());
  EXPECT_THAT(faults<DeviceClass>(R"({"metadata":{"name":"c"},"spec":{"selectors":[{"cel":{}}],
    "extendedResourceName":"gpu","config":[{"opaque":{"driver":"d"}}]}})"),
              ElementsAre("spec.selectors[0].cel: Required value",
                          "spec.config[0].opaque.parameters: Required value",
                          HasSubstr("spec.extendedResourceName: Invalid value: \"gpu\"")));
}

TEST(DeviceTaintRule, AnAbsentSelectorDiffersFromAnEmptyOne) {
  const auto rule = [](const std::string& selector) {
    return read_ok<DeviceTaintRule>(R"({"metadata":{"name":"r"},"spec":{)" + selector +
                                    R"("taint":{"key":"k","effect":"NoExecute"}}})");
  };
  EXPECT_FALSE(rule("").spec.selector);
  EXPECT_TRUE(rule(R"("deviceSelector":{},)").spec.selector);
  EXPECT_EQ(rule(R"("deviceSelector":{"driver":"d"},)").spec.selector->driver, "d");
  EXPECT_THAT(faults<DeviceTaintRule>(
                  R"({"metadata":{"name":"r"},"spec":{"taint":{"key":"k","effect":"Bad"}}})"),
              ElementsAre(HasSubstr("spec.taint.effect: Unsupported value: \"Bad\"")));
}

TEST(ResourceClaimTemplate, ReadsTheClaimInside) {
  const auto read = read_ok<ResourceClaimTemplate>(R"({"metadata":{"name":"t"},"spec":{
    "metadata":{"labels":{"a":"b"}},"spec":{"devices":{"requests":[
      {"name":"r","exactly":{"deviceClassName":"c"}}]}}}})");
  EXPECT_EQ(read.claim_labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(read.spec.requests.at(0).alternatives.at(0).device_class, "c");
}

}  // namespace
}  // namespace quorate::objects
