#pragma once

#include "src/objects/feature_gates.h"
#include "src/objects/field_error.h"
#include "src/objects/job.h"

namespace quorate::objects {

// What the validating webhook of Jobs refuses, in its order and words. `before` is the Job that an
// update replaces, nullptr on a create; `default_queue`: the namespace has a LocalQueue "default".
FieldErrors job_faults(const Job& job, const Job* before, const FeatureGates& gates,
                       bool default_queue);

// The topology annotations of one pod template of `count` pods; `path` is that of its annotations.
FieldErrors topology_faults(const Labels& annotations, const std::string& path, std::int32_t count,
                            const FeatureGates& gates);

// Whole numbers and booleans as Go reads them, with Go's words for what they are not.
Outcome<std::int64_t> go_atoi(std::string_view text);
Outcome<std::int32_t> go_int32(std::string_view text);
Outcome<bool> go_bool(std::string_view text);

}  // namespace quorate::objects
