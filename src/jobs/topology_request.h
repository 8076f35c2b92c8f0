#pragma once

#include <optional>
#include <string>

#include "src/base/labels.h"
#include "src/objects/workload.h"

namespace quorate::jobs {

// The topology request that a pod template's annotations ask for. Nothing if they ask for nothing
// and the pods have no index label.
std::optional<objects::TopologyRequest> topology_request(const Labels& annotations,
                                                         std::string pod_index_label);

}  // namespace quorate::jobs
