#pragma once

// Who wants in, who may have to leave for it, and in which order they are taken. Classic and
// fair-sharing preemption choose from the same candidates in the same order.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/class_table.h"
#include "admission/facts.h"
#include "admission/topology_use.h"
#include "fairshare/usage_ledger.h"
#include "quota/cohort_tree.h"

namespace quorate::admission {

// Why a victim was chosen: the reason of its condition Preempted.
enum class PreemptionKind : std::uint8_t {
  InClusterQueue,
  InCohortReclamation,
  InCohortFairSharing,
  InCohortReclaimWhileBorrowing,
};
std::string_view kind_name(PreemptionKind kind);

// A workload that wants in and what it would be charged.
struct Preemptor {
  const Facts* facts = nullptr;
  quota::NodeId node;  // of its ClusterQueue
  const ClusterQueueSpec* spec = nullptr;
  quota::ResourceMap usage;                      // all of it
  std::vector<quota::FlavorResource> contested;  // where it is short: only holders of these leave
};

// A workload that holds quota. Points into the state, so it lives no longer than the cycle.
struct Candidate {
  WorkloadId workload;
  quota::NodeId node;  // of the ClusterQueue that it holds quota of
  const Facts* facts = nullptr;
  const quota::ResourceMap* usage = nullptr;
  const std::vector<TopologyUse>* places = nullptr;  // in topologies; nullptr: none
  bool evicted = false;                              // on its way out already
  Time reserved;                                     // when it got quota
  // With usage-based admission: its LocalQueue and how much that used, weighted. No value: not
  // known, or the ClusterQueue does not go by usage.
  std::string_view local_queue;
  std::optional<fairshare::RecentUsage> local_usage;
};

struct Target {
  Candidate victim;
  PreemptionKind kind = PreemptionKind::InClusterQueue;
};

// Lists the workloads that hold quota.
class Holders {
 public:
  virtual ~Holders() = default;
  // Calls `visit` for each holder of the ClusterQueue that may be preempted at all, in no
  // meaningful order. Nobody in a queue that is not active.
  virtual void each(quota::NodeId queue,
                    const std::function<void(const Candidate&)>& visit) const = 0;
};

// Whether `policy` lets the preemptor take the candidate, by priority and place in the queue.
bool allowed_by(PreemptionPolicy policy, const Facts& preemptor, const Facts& candidate);

// Whether the candidate holds something of what the preemptor is short of.
bool holds_contested(const Preemptor& preemptor, const Candidate& candidate);

// Whether the vertex uses more than its own quota in something of what the preemptor is short of.
bool over_quota(const quota::CohortTree& tree, quota::NodeId node, const Preemptor& preemptor);

// Candidates of one queue: those whom `policy` lets the preemptor take and whose leaving could help
// it. Cost: the holders of the queue.
void collect(const Holders& holders, quota::NodeId queue, PreemptionPolicy policy,
             const Preemptor& preemptor, std::vector<Candidate>& out);

// Who is taken first: who leaves anyway, other queues before the preemptor's own, (both of one
// ClusterQueue, but of different LocalQueues) the LocalQueue that used more, lower priority, later
// reservation; the uid makes the order total.
bool taken_before(const Candidate& a, const Candidate& b, quota::NodeId own_queue);
void sort_candidates(std::vector<Candidate>& candidates, quota::NodeId own_queue);

}  // namespace quorate::admission
