#pragma once

#include <optional>

#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// The share of the status that records whether all pods of the workload are ready or succeeded;
// nullopt if the object says it already.
//
// A workload that is not admitted has no ready pods: what it says of an earlier admission is taken
// back. One that never said anything says nothing before it is ready, which saves a write per job;
// no condition and WaitForStart mean the same.
std::optional<ApplyWorkloadStatus> pods_ready_change(const objects::Workload& workload,
                                                     bool all_ready, Time now);

}  // namespace quorate::controller
