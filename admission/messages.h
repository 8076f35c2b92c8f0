#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/proof.h"
#include "admission/spec.h"

namespace quorate::admission {

// Why QuotaReserved is False; by severity where several flavors failed for different reasons.
enum class Reason {
  None,
  TopologyPlacementFailed,
  WaitingForQuota,
  ExceedsMaxQuota,
  NoMatchingFlavor,
  // not from flavors
  PendingEvaluation,
  WaitingForPreemptedWorkloads,
  Misconfigured,
  Suspended,
  WaitingForPodsReady,
  AdmissionGated,
  Deactivated,
};

// The reason of one failed comparison.
Reason reason_of(const Fact& fact);

// The one table from reasons and proofs to texts. Kueue's, to the letter: other programs parse
// them.
std::string reason_text(Reason reason);
// The message of the condition QuotaReserved=False.
std::string message_of(const Proof& proof);
// "queue", "quota", … as `explain`, metrics and answers name a layer.
std::string_view layer_text(Layer layer);
// Our own sentence with the numbers: "needs 4 gpu in flavor a100, 3 available in cohort research".
std::string explain(const Proof& proof);

// Of the conditions Evicted and Preempted of a victim. Paths run from the root of the tree to the
// ClusterQueue: "/company/team/queue"; an empty uid is "UNKNOWN".
std::string preempted_message(std::string_view kind, const std::string& uid,
                              const std::string& job_uid, const std::string& preemptor_path,
                              const std::string& victim_path);
// Of the condition Finished of a slice that another one took the place of.
std::string replaced_message(const std::string& uid, const std::string& job_uid);
// Of the eviction of a variant for a better one.
std::string migration_message(const std::string& uid);
// The checks in that state, as Kueue lists them: AdmissionCheck in Retry state: "a" (why). Empty if
// there are none.
std::string checks_in(const std::vector<CheckStatus>& checks, CheckState state);
// "" for a user's own wish, otherwise what deactivated it.
std::string deactivated_message(const std::string& cause);
// Of the condition Requeued=True with that reason.
std::string requeued_message(const std::string& reason);
std::string reserved_message(const std::string& cluster_queue);
inline constexpr const char* kAdmittedMessage = "The workload is admitted";
inline constexpr const char* kFailedChecksMessage = "The workload has failed admission checks";
inline constexpr const char* kPreemptionGatedMessage =
    "Workload requires preemption, but it's gated";
inline constexpr const char* kBypassedMessage =
    "Bypassed scheduling evaluation because an equivalent workload recently failed";

}  // namespace quorate::admission
