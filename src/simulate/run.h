#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/simulate/answer.h"
#include "src/simulate/cluster.h"
#include "src/simulate/scenario.h"
#include "src/simulate/trace.h"

namespace quorate::simulate {

struct RunLimits {
  std::optional<std::int64_t> cycles;  // of admission in all, time standing still between them
  std::optional<Duration> until;       // of virtual time from the start; nullopt: until idle
};

// Hears of each cycle once it was carried out.
using CycleListener = std::function<void(const CycleAnswer&, const SimulatedCluster&)>;
// Hears of each moment once nothing more happens in it.
using MomentListener = std::function<void(const SimulatedCluster&)>;

// How a run ended.
enum class Ending {
  Idle,      // nothing can change any more
  Limit,     // the cycles or the time asked for are over
  Unsettled  // admission and eviction go round and round
};

// Lets a cluster run through the steps of a scenario (nullptr: none) and on until idle or the
// limits. Cycles that decide nothing are not told of, unless their number was asked for.
Ending run(SimulatedCluster& cluster, const Scenario* scenario, const RunLimits& limits,
           const CycleListener& listener, const MomentListener& moment = {});

// The same where jobs arrive one by one; a job that has finished is forgotten.
Ending run_arrivals(SimulatedCluster& cluster, std::vector<Arrival> arrivals,
                    const RunLimits& limits, const CycleListener& listener,
                    const MomentListener& moment = {});

}  // namespace quorate::simulate
