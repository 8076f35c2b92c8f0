#include "admission/requests.h"

#include <gtest/gtest.h>

#include "admission/decimal.h"

namespace quorate::admission {
namespace {

Quantity of(const std::string& resource, const std::string& text) {
  return *parse_quantity(resource, text);
}

ResourceList list(std::initializer_list<std::pair<const char*, const char*>> entries) {
  ResourceList out;
  for (const auto& [resource, text] : entries) out[resource] = of(resource, text);
  return out;
}

PodTemplate one(const ResourceList& requests, const ResourceList& limits = {}) {
  PodTemplate pod;
  pod.containers.push_back({"main", requests, limits});
  return pod;
}

struct Case {
  std::string name;
  PodTemplate pod;
  std::int32_t pods = 1;
  Config config;
  ResourceList want;  // of all pods together
};

class RequestTest : public ::testing::TestWithParam<Case> {};

TEST_P(RequestTest, TotalOfThePods) {
  const LimitSummary limits;
  const std::map<std::string, RuntimeClassSpec> classes;
  const RequestContext context{&GetParam().config, &limits, &classes};
  ResourceList total = quota_request(with_defaults(GetParam().pod, context), GetParam().config);
  for (auto& [resource, amount] : total) amount = amount * GetParam().pods;
  EXPECT_EQ(total, GetParam().want);
}

Config rules(std::vector<ResourceTransformation> transformations) {
  Config config;
  config.transformations = std::move(transformations);
  return config;
}

PodTemplate qr12() {
  PodTemplate pod;
  pod.containers = {{"a", list({{"cpu", "2"}}), {}}, {"b", list({{"cpu", "1"}}), {}}};
  pod.init_containers = {{"side", list({{"cpu", "1"}}), {}, true},
                         {"init", list({{"cpu", "5"}}), {}}};
  pod.overhead = list({{"cpu", "100m"}});
  return pod;
}

PodTemplate with_pod_level(PodTemplate pod, const ResourceList& requests) {
  pod.pod_requests = requests;
  return pod;
}

Config excluding(const std::string& prefix) {
  Config config;
  config.exclude_resource_prefixes = {prefix};
  return config;
}

INSTANTIATE_TEST_SUITE_P(
    Requests, RequestTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"QR01", one(list({{"cpu", "250m"}, {"memory", "100Mi"}})), 3, {}, list({{"cpu", "750m"}, {"memory", "314572800"}})},
        {"QR02", one(list({{"cpu", "100u"}})), 3, {}, list({{"cpu", "3m"}})},
        {"QR03", one(list({{"memory", "1500m"}})), 3, {}, list({{"memory", "6"}})},
        {"QR04", one(list({{"cpu", "1"}, {"net.io/vf", "2"}})), 1, excluding("net.io/"), list({{"cpu", "1"}})},
        {"QR05", one(list({{"ex.io/mig", "2"}})), 2, rules({{"ex.io/mig", false, {{"ex.io/mem", "5Gi"}}, ""}}),
         list({{"ex.io/mig", "4"}, {"ex.io/mem", "21474836480"}})},
        {"QR06", one(list({{"ex.io/mig", "2"}})), 2, rules({{"ex.io/mig", true, {{"ex.io/mem", "5"}, {"credits", "10"}}, ""}}),
         list({{"ex.io/mem", "20"}, {"credits", "40"}})},
        {"QR07", one(list({{"ex.io/mem", "8"}, {"ex.io/gpu", "4"}})), 1,
         rules({{"ex.io/mem", true, {{"ex.io/totalmem", "1"}}, "ex.io/gpu"}}), list({{"ex.io/totalmem", "32"}, {"ex.io/gpu", "4"}})},
        {"QR08", one(list({{"cpu", "4"}, {"ex.io/disc", "3"}})), 1, rules({{"ex.io/disc", true, {{"cpu", "-2"}}, ""}}), list({{"cpu", "4"}})},
        {"QR09", one(list({{"a", "4"}, {"b", "3"}})), 1, rules({{"a", true, {{"c", "2"}}, ""}, {"b", true, {{"c", "-1"}}, ""}}), list({{"c", "5"}})},
        {"QR10", one(list({{"a", "4"}, {"cpu", "1"}})), 1, rules({{"a", true, {}, ""}}), list({{"cpu", "1"}})},
        {"QR12", qr12(), 2, {}, list({{"cpu", "12200m"}})},
        {"QR13", with_pod_level(qr12(), list({{"cpu", "3"}})), 2, {}, list({{"cpu", "6200m"}})},
        {"QR19", one(list({{"a", "1"}})), 3, rules({{"a", true, {{"c", "0.3"}}, ""}}), list({{"c", "3"}})},
        {"QR20", one(list({{"a", "4"}})), 1, rules({{"a", true, {{"c", "2"}}, "b"}}), list({{"c", "8"}})},
        {"QR22", with_pod_level(one({}), list({{"cpu", "3"}, {"memory", "1Gi"}, {"nvidia.com/gpu", "2"}})), 1, {},
         list({{"cpu", "3"}, {"memory", "1Gi"}})},
        {"MilliCpuTimesFactor", one(list({{"cpu", "250m"}})), 1, rules({{"cpu", true, {{"example.com/points", "400"}}, ""}}),
         list({{"example.com/points", "100"}})},
        {"NegativeCountsAsNothing", one({{"cpu", Quantity{-100000}}}), 2, {}, {{"cpu", Quantity{0}}}},
        {"ProductSaturates", one({{"cpu", Quantity{9223372036854000}}}), 1000000, {}, {{"cpu", Quantity::max()}}},
        {"SumSaturates", [] { PodTemplate pod = one({{"memory", Quantity::max()}}); pod.containers.push_back(pod.containers[0]); return pod; }(),
         1, {}, {{"memory", Quantity::max()}}},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

LimitSummary container_limits(LimitRangeItem item) {
  const LimitRangeSpec range{{"ns", "lr"}, {std::move(item)}};
  return merge_limits({&range});
}

TEST(RequestTest, LimitRangeDefaults) {
  const Config config;
  const std::map<std::string, RuntimeClassSpec> classes;
  LimitRangeItem item;
  item.default_limits = list({{"cpu", "1"}});
  const LimitSummary only_limit = container_limits(item);
  item.default_requests = list({{"cpu", "500m"}});
  const LimitSummary both = container_limits(item);

  const PodTemplate qr14 = with_defaults(one({}), {&config, &both, &classes});
  EXPECT_EQ(qr14.containers[0].requests, list({{"cpu", "500m"}}));
  EXPECT_EQ(qr14.containers[0].limits, list({{"cpu", "1"}}));
  const PodTemplate qr15 = with_defaults(one({}), {&config, &only_limit, &classes});
  EXPECT_EQ(qr15.containers[0].requests, list({{"cpu", "1"}}));
  EXPECT_EQ(qr15.containers[0].limits, list({{"cpu", "1"}}));
  // What is stated wins.
  const PodTemplate own = with_defaults(one(list({{"cpu", "2"}})), {&config, &both, &classes});
  EXPECT_EQ(own.containers[0].requests, list({{"cpu", "2"}}));
}

TEST(RequestTest, LimitRangesMergeToTheTightest) {
  LimitRangeItem a, b;
  a.max = list({{"cpu", "4"}});
  a.min = list({{"cpu", "1"}});
  a.default_limits = list({{"cpu", "2"}});
  b.max = list({{"cpu", "3"}});
  b.min = list({{"cpu", "2"}});
  b.default_limits = list({{"cpu", "1"}});
  const LimitRangeSpec first{{"ns", "a"}, {a}}, second{{"ns", "b"}, {b}};
  const LimitSummary merged = merge_limits({&first, &second});
  EXPECT_EQ(merged.container.max, list({{"cpu", "3"}}));
  EXPECT_EQ(merged.container.min, list({{"cpu", "2"}}));
  EXPECT_EQ(merged.container.default_limits, list({{"cpu", "2"}}));
}

TEST(RequestTest, RuntimeClassOverheadUnlessTheTemplateHasOne) {
  const Config config;
  const LimitSummary limits;
  const std::map<std::string, RuntimeClassSpec> classes{
      {"kata", {"kata", list({{"cpu", "250m"}})}}};
  PodTemplate pod = one(list({{"cpu", "1"}}));
  pod.runtime_class = "kata";
  const RequestContext context{&config, &limits, &classes};
  EXPECT_EQ(quota_request(with_defaults(pod, context), config), list({{"cpu", "1250m"}}));
  pod.overhead = list({{"cpu", "50m"}});
  EXPECT_EQ(quota_request(with_defaults(pod, context), config), list({{"cpu", "1050m"}}));
  pod.overhead.clear();
  pod.runtime_class = "unknown";
  EXPECT_EQ(quota_request(with_defaults(pod, context), config), list({{"cpu", "1"}}));
}

TEST(RequestTest, AdmittedUsageFollowsReclaim) {
  EXPECT_EQ(rescale(list({{"cpu", "4"}}), 4, 1), list({{"cpu", "1"}}));     // QR16
  EXPECT_EQ(rescale(list({{"cpu", "3"}}), 3, 5), list({{"cpu", "3"}}));     // QR17
  EXPECT_EQ(rescale(list({{"cpu", "1"}}), 3, 2), list({{"cpu", "666m"}}));  // QR21: 333 * 2
  EXPECT_EQ(rescale(list({{"cpu", "0"}}), 0, 0), list({{"cpu", "0"}}));
}

TEST(RequestTest, RequestsAboveLimitsAreRefused) {
  EXPECT_EQ(check_requests(one(list({{"cpu", "1"}}), list({{"cpu", "1"}})), 0), std::nullopt);
  const auto wrong = check_requests(one(list({{"cpu", "2"}}), list({{"cpu", "1"}})), 1);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->field, "spec.podSets[1].template.spec.containers[0]");
  EXPECT_EQ(wrong->why,
            "spec.podSets[1].template.spec.containers[0]: Invalid value: [\"cpu\"]: requests must "
            "not exceed its limits");
}

TEST(RequestTest, LimitRangeBoundsAreChecked) {
  LimitRangeItem item;
  item.max = list({{"cpu", "4"}});
  item.min = list({{"cpu", "1"}});
  const LimitSummary container = container_limits(item);
  item.for_pod = true;
  item.max = list({{"cpu", "6"}});
  const LimitSummary pod = container_limits(item);

  EXPECT_EQ(check_limits(one(list({{"cpu", "4"}})), container, 0), std::nullopt);
  EXPECT_EQ(check_limits(one(list({{"memory", "4"}})), container, 0), std::nullopt);
  EXPECT_EQ(check_limits(one(list({{"cpu", "5"}})), container, 0)->why,
            "spec.podSets[0].template.spec.containers[0]: Invalid value: [\"cpu\"]: requests must "
            "not be above the limitRange max");
  EXPECT_EQ(check_limits(one(list({{"cpu", "500m"}})), container, 0)->why,
            "spec.podSets[0].template.spec.containers[0]: Invalid value: [\"cpu\"]: requests must "
            "not be below the limitRange min");
  EXPECT_EQ(check_limits(qr12(), pod, 0)->field, "spec.podSets[0].template.spec");  // 6.1 > 6
}

TEST(DecimalTest, ReadsQuantitiesExactly) {
  EXPECT_EQ(Decimal::parse("0.3")->quantity("x"), Quantity{1});
  EXPECT_EQ(Decimal::parse("1500m")->quantity("cpu"), Quantity{1500});
  EXPECT_EQ(Decimal::parse("5Gi")->quantity("x"), Quantity{5368709120});
  EXPECT_EQ(Decimal::parse("-2e3")->quantity("x"), Quantity{-2000});
  EXPECT_EQ(Decimal::parse("25e-1")->quantity("x"), Quantity{3});
  EXPECT_EQ((*Decimal::parse("3n") * *Decimal::parse("1G")).quantity("x"), Quantity{3});
  EXPECT_EQ((*Decimal::parse("0.1") + *Decimal::parse("0.2")).quantity("cpu"), Quantity{300});
  EXPECT_EQ((*Decimal::parse("9E") * *Decimal::parse("9E")).quantity("x"), Quantity::max());
  for (const char* bad : {"", "-", ".", "1x", "1ki", "e3", "1e", "1e+", "0x1"}) {
    EXPECT_FALSE(Decimal::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace quorate::admission
