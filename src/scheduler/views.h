#pragma once

// What plugins look at: a pod that wants a place, a node that may be one, an event that may help.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/cluster/model.h"

namespace quorate::devices {
struct PodClaims;
}

namespace quorate::scheduler {

class PluginState;

// A pod under decision. Borrows everything; lives as long as one attempt.
struct PodView {
  const cluster::Demand* demand = nullptr;
  std::string_view node_name;  // spec.nodeName, "" as a rule
  // What an admission adds to the pod's own constraints; nullptr: nothing.
  const Labels* node_labels = nullptr;
  const std::vector<Toleration>* tolerations = nullptr;
  // Of the plugin that is called: what its PreFilter or PreScore made; nullptr if it made nothing,
  // or if it is asked outside of an attempt.
  const PluginState* state = nullptr;
  // Its claims for devices; null: it has none.
  std::shared_ptr<const devices::PodClaims> claims = nullptr;

  const PodTemplate& pod() const { return *demand->pod; }
  const PodRelations& relations() const { return *demand->pod->relations; }
  const std::string& ns() const { return demand->occupant->ns; }
  const Labels& labels() const { return *demand->occupant->labels; }
};

// True if no plugin can tell the two apart in this cluster, so that one's results are the other's.
bool same_shape(const cluster::Model& model, const PodView& a, const PodView& b);

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
inline constexpr EventKinds kPodArrived = 1u << 5;  // on a node, or its labels changed there
inline constexpr EventKinds kVolumes = 1u << 6;     // a claim, volume, class or CSI object changed
inline constexpr EventKinds kNamespaces = 1u << 7;  // labels of a namespace
inline constexpr EventKinds kDevices = 1u << 8;     // a claim, slice, class or taint rule changed

struct ClusterEvent {
  EventKinds kinds = 0;
  cluster::NodeId node;  // none: anywhere
};

}  // namespace quorate::scheduler
