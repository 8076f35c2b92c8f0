#pragma once

#include <map>
#include <string>

#include "src/simulate/answer.h"

namespace quorate::simulate {

struct QueueShare {
  std::int64_t weighted = 0;  // as status.fairSharing.weightedShare shows it
  std::string resource;       // the dominant one; "" where nothing is borrowed
};

// The fair-sharing share of each ClusterQueue, from the quotas of `objects` and the usage.
std::map<std::string, QueueShare> shares_of(const Objects& objects,
                                            const FinalAnswer::Usage& usage);

}  // namespace quorate::simulate
