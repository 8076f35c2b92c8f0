#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/outcome.h"
#include "src/objects/core_kinds.h"
#include "src/objects/flavors.h"
#include "src/objects/job.h"
#include "src/objects/workload.h"

namespace quorate::jobs {

// What of a configuration the derivation looks at.
struct DerivationSettings {
  std::vector<std::string> label_keys_to_copy;
  // Feature gates, by what they do.
  bool partial_admission = true;
  bool topology_aware = true;
  bool admission_gated_by = true;
  bool short_names = false;
};

// Where priorities come from.
struct PriorityClasses {
  std::map<std::string, std::int32_t, std::less<>> workload;  // WorkloadPriorityClasses
  std::map<std::string, std::int32_t, std::less<>> pod;       // PriorityClasses
  std::string pod_default;  // the default one; of several the smallest, then the first by name
};
PriorityClasses priority_classes(
    const std::map<ObjectKey, objects::WorkloadPriorityClass>& workload,
    const std::map<ObjectKey, objects::PriorityClass>& pod);

// The Workload by which a queue knows the Job.
// Errors: NotFound - the Job names a priority class that does not exist.
Outcome<objects::Workload> workload_of(const objects::Job& job, const PriorityClasses& classes,
                                       const DerivationSettings& settings);

}  // namespace quorate::jobs
