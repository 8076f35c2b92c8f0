#pragma once

// Topology after quota: where the pods of an assignment go in the topologies of its flavors.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admission/assigner.h"
#include "admission/topology_use.h"
#include "topology/inventory.h"
#include "topology/pod_sets.h"

namespace quorate::admission {

// Whether the pod set is placed by topology: it asks to be, or its queue has no other flavors.
bool placed_by_topology(const PodSetFacts& pods, bool all_topology);

topology::Wish wish_of(const TopologyRequest* request);  // nullptr: implied

// Adds to the filter what the Ready checks add to the pods of that pod set. Returns what is wrong
// with it, in Kueue's words: a node selector that contradicts the pods'.
std::string add_updates(const std::vector<CheckStatus>& checks, const std::string& pod_set,
                        topology::NodeFilter& filter);

// The flavor in which each pod set of the assignment is placed: "" if it is not placed by topology.
// A pod set that requests nothing is placed in the flavor of its group. Otherwise which pod set has
// no such flavor, or several.
std::variant<std::vector<std::string>, TopologyError> topology_flavors(const AssignContext& context,
                                                                       const Facts& workload,
                                                                       const Assignment& assignment,
                                                                       bool all_topology);

// Places for the pod sets of an assignment, by position.
struct Places {
  std::vector<std::optional<TopologyAssignment>> pod_sets;
  std::optional<TopologyShortage> failure;  // then the places are incomplete
};

enum class Occupancy { Current, Empty };  // Empty: as if no topology workload ran

// Of a search that looks for the same places again and again while only usage changes; by flavor.
using PlaceCounters = std::map<std::string, topology::Counters>;

// Computes places with the flavors and counts of the assignment, whose topology_flavor is set.
Places find_places(const AssignContext& context, const Facts& workload,
                   const Assignment& assignment, Occupancy occupancy,
                   PlaceCounters* counters = nullptr);

// Adds places to an assignment that has its quota, as if the workload were alone. Where they are
// taken, the assignment would have to preempt; where the topology has no such places even if empty,
// it cannot be had, and the shortage there is returned.
std::optional<TopologyShortage> assign_places(const AssignContext& context, const Facts& workload,
                                              Assignment& assignment, bool all_topology);

// Whether the assignment has all its places and they are free now, all its pod sets together.
bool places_free(topology::Inventory& inventory, const Facts& workload,
                 const Assignment& assignment);

// Gives an assignment that has to preempt the places that it gets when its targets are gone, so
// that they are kept free for it.
void assign_places_without_targets(const AssignContext& context, const Facts& workload,
                                   Assignment& assignment);

// An admission as an assignment, one entry per pod set of the workload: counts, topology flavors,
// places.
Assignment assignment_of(const AssignContext& context, const Facts& workload,
                         const Admission& admission);

// Places of a pod set without a host that failed; nullopt if there is no room for its pods.
std::optional<TopologyAssignment> move_from_host(const AssignContext& context,
                                                 const Facts& workload, std::size_t pod_set,
                                                 const std::string& flavor,
                                                 const TopologyAssignment& old,
                                                 const std::string& host);

// What the pod sets take on nodes, by an admission as the API shows it. `is_topology(flavor)`: the
// flavor has a topology.
std::vector<TopologyUse> topology_uses(const Facts& workload, const Admission& admission,
                                       const std::function<bool(const std::string&)>& is_topology);

}  // namespace quorate::admission
