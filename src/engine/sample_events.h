#pragma once

// For tests: one event of every kind with every field set to something that is not its default.

#include <vector>

#include "src/engine/event.h"

namespace quorate::engine::samples {

PodTemplate sample_template();
admission::WorkloadSpec sample_workload();
cluster::PodSpec sample_pod();
std::vector<Event> one_of_each();

}  // namespace quorate::engine::samples
