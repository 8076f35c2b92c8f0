#pragma once

#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/base/pod_template.h"
#include "src/objects/job.h"

namespace quorate::jobs {

// A Job's pod template as it stands in a Workload: without the labels that the Job controller adds,
// and of environment variables with one name only the last, because the Workload keeps them as a
// map.
// Errors: Invalid - the text is no pod template.
Outcome<objects::TemplateSource> workload_template(const objects::TemplateSource& of_job);

// A pod's scheduling shape written as a pod template: what decides where and when it may run, and
// nothing else. Equal shapes give equal texts.
std::string shape_text(const PodTemplate& pod);

}  // namespace quorate::jobs
