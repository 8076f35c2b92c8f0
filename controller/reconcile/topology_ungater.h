#pragma once

#include <vector>

#include "controller/reconcile/placement_reconciler.h"
#include "controller/reconcile/write.h"

namespace quorate::controller {

// One UngatePod for each gated pod of an admitted Workload that has a place.
std::vector<Write> ungate_by_topology(const PlacementView& seen);

}  // namespace quorate::controller
