#pragma once

// What one pod asks of a node, worked out once and shared by everything that tries to place it.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "src/base/id.h"
#include "src/base/interner.h"
#include "src/base/pod_template.h"
#include "src/cluster/occupancy.h"

namespace quorate::cluster {

using ResourceId = Id<struct ResourceTag>;
using Resources = Interner<ResourceTag>;

// The columns that every model has, at these slots. A pod counts one of `pods`. The scored columns
// hold cpu and memory with a default for each container that states none, as scoring wants them;
// no filter looks at them.
inline constexpr std::uint32_t kPods = 0;
inline constexpr std::uint32_t kCpu = 1;
inline constexpr std::uint32_t kMemory = 2;
inline constexpr std::uint32_t kScoredCpu = 3;
inline constexpr std::uint32_t kScoredMemory = 4;
inline constexpr std::uint32_t kFirstNamed = 5;

// An amount of one resource in its base unit; `resource` is the slot of a ResourceId.
struct Charge {
  std::uint32_t resource = 0;
  std::int64_t amount = 0;

  friend bool operator==(const Charge&, const Charge&) = default;
};

struct Demand {
  std::shared_ptr<const PodTemplate> pod;  // never null
  // What a node is charged: one of kPods, the requests, the scored columns; no zeros, by slot.
  std::vector<Charge> charges;
  std::vector<HostPort> ports;  // of containers and sidecars, sorted; host_ip is never ""
  std::shared_ptr<const Occupant> occupant;  // never null

  std::int64_t amount(std::uint32_t resource) const;
  // True if the pod requests anything apart from being there.
  bool requests_anything() const;
};

// The demand of such a pod; `requests` are its effective requests. New names go into `resources`.
// The occupant has the labels of the template, and no name.
Demand make_demand(Resources& resources, std::shared_ptr<const PodTemplate> pod,
                   const ResourceList& requests, std::string_view ns = "");
Demand make_demand(Resources& resources, std::shared_ptr<const Occupant> occupant,
                   const ResourceList& requests);

// True if two ports cannot be taken on one node: same protocol and port, and the same address or
// one of them all addresses.
bool clash(const HostPort& a, const HostPort& b);

}  // namespace quorate::cluster
