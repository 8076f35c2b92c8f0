#pragma once

#include "src/objects/field_error.h"
#include "src/objects/flavors.h"
#include "src/objects/queues.h"
#include "src/objects/workload.h"

// The rules of Kueue's schema, CEL and webhooks that decoding has not already enforced, for objects
// that did not come through an API server. Paths and details are the reference's.
namespace quorate::objects {

FieldErrors validate(const ClusterQueue& queue);
FieldErrors validate(const Cohort& cohort);
FieldErrors validate(const LocalQueue& queue);
FieldErrors validate(const ResourceFlavor& flavor);
FieldErrors validate(const Topology& topology);
FieldErrors validate(const AdmissionCheck& check);
FieldErrors validate(const WorkloadPriorityClass& priority_class);
FieldErrors validate(const Workload& workload);

}  // namespace quorate::objects
