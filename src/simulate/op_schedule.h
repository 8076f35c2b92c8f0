#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "src/simulate/answer.h"
#include "src/simulate/command.h"
#include "src/simulate/inputs.h"
#include "src/simulate/run.h"

namespace quorate::simulate {

// --op schedule: runs admission over the inputs and prints what came of it.
int op_schedule(const Options& options, const Streams& streams);

// A run from its inputs to its answer. The listeners may be empty.
Answer run_inputs(const Inputs& inputs, SimulatedCluster& cluster,
                  const CycleListener& listener = {}, const MomentListener& moment = {},
                  Ending* ending = nullptr);

// The cluster that the inputs describe.
SimulatedCluster cluster_of(const Options& options, const Inputs& inputs,
                            std::function<void(engine::Record)> record = {});

// table, json or yaml: what was asked for, or what suits the output.
std::string format_of(const Options& options, const Streams& streams);
void print(const Answer& answer, const Options& options, const Streams& streams);

std::string hash_text(std::uint64_t hash);

}  // namespace quorate::simulate
