#pragma once

#include <string>
#include <vector>

#include "admission/decision.h"
#include "src/base/time.h"
#include "src/objects/workload.h"

namespace quorate::simulate {

// Works a decision of admission into a Workload as the controller writes it. `checks` are the
// admission checks that it has to pass from here on, sorted by name.
void write_decision(objects::Workload& workload, const admission::Decision& decision,
                    const std::vector<std::string>& checks, Time now);

// The end of an eviction: the job is inactive, the quota goes back, the workload is queued again or
// held back, by the reason of the eviction.
void finish_eviction(objects::Workload& workload, Time now);
bool being_evicted(const objects::Workload& workload);  // evicted, and still holding quota

// All pods run: nothing here keeps them from it.
void pods_ready(objects::Workload& workload, Time now);

// The job ended well.
void finish_workload(objects::Workload& workload, Time now);

bool reserved(const objects::Workload& workload);
bool admitted(const objects::Workload& workload);
bool finished(const objects::Workload& workload);

}  // namespace quorate::simulate
