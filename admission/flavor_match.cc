#include "admission/flavor_match.h"

#include <algorithm>

namespace quorate::admission {
namespace {

// Only the keys that this flavor defines take part: other flavors, or the nodes, answer the rest.
bool selector_holds(const Labels& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& entry) {
    const auto label = labels.find(entry.first);
    return label == labels.end() || label->second == entry.second;
  });
}

bool affinity_holds(const NodeAffinity& affinity, const Labels& labels) {
  if (!affinity.required) return true;
  bool any = false;
  for (const NodeSelectorTerm& term : *affinity.required) {
    bool concerned = false, holds = true;
    for (const Requirement& one : term.match_expressions) {
      if (labels.find(one.key) == labels.end()) continue;
      concerned = true;
      holds = holds && matches(one, labels);
    }
    // A term that says nothing about this flavor could be met anywhere; terms are alternatives.
    if (!concerned) return true;
    any = any || holds;
  }
  return any;
}

}  // namespace

bool requests_topology(const TopologyRequest* topology) {
  return topology != nullptr &&
         (!topology->required_level.empty() || !topology->preferred_level.empty() ||
          topology->unconstrained || !topology->layers.empty());
}

std::optional<std::string> mismatch(const PodSetFacts& pods, const FlavorSpec& flavor) {
  for (const Taint& taint : flavor.node_taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (tolerates(pods.shape->pod->tolerations, taint) || tolerates(flavor.tolerations, taint)) {
      continue;
    }
    return "untolerated taint {" + taint.key + " " + taint.value + " " + taint.effect +
           " <nil>} in flavor " + flavor.name;
  }
  if (!selector_holds(pods.shape->pod->node_selector, flavor.node_labels) ||
      !affinity_holds(pods.shape->pod->node_affinity, flavor.node_labels)) {
    return "flavor " + flavor.name + " doesn't match node affinity";
  }
  return std::nullopt;
}

std::optional<std::string> topology_mismatch(const PodSetFacts& pods, const FlavorSpec& flavor,
                                             bool group_covers_pod, bool all_topology,
                                             const topology::Tree* tree) {
  const bool requested = requests_topology(pods.topology.get());
  const std::string name = "Flavor \"" + flavor.name + "\" ";
  if (!requested) {
    if (flavor.topology_name.empty() || all_topology) return std::nullopt;
    return name + "supports only TopologyAwareScheduling";
  }
  if (flavor.topology_name.empty()) {
    if (!group_covers_pod) return std::nullopt;
    return name + "does not support TopologyAwareScheduling";
  }
  if (tree == nullptr) return name + "information missing in TAS cache";
  const auto known = [&](const std::string& level) {
    return level.empty() || tree->level_of(level) < tree->levels().size();
  };
  const TopologyRequest& request = *pods.topology;
  const bool all = known(request.required_level) && known(request.preferred_level) &&
                   std::all_of(request.layers.begin(), request.layers.end(),
                               [&](const topology::Layer& layer) { return known(layer.level); });
  if (!all) return name + "does not contain the requested level";
  return std::nullopt;
}

}  // namespace quorate::admission
