#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/quantity.h"
#include "src/base/time.h"
#include "topology/request.h"

namespace quorate::admission {

// One entry of resources.transformations: `input` becomes the outputs, per unit, as exact decimals
// in thousandths of thousandths (nano units of the factor).
struct ResourceTransformation {
  std::string input;
  bool replace = false;
  std::map<std::string, std::string> outputs;  // resource -> factor, a Kubernetes quantity text
  std::string multiply_by;

  friend bool operator==(const ResourceTransformation&, const ResourceTransformation&) = default;
};

// waitForPodsReady: how long an admitted workload may take until its pods run, and what follows.
struct PodsReadyConfig {
  Duration timeout = Duration::seconds(1800);  // from Admitted
  std::optional<Duration> recovery_timeout;    // after a pod failed; nullopt: no limit
  bool block_admission = false;                // admit only while everybody is ready
  std::optional<std::int32_t> backoff_limit;   // so many evictions, then deactivation
  std::int32_t backoff_base_seconds = 60;
  std::int32_t backoff_max_seconds = 3600;

  friend bool operator==(const PodsReadyConfig&, const PodsReadyConfig&) = default;
};

enum class FairStrategy { LessThanOrEqualToFinalShare, LessThanInitialShare };

// Admission fair sharing: LocalQueues of one ClusterQueue take turns by what they used of late.
struct UsageSharing {
  Duration half_life;  // 0: usage is forgotten at once
  Duration sampling_interval = Duration::seconds(300);
  std::map<std::string, std::int64_t> resource_weights;  // in billionths; 1 where not named
  // Ask for wake-ups also while nothing waits, so that the status follows. A host without a status
  // to keep does without.
  bool sample_idle = true;

  friend bool operator==(const UsageSharing&, const UsageSharing&) = default;
};

// Topology-aware placement. The gates that these stand for are named behind them.
struct TopologyConfig {
  bool enabled = true;             // TopologyAwareScheduling
  topology::Profile profile;       // TASProfileMixed, TASBalancedPlacement, …
  bool shared_hosts = true;        // TASHandleOverlappingFlavors
  bool recompute_in_cycle = true;  // TASRecomputeAssignmentWithinSchedulingCycle
  bool replace_nodes = true;       // TASFailedNodeReplacement
  bool replace_fail_fast = true;   // TASFailedNodeReplacementFailFast
  bool skip_pod_owned = true;      // SkipReassignmentForPodOwnedWorkloads
  bool elastic = false;            // ElasticJobsViaWorkloadSlicesWithTAS

  friend bool operator==(const TopologyConfig&, const TopologyConfig&) = default;
};

struct Config {
  std::vector<std::string> exclude_resource_prefixes;
  std::vector<ResourceTransformation> transformations;
  bool ignore_undeclared_resources = false;  // quotaCheckStrategy IgnoreUndeclared
  bool requeue_by_creation = false;          // requeuingStrategy.timestamp Creation
  bool fair_sharing = false;
  bool equivalence_classes = true;
  bool prove_placement = true;  // ask the placement port where there is one
  bool elastic_slices = true;   // a workload may take the place of another slice of its job
  std::optional<PodsReadyConfig> pods_ready;  // nullopt: nobody waits for pods
  TopologyConfig topology;
  Duration move_back_batch = Duration::seconds(1);
  bool priority_boost = false;  // a workload's boost counts
  // Where two of a cycle want the same victims, the later is assigned anew without them.
  bool recompute_on_target_overlap = true;
  // A scan of flavors goes on behind the one that was lost to another workload of the cycle.
  bool keep_scan_progress = true;
  bool concurrent_admission = false;   // workloads may have variants
  bool preemption_gates = false;       // …and gates that keep them from preempting
  bool prioritize_preemptors = false;  // who has preempted comes first in the cycle

  // The rules of fair-sharing preemption, in the order in which they are tried.
  std::vector<FairStrategy> fair_strategies{FairStrategy::LessThanOrEqualToFinalShare,
                                            FairStrategy::LessThanInitialShare};
  bool non_borrowing_first = true;            // gate FairSharingPrioritizeNonBorrowing
  bool priority_within_cohort = true;         // gate PrioritySortingWithinCohort
  bool preempt_within_nominal = true;         // gate FairSharingPreemptWithinNominal
  std::optional<UsageSharing> usage_sharing;  // nullopt: off

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace quorate::admission
