#include "src/cluster/demand.h"

#include <gmock/gmock.h>

namespace quorate::cluster {
namespace {

using testing::ElementsAre;

Resources resources() {
  Resources names;
  for (const char* name : {"pods", "cpu", "memory", "cpu (scored)", "memory (scored)"}) {
    names.intern(name);
  }
  return names;
}

ContainerResources container(ResourceList requests) {
  return {.name = "c", .requests = std::move(requests)};
}

Demand demand_of(Resources& names, PodTemplate pod) {
  const ResourceList requests = pod_requests(pod);
  return make_demand(names, std::make_shared<const PodTemplate>(std::move(pod)), requests);
}

TEST(DemandTest, ChargesOnePodItsRequestsAndTheScoredColumns) {
  Resources names = resources();
  PodTemplate pod;
  pod.containers = {container({{"cpu", Quantity{500}}, {"memory", Quantity{1 << 20}}}),
                    container({{"cpu", Quantity{250}}, {"x/gpu", Quantity{2}}})};
  const Demand demand = demand_of(names, pod);
  const std::uint32_t gpu = names.find("x/gpu").slot;
  // The second container states no memory: it scores as 200Mi.
  EXPECT_THAT(demand.charges, ElementsAre(Charge{kPods, 1}, Charge{kCpu, 750},
                                          Charge{kMemory, 1 << 20}, Charge{kScoredCpu, 750},
                                          Charge{kScoredMemory, 201 << 20}, Charge{gpu, 2}));
  EXPECT_TRUE(demand.requests_anything());
}

TEST(DemandTest, EmptyPodAsksForNothingButScores) {
  Resources names = resources();
  PodTemplate pod;
  pod.containers = {container({})};
  const Demand demand = demand_of(names, pod);
  EXPECT_FALSE(demand.requests_anything());
  EXPECT_EQ(demand.amount(kScoredCpu), 100);
  EXPECT_EQ(demand.amount(kScoredMemory), 200 << 20);
}

TEST(DemandTest, TakesPortsOfContainersAndSidecarsOnly) {
  Resources names = resources();
  PodTemplate pod;
  pod.containers = {container({})};
  pod.containers[0].host_ports = {{"", "", 80}, {"", "TCP", 0}};
  pod.init_containers = {container({}), container({})};
  pod.init_containers[0].host_ports = {{"", "TCP", 81}};
  pod.init_containers[1].host_ports = {{"10.0.0.1", "UDP", 82}};
  pod.init_containers[1].sidecar = true;
  EXPECT_THAT(demand_of(names, pod).ports,
              ElementsAre(HostPort{"0.0.0.0", "TCP", 80}, HostPort{"10.0.0.1", "UDP", 82}));
}

TEST(DemandTest, NegativeAmountsAreNone) {
  Resources names = resources();
  const Demand demand = make_demand(names, std::make_shared<const PodTemplate>(),
                                    {{"cpu", Quantity{-5}}, {"pods", Quantity{7}}});
  EXPECT_EQ(demand.amount(kCpu), 0);
  EXPECT_EQ(demand.amount(kPods), 1);
}

TEST(ClashTest, WildcardAddressClashesWithAny) {
  EXPECT_TRUE(clash({"0.0.0.0", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_FALSE(clash({"10.0.0.2", "TCP", 80}, {"10.0.0.1", "TCP", 80}));
  EXPECT_FALSE(clash({"0.0.0.0", "TCP", 80}, {"0.0.0.0", "UDP", 80}));
}

}  // namespace
}  // namespace quorate::cluster
