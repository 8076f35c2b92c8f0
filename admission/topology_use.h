#pragma once

#include <string>

#include "src/base/pod_template.h"
#include "topology/assignment.h"

namespace quorate::admission {

// What a pod set takes on nodes: so many pods of that shape in each domain.
struct TopologyUse {
  std::string flavor;
  topology::Assignment places;
  ResourceList pod;  // of one pod

  friend bool operator==(const TopologyUse&, const TopologyUse&) = default;
};

}  // namespace quorate::admission
