#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/pod_template.h"
#include "src/cluster/spec.h"

namespace quorate::topology {

// What pods ask of a single node besides room. Looked at only where the lowest level is the
// hostname: elsewhere a leaf is a group of nodes, and none of them is chosen here.
struct NodeFilter {
  Labels node_selector;
  NodeAffinity affinity;
  std::vector<Toleration> tolerations;  // of the pods and their flavor

  // True if no node could fail it but for its taints.
  bool takes_all() const { return node_selector.empty() && !affinity.required; }
  // True if the answer may differ between nodes of one class: it looks at names.
  bool by_name() const;
};

// The first check that a node fails, in the words of Kueue's statistics; "" if it passes:
// taint "k=v:NoSchedule", nodeSelector, affinity.
std::string refusal(const NodeFilter& filter, const cluster::NodeSpec& node);

// Sum of the weights of the preferred terms that match.
std::int64_t preference(const NodeFilter& filter, const cluster::NodeSpec& node);

}  // namespace quorate::topology
