#pragma once

// What a decision of admission makes of a Workload: the exact conditions, reasons and messages that
// readers of Kueue's API expect. The one place of it, for every host.

#include <optional>
#include <string>
#include <vector>

#include "admission/decision.h"
#include "src/base/time.h"
#include "src/objects/workload.h"

namespace quorate::translate {

// Ours, beside Kueue's: True while the workload waits. Its reason names the layer that stopped it,
// its message the comparison that failed, with the numbers.
inline constexpr std::string_view kWaitingCondition = "quorate.dev/Waiting";

// What a decision has to know beyond the Workload itself.
struct StatusContext {
  Time now;
  // Admission checks that the Workload has to pass now, sorted; nullopt leaves those that it has.
  std::optional<std::vector<std::string>> required_checks;
  bool say_layer = true;  // with kWaitingCondition
  // status.clusterName of the slice whose place it takes; "" for none.
  std::string replaced_cluster = {};
};

// Works the decision into the status of `workload`; nothing of its spec changes.
void write_decision(objects::Workload& workload, const admission::Decision& decision,
                    const StatusContext& context);

// The end of an eviction: the job is inactive, quota goes back, and the workload is queued again or
// held back, by the reason of its eviction.
void finish_eviction(objects::Workload& workload, Time now);

objects::Admission to_object(const admission::Admission& admission);

// The reason of an eviction as statistics and metrics count it, and its cause:
// "DeactivatedDueToX" is Deactivated with cause X.
struct EvictionClass {
  std::string reason, cause;
};
EvictionClass class_of(const admission::Evict& evict);

}  // namespace quorate::translate
