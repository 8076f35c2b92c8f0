#pragma once

#include <span>

#include "src/scheduler/framework.h"

namespace quorate::scheduler {

// Every plugin there is, in the order in which they run.
std::span<const Plugin* const> registry();

}  // namespace quorate::scheduler
