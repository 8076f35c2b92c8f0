#pragma once

#include "src/objects/json.h"
#include "src/objects/json_writer.h"
#include "src/objects/workload.h"

namespace quorate::objects {

// The slices of a topologyAssignment as a flat list of domains (any legal slicing), or the list
// `domains` of v1beta1.
TopologyAssignment read_topology_assignment(Json json);

// As few slices as the limit on their length allows: per level the common value, or the longest
// common prefix and suffix with what lies between.
void write_topology_assignment(JsonWriter& out, const TopologyAssignment& assignment);

}  // namespace quorate::objects
