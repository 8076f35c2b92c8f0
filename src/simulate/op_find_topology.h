#pragma once

#include "src/simulate/command.h"

namespace quorate::simulate {

// --op find-topology: places the pod sets of one Workload in the topology of its flavor, or
// replaces its failed node, with no quota involved; prints where they go or why not.
int op_find_topology(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
