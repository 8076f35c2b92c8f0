#pragma once

#include <string_view>

// Labels, annotations, finalizers and gates that are part of an API contract.
namespace quorate::objects::names {

inline constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kPriorityClass = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view kMaxExecTimeSeconds = "kueue.x-k8s.io/max-exec-time-seconds";
inline constexpr std::string_view kPrebuiltWorkload = "kueue.x-k8s.io/prebuilt-workload-name";
inline constexpr std::string_view kManaged = "kueue.x-k8s.io/managed";
inline constexpr std::string_view kPodSet = "kueue.x-k8s.io/podset";
inline constexpr std::string_view kClusterQueueName = "kueue.x-k8s.io/cluster-queue-name";
inline constexpr std::string_view kLocalQueueName = "kueue.x-k8s.io/local-queue-name";
inline constexpr std::string_view kJobUid = "kueue.x-k8s.io/job-uid";
inline constexpr std::string_view kWorkload = "kueue.x-k8s.io/workload";

inline constexpr std::string_view kAdmissionGatedBy = "kueue.x-k8s.io/admission-gated-by";
inline constexpr std::string_view kJobMinParallelism = "kueue.x-k8s.io/job-min-parallelism";
inline constexpr std::string_view kJobCompletionsEqualParallelism =
    "kueue.x-k8s.io/job-completions-equal-parallelism";
inline constexpr std::string_view kStopping = "kueue.x-k8s.io/stopping";
inline constexpr std::string_view kSliceReplacementFor =
    "kueue.x-k8s.io/workload-slice-replacement-for";
inline constexpr std::string_view kElasticJob = "kueue.x-k8s.io/elastic-job";
// Of a chain of slices, the name of the first one: on the Workloads and on their pods.
inline constexpr std::string_view kSliceName = "kueue.x-k8s.io/workload-slice-name";
inline constexpr std::string_view kPriorityBoost = "kueue.x-k8s.io/priority-boost";

inline constexpr std::string_view kRequiredTopology = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kPreferredTopology = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view kUnconstrainedTopology =
    "kueue.x-k8s.io/podset-unconstrained-topology";
inline constexpr std::string_view kSliceRequiredTopology =
    "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";
inline constexpr std::string_view kSliceConstraints =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";
inline constexpr std::string_view kPodSetGroupName = "kueue.x-k8s.io/podset-group-name";
inline constexpr std::string_view kPodIndexOffset = "kueue.x-k8s.io/pod-index-offset";

inline constexpr std::string_view kResourceInUse = "kueue.x-k8s.io/resource-in-use";  // finalizer
inline constexpr std::string_view kAdmissionGate = "kueue.x-k8s.io/admission";
inline constexpr std::string_view kTopologyGate = "kueue.x-k8s.io/topology";
inline constexpr std::string_view kElasticGate = "kueue.x-k8s.io/elastic-job";

// Pod link of the fallback PodGroup; the native one is spec.schedulingGroup.
inline constexpr std::string_view kFallbackPodGroup = "scheduling.x-k8s.io/pod-group";
// On a Job: the name of its PodGroup, where the webhook had to draw one.
inline constexpr std::string_view kJobPodGroup = "quorate.dev/pod-group";
// On a ClusterQueue: Enabled or Disabled, whether a place is proven before its workloads start.
inline constexpr std::string_view kPlacementVerification = "quorate.dev/placement-verification";
// On a fallback PodGroup: what only the native one has fields for.
inline constexpr std::string_view kGroupTopologyKey = "quorate.dev/topology-key";
inline constexpr std::string_view kGroupDisruptionMode =
    "quorate.dev/disruption-mode";  // single, all

// On a PodGroup of any version: the composites above it, the nearest first, as a JSON list of
// {name, minGroupCount, topologyKey, disruptionMode}; only the name is required.
inline constexpr std::string_view kCompositeGroups = "quorate.dev/composite-groups";

inline constexpr std::string_view kJobCompletionIndex = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

}  // namespace quorate::objects::names
