#pragma once

// What admission is told about the world: one value per object, as the API server last showed it.
// Values are complete (never patches), so applying one twice changes nothing.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fairshare/share.h"
#include "quota/spec.h"
#include "src/base/exact_quantity.h"
#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"
#include "topology/assignment.h"
#include "topology/request.h"

namespace quorate::admission {

enum class QueueingStrategy { BestEffortFifo, StrictFifo };
enum class StopPolicy { None, Hold, HoldAndDrain };
enum class PreemptionPolicy { Never, LowerPriority, LowerOrNewerEqualPriority, Any };
enum class FungibilityPolicy { MayStopSearch, TryNextFlavor };
enum class FungibilityPreference { BorrowingOverPreemption, PreemptionOverBorrowing };

struct FlavorSpec {
  std::string name;
  Labels node_labels;
  std::vector<Taint> node_taints;
  std::vector<Toleration> tolerations;
  std::string topology_name;  // "" if none

  friend bool operator==(const FlavorSpec&, const FlavorSpec&) = default;
};

struct TopologySpec {
  std::string name;
  std::vector<std::string> levels;  // node label keys, widest first

  friend bool operator==(const TopologySpec&, const TopologySpec&) = default;
};

struct AdmissionCheckRule {
  std::string check;
  std::vector<std::string> on_flavors;  // empty: all flavors

  friend bool operator==(const AdmissionCheckRule&, const AdmissionCheckRule&) = default;
};

struct BorrowWithinCohort {
  PreemptionPolicy policy = PreemptionPolicy::Never;  // Never or LowerPriority
  std::optional<std::int32_t> max_priority_threshold;

  friend bool operator==(const BorrowWithinCohort&, const BorrowWithinCohort&) = default;
};

// spec.concurrentAdmissionPolicy: a workload is queued as one variant for each flavor.
struct ConcurrentAdmission {
  bool retain_first = false;           // migration.mode RetainFirstAdmission
  std::string last_acceptable_flavor;  // to which a variant may migrate; "": any better one

  friend bool operator==(const ConcurrentAdmission&, const ConcurrentAdmission&) = default;
};

struct ClusterQueueSpec {
  std::string name;
  std::string uid;
  std::int64_t generation = 0;
  std::string cohort;  // "" if none
  std::vector<quota::ResourceGroup> resource_groups;
  std::optional<LabelSelector> namespace_selector;  // nullopt matches no namespace
  QueueingStrategy strategy = QueueingStrategy::BestEffortFifo;
  StopPolicy stop_policy = StopPolicy::None;
  FungibilityPolicy when_can_borrow = FungibilityPolicy::MayStopSearch;
  FungibilityPolicy when_can_preempt = FungibilityPolicy::TryNextFlavor;
  std::optional<FungibilityPreference> preference;
  PreemptionPolicy within_cluster_queue = PreemptionPolicy::Never;
  PreemptionPolicy reclaim_within_cohort = PreemptionPolicy::Never;
  BorrowWithinCohort borrow_within_cohort;
  std::int64_t fair_weight = fairshare::kWeightOne;
  std::vector<AdmissionCheckRule> admission_checks;
  bool terminating = false;
  bool by_usage = false;  // admissionMode UsageBasedAdmissionFairSharing
  std::optional<ConcurrentAdmission> concurrent_admission;
  // Whether a place is proven before one of its workloads starts; nullopt: as Config says.
  std::optional<bool> prove_placement;
  // Set where the object cannot be understood: the queue is inactive with this message, everything
  // else goes on.
  std::string defect;

  friend bool operator==(const ClusterQueueSpec&, const ClusterQueueSpec&) = default;
};

struct CohortSpec {
  std::string name;
  std::string parent;  // "" if none
  std::vector<quota::ResourceGroup> resource_groups;
  std::int64_t fair_weight = fairshare::kWeightOne;

  friend bool operator==(const CohortSpec&, const CohortSpec&) = default;
};

struct LocalQueueSpec {
  ObjectKey key;
  std::string uid;
  std::string cluster_queue;
  StopPolicy stop_policy = StopPolicy::None;
  std::int64_t fair_weight = fairshare::kWeightOne;
  bool terminating = false;
  ExactAmounts consumed;  // what its status says it consumed; counts when it is first seen

  friend bool operator==(const LocalQueueSpec&, const LocalQueueSpec&) = default;
};

struct AdmissionCheckSpec {
  std::string name;
  std::string controller_name;
  bool active = false;

  friend bool operator==(const AdmissionCheckSpec&, const AdmissionCheckSpec&) = default;
};

struct NamespaceSpec {
  std::string name;
  Labels labels;

  friend bool operator==(const NamespaceSpec&, const NamespaceSpec&) = default;
};

// spec.limits[] of one LimitRange, items of type Container and Pod only.
struct LimitRangeItem {
  bool for_pod = false;
  ResourceList max, min, default_limits, default_requests;

  friend bool operator==(const LimitRangeItem&, const LimitRangeItem&) = default;
};

struct LimitRangeSpec {
  ObjectKey key;
  std::vector<LimitRangeItem> items;

  friend bool operator==(const LimitRangeSpec&, const LimitRangeSpec&) = default;
};

struct RuntimeClassSpec {
  std::string name;
  ResourceList overhead;

  friend bool operator==(const RuntimeClassSpec&, const RuntimeClassSpec&) = default;
};

// spec.podSets[].topologyRequest.
struct TopologyRequest {
  std::string required_level;  // a node label key; at most one of required/preferred is set
  std::string preferred_level;
  bool unconstrained = false;
  std::string pod_index_label;
  std::string sub_group_index_label;
  std::optional<std::int32_t> sub_group_count;
  std::string pod_set_group;
  std::vector<topology::Layer> layers;  // slices, outermost first

  friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

struct PodSetSpec {
  std::string name;
  std::int32_t count = 0;
  std::optional<std::int32_t> min_count;
  std::shared_ptr<const PodTemplate> pod;  // never null
  std::optional<TopologyRequest> topology;
};

// status.admission.podSetAssignments[].topologyAssignment, expanded: pods by domain.
using TopologyAssignment = topology::Assignment;

// Whether a pod set's placement waits for the checks of its workload.
enum class DelayedTopology { None, Pending, Ready };

struct PodSetAssignment {
  std::string name;
  std::map<std::string, std::string> flavors;  // resource -> flavor
  ResourceList usage;                          // of all pods together
  std::int32_t count = 0;
  std::optional<TopologyAssignment> topology;
  DelayedTopology delayed = DelayedTopology::None;

  friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;
};

struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;

  friend bool operator==(const Admission&, const Admission&) = default;
};

enum class CheckState { Pending, Ready, Retry, Rejected };

// What a check adds to the pods of a pod set, as far as it decides where they can go.
struct PodSetUpdate {
  std::string pod_set;
  Labels node_selector;
  std::vector<Toleration> tolerations;

  friend bool operator==(const PodSetUpdate&, const PodSetUpdate&) = default;
};

struct CheckStatus {
  std::string name;
  CheckState state = CheckState::Pending;
  Time last_transition;
  std::optional<std::int32_t> requeue_after_seconds;
  std::string message;
  std::vector<PodSetUpdate> updates;

  friend bool operator==(const CheckStatus&, const CheckStatus&) = default;
};

// A condition as admission needs it: its state, reason and when it came to be.
struct ConditionView {
  enum class Status { True, False, Unknown };
  std::string type;
  Status status = Status::Unknown;
  std::string reason;
  std::string message;
  Time last_transition;

  friend bool operator==(const ConditionView&, const ConditionView&) = default;
};

// One of spec.preemptionGates with its state: while it is closed, nobody is preempted for the
// workload.
struct PreemptionGate {
  std::string name;
  bool open = false;
  Time last_transition;

  friend bool operator==(const PreemptionGate&, const PreemptionGate&) = default;
};

struct WorkloadSpec {
  ObjectKey key;
  std::string uid;
  std::int64_t generation = 0;
  std::string queue_name;  // LocalQueue in the workload's namespace
  std::int32_t priority = 0;
  std::int32_t priority_boost = 0;
  Time created;
  bool active = true;
  bool terminating = false;
  bool gated = false;    // annotation kueue.x-k8s.io/admission-gated-by has a value
  std::string gated_by;  // that value, for the message
  std::vector<PodSetSpec> pod_sets;
  std::map<std::string, std::int32_t> reclaimable_pods;  // by pod set

  // status as last seen
  std::optional<Admission> admission;  // present while QuotaReserved=True
  std::vector<ConditionView> conditions;
  std::vector<CheckStatus> checks;
  std::optional<Time> requeue_at;
  std::int32_t requeue_count = 0;
  std::optional<std::int32_t> max_execution_seconds;  // spec.maximumExecutionTimeSeconds
  std::int32_t past_execution_seconds = 0;            // of its earlier admissions together
  // The slice of the same job, smaller or larger, that it is to take the place of.
  std::optional<ObjectKey> replaces;
  std::vector<std::string> unhealthy_nodes;  // of its topology assignment

  // Concurrent admission. A parent is not queued, its variants are: workloads whose owner is it.
  bool parent_of_variants = false;
  std::vector<std::string> allowed_flavors;  // of a variant; empty: all
  std::vector<PreemptionGate> preemption_gates;

  // The object the workload stands for ("batch/v1", "Job", …); empty for a bare Workload.
  std::string owner_api_version, owner_kind, owner_name, owner_uid;

  const ConditionView* condition(std::string_view type) const;
  bool condition_true(std::string_view type) const;
  bool is_variant() const { return owner_kind == "Workload"; }
};

}  // namespace quorate::admission
