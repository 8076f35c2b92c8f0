#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "admission/spec.h"
#include "admission/views.h"

namespace quorate::admission {

// Whether a ClusterQueue can admit, with the reason and message of its condition Active.
// `missing_topology`: the topology that a flavor names and that is not there, or "".
ActiveView active_of(const ClusterQueueSpec& spec, bool in_cohort_cycle,
                     const std::function<bool(const std::string&)>& flavor_exists,
                     const std::function<std::string(const std::string&)>& missing_topology,
                     const std::map<std::string, AdmissionCheckSpec>& checks);

// True if the queue names a flavor or an admission check of that name.
bool refers_to(const ClusterQueueSpec& spec, const std::string& flavor_or_check);

// The checks that a workload of the queue must have, sorted: before it holds quota those that apply
// whatever the flavor; after, those of its flavors.
std::vector<std::string> required_checks(const ClusterQueueSpec& spec, const Admission* admission);

}  // namespace quorate::admission
