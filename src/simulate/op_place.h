#pragma once

#include "src/simulate/command.h"

namespace quorate::simulate {

// --op place: runs the scheduler over the pods of the input that have no node yet, and prints where
// each goes, or why it or its group does not.
int op_place(const Options& options, const Streams& streams);

}  // namespace quorate::simulate
