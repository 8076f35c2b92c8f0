#pragma once

#include "src/simulate/command.h"

namespace quorate::simulate {

// --op preempt-targets: whom the only pending workload of the input would preempt for the flavors
// of its annotation `quorate.dev/assume-flavors`: one cycle, `preempted` in the order in which the
// search took them. Nobody is evicted.
int op_preempt_targets(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
