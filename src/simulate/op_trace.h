#pragma once

#include "src/simulate/command.h"
#include "src/simulate/trace.h"

namespace quorate::simulate {

// `quorate simulate trace`: admission over a recorded load, and the figures of it.
int op_trace(const TraceOptions& trace, const Options& options, const Streams& streams);

}  // namespace quorate::simulate
