#pragma once

#include <cstdint>
#include <string_view>

#include "src/base/time.h"

namespace quorate::admission {

// How long a workload stays out of the queue after its nth eviction in a row (n >= 1):
// d(n) * (1 + r/10000) with d(1) = base and d(n+1) = 2*d(n), or max where that is more. The first
// delay is not capped. r in [0, 1) is drawn from `uid` and n, so that workloads which failed
// together do not all come back in the same instant, and a replay sees the same delays.
Duration requeue_delay(std::int32_t n, std::int32_t base_seconds, std::int32_t max_seconds,
                       std::string_view uid);

// Before the nth second pass of a workload: 1, 2, 4, 8, 16, 30, 30 … seconds.
Duration second_pass_delay(std::int32_t n);

}  // namespace quorate::admission
