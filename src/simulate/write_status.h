#pragma once

#include "src/base/time.h"
#include "src/objects/workload.h"

namespace quorate::simulate {

bool being_evicted(const objects::Workload& workload);  // evicted, and still holding quota

// All pods are ready.
void pods_ready(objects::Workload& workload, Time now);
// None is any more: what it says of earlier ones is taken back.
void pods_stopped(objects::Workload& workload, Time now);

// The job ended well.
void finish_workload(objects::Workload& workload, Time now);

bool reserved(const objects::Workload& workload);
bool admitted(const objects::Workload& workload);
bool finished(const objects::Workload& workload);

}  // namespace quorate::simulate
