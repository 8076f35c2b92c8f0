#pragma once

#include <optional>
#include <string>

#include "admission/facts.h"
#include "admission/queue_plan.h"
#include "topology/tree.h"

namespace quorate::admission {

// Whether pods may use a flavor at all: its taints, and of its labels those that the pods select
// by. Where not, says why in Kueue's words.
std::optional<std::string> mismatch(const PodSetFacts& pods, const FlavorSpec& flavor);

// Whether the topology that the pods ask for and the flavor's agree. `group_covers_pod`: the
// flavor's resource group covers a resource that the pods themselves request; `all_topology`: the
// queue has no flavor without topology; `tree`: the flavor's, nullptr if it is not known.
std::optional<std::string> topology_mismatch(const PodSetFacts& pods, const FlavorSpec& flavor,
                                             bool group_covers_pod, bool all_topology,
                                             const topology::Tree* tree);

// True if the request asks for a placement by topology.
bool requests_topology(const TopologyRequest* topology);

}  // namespace quorate::admission
