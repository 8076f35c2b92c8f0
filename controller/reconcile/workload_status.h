#pragma once

// What a decision of admission makes of a Workload's status.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admission/decision.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/objects/workload.h"
#include "src/translate/status.h"

namespace quorate::controller {

inline constexpr std::string_view kAdmissionManager = "kueue-admission";

using translate::kWaitingCondition;

// A decision of admission, the end of an eviction, what became of the nodes it was placed on, or
// what its family of variants came to.
using StatusChange =
    std::variant<admission::Decision, ReleaseQuota, RecordFailedNodes, FollowFamily>;

using translate::StatusContext;

// Works the change into the status of `workload`. A Workload that no object owns has no job to
// stop: its eviction releases it at once.
void apply(objects::Workload& workload, const StatusChange& change, const StatusContext& context);

// The part of the status that the admission's field manager owns, to be applied as a whole.
objects::WorkloadStatus admission_share(const objects::WorkloadStatus& status);

// Whether a write of `after` would tell readers anything new.
bool says_the_same(const objects::WorkloadStatus& before, const objects::WorkloadStatus& after);

const ObjectKey& workload_of(const StatusChange& change);
const std::string& uid_of(const StatusChange& change);

// Events to record once the change is written; `before` is the Workload as it was.
std::vector<kube::Event> events_of(const objects::Workload& before, const StatusChange& change,
                                   Time now);

// A decision for a Workload that holds quota, or is admitted, gives it other places, nothing else:
// what was told and counted then is not told and counted again.
bool held_quota(const objects::Workload& before);
bool was_admitted(const objects::Workload& before);
Time reserved_at(const objects::Workload& workload, Time now);  // now, if it holds none

// The eviction that failed nodes ask for; nullopt if they are only recorded.
std::optional<admission::Evict> eviction_of(const objects::Workload& workload,
                                            const RecordFailedNodes& record);

// When the workload last entered its queue: creation, or Requeued=True.
Time queued_at(const objects::Workload& workload);

}  // namespace quorate::controller
