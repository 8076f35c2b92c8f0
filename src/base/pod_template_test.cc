#include "src/base/pod_template.h"

#include <gtest/gtest.h>

namespace quorate {
namespace {

ResourceList amounts(std::int64_t cpu_millis, std::int64_t memory) {
  return {{"cpu", Quantity{cpu_millis}}, {"memory", Quantity{memory}}};
}

ContainerResources container(ResourceList requests) { return {"c", std::move(requests), {}}; }

ContainerResources sidecar(ResourceList requests) { return {"s", std::move(requests), {}, true}; }

TEST(PodRequests, SumsContainers) {
  PodTemplate pod;
  pod.containers = {container(amounts(100, 5)), container({{"cpu", Quantity{200}}})};
  EXPECT_EQ(pod_requests(pod), amounts(300, 5));
}

TEST(PodRequests, AnInitContainerOnlyCountsWhereItIsLarger) {
  PodTemplate pod;
  pod.containers = {container(amounts(100, 5)), container(amounts(100, 5))};
  pod.init_containers = {container(amounts(150, 50)), container(amounts(120, 20))};
  EXPECT_EQ(pod_requests(pod), amounts(200, 50));  // cpu: 200 > 150; memory: 50 > 10
}

TEST(PodRequests, SidecarsRunBesideWhatComesAfterThem) {
  PodTemplate pod;
  pod.containers = {container(amounts(100, 0))};
  pod.init_containers = {container(amounts(500, 0)),  // before the sidecars: 500
                         sidecar(amounts(200, 0)),    // 200
                         container(amounts(450, 0)),  // beside one sidecar: 650
                         sidecar(amounts(300, 0))};   // 500 running
  // Sum: 100 + 200 + 300 = 600; peak of the start: 650.
  EXPECT_EQ(pod_requests(pod), amounts(650, 0));
}

TEST(PodRequests, PodLevelReplacesCpuMemoryAndHugepagesOnly) {
  PodTemplate pod;
  pod.containers = {container({{"cpu", Quantity{100}},
                               {"memory", Quantity{10}},
                               {"gpu", Quantity{2}},
                               {"hugepages-2Mi", Quantity{4}}})};
  pod.pod_requests =
      ResourceList{{"cpu", Quantity{50}}, {"gpu", Quantity{9}}, {"hugepages-2Mi", Quantity{8}}};
  EXPECT_EQ(pod_requests(pod), (ResourceList{{"cpu", Quantity{50}},
                                             {"memory", Quantity{10}},
                                             {"gpu", Quantity{2}},
                                             {"hugepages-2Mi", Quantity{8}}}));
}

TEST(PodRequests, OverheadIsAddedLast) {
  PodTemplate pod;
  pod.containers = {container(amounts(100, 5))};
  pod.init_containers = {container(amounts(300, 1))};
  pod.pod_requests = ResourceList{{"memory", Quantity{50}}};
  pod.overhead = amounts(10, 7);
  EXPECT_EQ(pod_requests(pod), amounts(310, 57));
}

TEST(PodRequests, SaturateInsteadOfWrapping) {
  PodTemplate pod;
  pod.containers = {container({{"gpu", Quantity::max()}}), container({{"gpu", Quantity{1}}})};
  EXPECT_EQ(pod_requests(pod), (ResourceList{{"gpu", Quantity::max()}}));
}

TEST(PodRequests, NothingAsksForNothing) { EXPECT_TRUE(pod_requests(PodTemplate{}).empty()); }

struct TolerationCase {
  std::string name;
  Toleration toleration;
  bool want;
};

class TolerationTest : public testing::TestWithParam<TolerationCase> {};

TEST_P(TolerationTest, Tolerates) {
  EXPECT_EQ(tolerates(GetParam().toleration, Taint{"gpu", "10", "NoSchedule"}), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    OfATaint, TolerationTest,
    testing::ValuesIn(std::vector<TolerationCase>{
        // clang-format off
        // name             key    operator  value   effect
        {"Equal",          {"gpu", "Equal",  "10",   "NoSchedule"}, true},
        {"DefaultIsEqual", {"gpu", "",       "10",   ""},           true},
        {"OtherValue",     {"gpu", "Equal",  "11",   ""},           false},
        {"OtherKey",       {"tpu", "Equal",  "10",   ""},           false},
        {"OtherEffect",    {"gpu", "Equal",  "10",   "NoExecute"},  false},
        {"Exists",         {"gpu", "Exists", "",     ""},           true},
        {"Everything",     {"",    "Exists", "",     ""},           true},
        {"OnlyEffect",     {"",    "Exists", "",     "NoExecute"},  false},
        // The taint's value is compared with the toleration's: 10 > 9, 10 < 11.
        {"Gt",             {"gpu", "Gt",     "9",    ""},           true},
        {"GtEqual",        {"gpu", "Gt",     "10",   ""},           false},
        {"Lt",             {"gpu", "Lt",     "11",   ""},           true},
        {"GtNotANumber",   {"gpu", "Gt",     "many", ""},           false},
        {"UnknownOp",      {"gpu", "Like",   "10",   ""},           false},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(Tolerations, OneIsEnough) {
  const Taint taint{"gpu", "10", "NoSchedule"};
  EXPECT_FALSE(tolerates(std::vector<Toleration>{}, taint));
  EXPECT_TRUE(tolerates(std::vector<Toleration>{{"tpu", "Exists"}, {"gpu", "Exists"}}, taint));
}

}  // namespace
}  // namespace quorate
