#pragma once

#include "src/simulate/command.h"

namespace quorate::simulate {

// --op place --nodes NODES.csv --pods PODS.csv: fills the nodes of an openb list with the pods of
// another until they have asked for as many GPUs as there are, in an order drawn from each seed,
// and prints for each score what part of the GPUs was given out: mean, least and most over the
// seeds. Column gpu_spec may be missing; gpu_milli of a pod without GPUs counts as 0.
int op_pack(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
