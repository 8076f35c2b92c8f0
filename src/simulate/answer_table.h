#pragma once

#include <string>
#include <vector>

#include "src/simulate/answer.h"

namespace quorate::simulate {

// Rows as columns of equal width, two blanks between; the first row is the head.
std::string table(const std::vector<std::vector<std::string>>& rows);

// A run as people read it: what was admitted, what was preempted, what waits and why, and what the
// queues hold at the end.
std::string to_table(const Answer& answer);

}  // namespace quorate::simulate
