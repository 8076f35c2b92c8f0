#pragma once

// The Workload by which a queue knows a batch/v1 Job. One derivation for all who need it: the
// controller, the simulation, and whoever looks a Job over before it exists.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/outcome.h"
#include "src/jobs/priority.h"
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
  bool elastic_jobs = true;
};

// Whether the Job may change its size while it runs: each size is a Workload, a slice, of its own.
bool is_elastic(const objects::Job& job, const DerivationSettings& settings);

// Name of the local queue, "" for none.
std::string queue_name(const objects::ObjectMeta& meta);

// spec.maximumExecutionTimeSeconds, from the Job's label.
std::optional<std::int32_t> time_limit(const objects::Job& job);

// The one pod set of the Job, as it is now. A minimum above the count, or of an elastic Job, is
// none. Errors: Invalid - its pod template cannot be understood.
Outcome<objects::PodSet> job_pod_set(const objects::Job& job, const DerivationSettings& settings);

// The Workload to create for the Job, named after its kind, name and uid; that of an elastic Job
// also after its generation.
// Errors: Invalid - its pod template cannot be understood.
Outcome<objects::Workload> workload_of(const objects::Job& job, const Priority& priority,
                                       const DerivationSettings& settings);

// The same, with the priority that the Job asks for.
// Errors: also NotFound - the Job names a priority class that does not exist.
Outcome<objects::Workload> workload_of(const objects::Job& job, const PriorityClasses& classes,
                                       const DerivationSettings& settings);

// Labels and annotations of the Job that ask for something and are not understood, one sentence for
// each; the Workload is derived as if they were not there.
std::vector<std::string> ignored_parts(const objects::Job& job, const DerivationSettings& settings);

}  // namespace quorate::jobs
