#pragma once

#include <string>
#include <vector>

#include "src/scheduler/framework.h"

namespace quorate::scheduler {

// Every plugin there is, with the arguments of the profile, in the order in which they run.
Plugins make_plugins(const PluginArgs& args);

// Their names, in that order.
std::vector<std::string> plugin_names();

}  // namespace quorate::scheduler
