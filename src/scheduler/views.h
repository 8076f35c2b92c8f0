#pragma once

// What plugins look at: a pod that wants a place, a node that may be one, an event that may help.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/cluster/model.h"

namespace quorate::scheduler {

// A pod under decision. Borrows everything; lives as long as one attempt.
struct PodView {
  const cluster::Demand* demand = nullptr;
  std::string_view node_name;  // spec.nodeName, "" as a rule
  // What an admission adds to the pod's own constraints; nullptr: nothing.
  const Labels* node_labels = nullptr;
  const std::vector<Toleration>* tolerations = nullptr;

  const PodTemplate& pod() const { return *demand->pod; }
};

// True if no plugin can tell the two apart, so that one's results are the other's.
bool same_shape(const PodView& a, const PodView& b);

struct NodeView {
  const cluster::Model& model;
  cluster::NodeId id;
  const cluster::NodeSpec& spec;
};

// Kinds of change that can turn a "no" into a "yes". A set of bits.
using EventKinds = std::uint32_t;
inline constexpr EventKinds kNodeAdded = 1u << 0;
inline constexpr EventKinds kNodeAllocatable = 1u << 1;
inline constexpr EventKinds kNodeLabels = 1u << 2;
inline constexpr EventKinds kNodeTaints = 1u << 3;  // spec.unschedulable too
inline constexpr EventKinds kUsageFreed = 1u << 4;  // a pod left a node or shrank; a reservation

struct ClusterEvent {
  EventKinds kinds = 0;
  cluster::NodeId node;  // none: anywhere
};

}  // namespace quorate::scheduler
