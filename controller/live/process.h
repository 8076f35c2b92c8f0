#pragma once

#include "controller/live/options.h"

namespace quorate::controller {

// Runs a controller or scheduler process until SIGTERM or SIGINT; its exit status.
//
// Call in the main thread before there are others, after http::init_process(). 0 after a signal;
// 1 with the cause in the log when it cannot start or has lost its lease.
int run_process(const ProcessOptions& options);

}  // namespace quorate::controller
