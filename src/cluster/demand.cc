#include "src/cluster/demand.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace quorate::cluster {
namespace {

// What scoring assumes of a container that states no request: 100 m and 200 MiB.
constexpr std::int64_t kDefaultCpu = 100;
constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

// The most that one pod is charged of one resource, so that the sums of a node's pods stay exact:
// releasing gives back precisely what charging took.
constexpr std::int64_t kMostCharged = std::numeric_limits<std::int64_t>::max() / 256;

void fill_defaults(std::vector<ContainerResources>& containers) {
  for (ContainerResources& container : containers) {
    container.requests.try_emplace("cpu", Quantity{kDefaultCpu});
    container.requests.try_emplace("memory", Quantity{kDefaultMemory});
  }
}

bool states_cpu_and_memory(const std::vector<ContainerResources>& containers) {
  return std::ranges::all_of(containers, [](const ContainerResources& container) {
    return container.requests.contains("cpu") && container.requests.contains("memory");
  });
}

ResourceList scored_requests(const PodTemplate& pod, const ResourceList& requests) {
  if (states_cpu_and_memory(pod.containers) && states_cpu_and_memory(pod.init_containers)) {
    return requests;
  }
  PodTemplate filled;
  filled.containers = pod.containers;
  filled.init_containers = pod.init_containers;
  filled.pod_requests = pod.pod_requests;
  filled.overhead = pod.overhead;
  fill_defaults(filled.containers);
  fill_defaults(filled.init_containers);
  return pod_requests(filled);
}

std::int64_t amount_of(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  if (found == list.end()) return 0;
  return std::clamp<std::int64_t>(found->second.base_units(), 0, kMostCharged);
}

void add_ports(const std::vector<ContainerResources>& containers, bool only_sidecars,
               std::vector<HostPort>& ports) {
  for (const ContainerResources& container : containers) {
    if (only_sidecars && !container.sidecar) continue;
    for (HostPort port : container.host_ports) {
      if (port.port <= 0) continue;
      if (port.host_ip.empty()) port.host_ip = "0.0.0.0";
      if (port.protocol.empty()) port.protocol = "TCP";
      ports.push_back(std::move(port));
    }
  }
}

}  // namespace

std::int64_t Demand::amount(std::uint32_t resource) const {
  for (const Charge& charge : charges) {
    if (charge.resource == resource) return charge.amount;
  }
  return 0;
}

bool Demand::requests_anything() const {
  return std::ranges::any_of(charges, [](const Charge& charge) {
    return charge.resource != kPods && charge.resource != kScoredCpu &&
           charge.resource != kScoredMemory;
  });
}

Demand make_demand(Resources& resources, std::shared_ptr<const PodTemplate> pod,
                   const ResourceList& requests, std::string_view ns) {
  Occupant occupant;
  occupant.ns = ns;
  occupant.labels = std::shared_ptr<const Labels>(pod, &pod->labels);
  occupant.pod = std::move(pod);
  return make_demand(resources, std::make_shared<const Occupant>(std::move(occupant)), requests);
}

Demand make_demand(Resources& resources, std::shared_ptr<const Occupant> occupant,
                   const ResourceList& requests) {
  const PodTemplate& pod = *occupant->pod;
  std::map<std::uint32_t, std::int64_t> charges;
  charges[kPods] = 1;
  for (const auto& [name, quantity] : requests) {
    if (name == "pods") continue;  // a pod is one pod, whatever it says
    if (const std::int64_t amount = amount_of(requests, name); amount > 0) {
      charges[resources.intern(name).slot] = amount;
    }
  }
  const ResourceList scored = scored_requests(pod, requests);
  charges[kScoredCpu] = std::max(amount_of(scored, "cpu"), amount_of(requests, "cpu"));
  charges[kScoredMemory] = std::max(amount_of(scored, "memory"), amount_of(requests, "memory"));

  Demand demand;
  for (const auto& [resource, amount] : charges) {
    if (amount > 0) demand.charges.push_back({resource, amount});
  }
  add_ports(pod.containers, false, demand.ports);
  add_ports(pod.init_containers, true, demand.ports);
  std::ranges::sort(demand.ports);
  demand.pod = occupant->pod;
  demand.occupant = std::move(occupant);
  return demand;
}

bool clash(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.host_ip == b.host_ip || a.host_ip == "0.0.0.0" || b.host_ip == "0.0.0.0");
}

}  // namespace quorate::cluster
