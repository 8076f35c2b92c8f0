#pragma once

#include <vector>

#include "controller/metrics/registry.h"

namespace quorate::controller {

// Every metric of the program: Kueue's names with Kueue's labels, and quorate_* ones.
std::vector<MetricFamily> metric_families();

}  // namespace quorate::controller
