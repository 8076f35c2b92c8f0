#pragma once

#include <string>
#include <vector>

#include "src/simulate/answer.h"
#include "src/simulate/scenario.h"

namespace quorate::simulate {

// What of an expectation did not hold, a line each:
//   "- pending: team/d for WaitingForQuota"   expected and not there
//   "+ admitted: team/x"                      there and not expected
// Empty: all of it held.
//
// `admitted`: each named workload was admitted in the run or holds its admission at its end; no
// other that the run admitted still holds it. `preempted`: exactly these. `pending`: these wait at
// the end, and no other except those that were preempted. `finished`: exactly these ended in the
// run.
std::vector<std::string> differences(const Expectation& expect, const Answer& answer);

}  // namespace quorate::simulate
