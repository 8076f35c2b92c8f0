#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/job.h"
#include "src/objects/meta.h"

namespace quorate::objects {

struct SliceConstraint {
  std::string topology;
  std::int32_t size = 0;

  friend bool operator==(const SliceConstraint&, const SliceConstraint&) = default;
};

struct TopologyRequest {
  std::optional<std::string> required;
  std::optional<std::string> preferred;
  std::optional<bool> unconstrained;
  std::optional<std::string> pod_index_label;
  std::optional<std::string> sub_group_index_label;
  std::optional<std::int32_t> sub_group_count;
  std::optional<std::string> pod_set_group_name;
  std::optional<std::string> slice_required_topology;
  std::optional<std::int32_t> slice_size;
  std::vector<SliceConstraint> slice_constraints;  // outermost first

  friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

struct PodSet {
  std::string name = "main";
  TemplateSource pod_template;
  std::int32_t count = 1;
  std::optional<std::int32_t> min_count;
  std::optional<TopologyRequest> topology;

  friend bool operator==(const PodSet&, const PodSet&) = default;
};

struct PriorityClassRef {
  std::string group;  // kueue.x-k8s.io or scheduling.k8s.io
  std::string kind;
  std::string name;

  friend bool operator==(const PriorityClassRef&, const PriorityClassRef&) = default;
};

struct TopologyDomain {
  std::vector<std::string> values;  // one per level
  std::int32_t count = 0;

  friend bool operator==(const TopologyDomain&, const TopologyDomain&) = default;
};

// Where the pods of a pod set go, in rank order. The API's slices are only an encoding of this.
struct TopologyAssignment {
  std::vector<std::string> levels;
  std::vector<TopologyDomain> domains;

  friend bool operator==(const TopologyAssignment&, const TopologyAssignment&) = default;
};

struct PodSetAssignment {
  std::string name = "main";
  std::map<std::string, std::string> flavors;  // by resource
  ResourceList usage;                          // for all pods of the set
  std::optional<std::int32_t> count;
  std::optional<TopologyAssignment> topology;
  std::string delayed_topology_request;  // "", Pending, Ready

  friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;
};

struct Admission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_sets;

  friend bool operator==(const Admission&, const Admission&) = default;
};

struct PodSetUpdate {
  std::string name;
  Labels labels;
  Labels annotations;
  Labels node_selector;
  std::vector<Toleration> tolerations;

  friend bool operator==(const PodSetUpdate&, const PodSetUpdate&) = default;
};

enum class CheckState { Pending, Ready, Retry, Rejected };

struct AdmissionCheckState {
  std::string name;
  CheckState state = CheckState::Pending;
  std::string message;
  Time last_transition;
  std::optional<std::int32_t> requeue_after_seconds;
  std::optional<std::int32_t> retry_count;
  std::vector<PodSetUpdate> pod_set_updates;

  friend bool operator==(const AdmissionCheckState&, const AdmissionCheckState&) = default;
};

struct RequeueState {
  std::optional<std::int32_t> count;
  std::optional<Time> requeue_at;

  friend bool operator==(const RequeueState&, const RequeueState&) = default;
};

struct ReclaimablePod {
  std::string name;
  std::int32_t count = 0;

  friend bool operator==(const ReclaimablePod&, const ReclaimablePod&) = default;
};

struct PodSetRequest {
  std::string name;
  ResourceList resources;

  friend bool operator==(const PodSetRequest&, const PodSetRequest&) = default;
};

struct EvictionCount {
  std::string reason;
  std::string underlying_cause;
  std::int32_t count = 0;

  friend bool operator==(const EvictionCount&, const EvictionCount&) = default;
};

struct PreemptionGateState {
  std::string name;
  bool open = false;
  Time last_transition;

  friend bool operator==(const PreemptionGateState&, const PreemptionGateState&) = default;
};

struct WorkloadStatus {
  std::vector<Condition> conditions;
  std::optional<Admission> admission;
  std::vector<AdmissionCheckState> admission_checks;
  std::optional<RequeueState> requeue;
  std::vector<ReclaimablePod> reclaimable_pods;
  std::vector<PodSetRequest> resource_requests;
  std::optional<std::int32_t> accumulated_past_execution_seconds;
  std::vector<EvictionCount> evictions;  // schedulingStats.evictions
  std::vector<std::string> unhealthy_nodes;
  std::vector<std::string> nominated_cluster_names;
  std::string cluster_name;
  std::vector<PreemptionGateState> preemption_gates;

  friend bool operator==(const WorkloadStatus&, const WorkloadStatus&) = default;
};

// kueue.x-k8s.io Workload.
struct Workload {
  ObjectMeta meta;
  bool active = true;
  std::string queue_name;
  std::vector<PodSet> pod_sets;
  std::optional<std::int32_t> priority;
  std::optional<PriorityClassRef> priority_class;
  std::optional<std::int32_t> maximum_execution_seconds;
  std::vector<std::string> preemption_gates;
  WorkloadStatus status;

  friend bool operator==(const Workload&, const Workload&) = default;
};

namespace conditions {
inline constexpr std::string_view kQuotaReserved = "QuotaReserved";
inline constexpr std::string_view kAdmitted = "Admitted";
inline constexpr std::string_view kPodsReady = "PodsReady";
inline constexpr std::string_view kEvicted = "Evicted";
inline constexpr std::string_view kPreempted = "Preempted";
inline constexpr std::string_view kRequeued = "Requeued";
inline constexpr std::string_view kFinished = "Finished";
inline constexpr std::string_view kDeactivationTarget = "DeactivationTarget";
inline constexpr std::string_view kWaitingForReplacementPods = "WaitingForReplacementPods";
inline constexpr std::string_view kBlockedOnPreemptionGates = "BlockedOnPreemptionGates";
inline constexpr std::string_view kActive = "Active";  // of queues and admission checks
}  // namespace conditions

}  // namespace quorate::objects
