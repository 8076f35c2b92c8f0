#pragma once

#include "src/scheduler/views.h"

namespace quorate::scheduler {

// True if the node is one that the pod's nodeSelector and required node affinity allow, with what
// its admission adds. What the profile adds plays no part.
bool selects(const PodView& pod, const cluster::NodeSpec& node);

// A term without requirements matches nothing.
bool matches_term(const NodeSelectorTerm& term, const cluster::NodeSpec& node);
// nullopt matches every node, no terms match none.
bool any_matches(const std::optional<std::vector<NodeSelectorTerm>>& terms,
                 const cluster::NodeSpec& node);

}  // namespace quorate::scheduler
