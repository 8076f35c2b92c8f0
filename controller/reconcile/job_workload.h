#pragma once

// What the admission of a Job's Workload does to the Job. (What the Job is as a Workload:
// src/jobs/job_workload.h.)

#include <map>
#include <string>
#include <vector>

#include "controller/reconcile/settings.h"
#include "src/base/outcome.h"
#include "src/jobs/job_workload.h"
#include "src/objects/encode.h"
#include "src/objects/flavors.h"
#include "src/objects/job.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// Whether the Workload still describes the Job: same number of pods, same containers, same
// tolerations (which admission changes), same time limit. While quota is reserved, compared as
// after injection. Names, labels, selectors, affinity and priority do not count.
bool describes(const objects::Workload& workload, const objects::Job& job,
               const objects::PodSet& pod_set);

using FlavorsByName = std::map<std::string, objects::ResourceFlavor, std::less<>>;

// What has to change for an admitted Job to start: selectors, tolerations, labels, annotations,
// count, unsuspended.
// Errors: NotFound - a flavor is missing, it may still come; Invalid - it can never start: an
// injected key is there already with another value, or the pod sets do not match.
Outcome<objects::JobChange> start_change(const objects::Job& job, const objects::Workload& workload,
                                         const FlavorsByName& flavors,
                                         const ReconcileSettings& settings);

// How many pods of the Job run under this admission.
std::int32_t admitted_count(const objects::Workload& workload);

// Brings the template of a stopped Job back to what it was when the Workload was made.
objects::JobChange restore_change(const objects::Job& job, const objects::Workload* workload);

// Pods that have still to end well before the Job is complete.
std::int32_t pods_left(const objects::Job& job);

// Pods whose quota is not needed any more; 0 if none.
std::int32_t reclaimable_pods(const objects::Job& job);

using jobs::queue_name;

}  // namespace quorate::controller
