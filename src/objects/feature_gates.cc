#include "src/objects/feature_gates.h"

#include <algorithm>
#include <array>

#include "src/base/check.h"

namespace quorate::objects {
namespace {

enum class Stage { Alpha, Beta, Ga, Deprecated };

struct Gate {
  std::string_view name;
  Stage stage;
  bool on;  // by default; a Ga gate is locked to it
  std::array<std::string_view, 2> needs{};
};

// Sorted by name.
// clang-format off
constexpr Gate kGates[] = {
    {"AdmissionFairSharing", Stage::Beta, true},
    {"AdmissionGatedBy", Stage::Beta, true},
    {"AssignQueueLabelsForPods", Stage::Beta, true},
    {"CleanupProvisioningRequestsOnEviction", Stage::Beta, true},
    {"ConcurrentAdmission", Stage::Alpha, false},
    {"CustomMetricLabels", Stage::Alpha, false},
    {"DeferRayServiceFinalizationForRedisCleanup", Stage::Beta, true},
    {"DisableWaitForPodsReady", Stage::Alpha, false},
    {"ElasticJobsViaWorkloadSlices", Stage::Beta, true},
    {"ElasticJobsViaWorkloadSlicesWithTAS", Stage::Alpha, false, {"ElasticJobsViaWorkloadSlices", "TopologyAwareScheduling"}},
    {"FailureRecoveryPolicy", Stage::Alpha, false},
    {"FairSharingPreemptWithinNominal", Stage::Beta, true},
    {"FairSharingPrioritizeNonBorrowing", Stage::Beta, true},
    {"FastQuotaReleaseInPodIntegration", Stage::Alpha, false},
    {"FinishOrphanedWorkloads", Stage::Beta, true},
    {"FlavorFungibility", Stage::Beta, true},
    {"FlavorFungibilityPreserveScanProgress", Stage::Beta, true, {"FlavorFungibility"}},
    {"KueueDRAIntegration", Stage::Beta, true},
    {"KueueDRAIntegrationConsumableCapacity", Stage::Alpha, false, {"KueueDRAIntegration"}},
    {"KueueDRAIntegrationExtendedResource", Stage::Beta, true, {"KueueDRAIntegration"}},
    {"KueueDRAIntegrationPartitionableDevices", Stage::Beta, true, {"KueueDRAIntegration"}},
    {"KueueDRARejectWorkloadsWhenDRADisabled", Stage::Beta, true},
    {"LWSImmutableGroupSize", Stage::Beta, true},
    {"LocalQueueMetrics", Stage::Beta, true},
    {"ManagedJobsNamespaceSelectorAlwaysRespected", Stage::Ga, true},
    {"MetricForWorkloadCreationLatency", Stage::Beta, true},
    {"MetricsForCohorts", Stage::Beta, true},
    {"MultiKueue", Stage::Beta, true},
    {"MultiKueueAdaptersForCustomJobs", Stage::Beta, true},
    {"MultiKueueClusterProfile", Stage::Alpha, false},
    {"MultiKueueIncrementalDispatcherConfig", Stage::Beta, true},
    {"MultiKueueIncrementalDispatcherRespectConfigOrder", Stage::Beta, true},
    {"MultiKueueKubeConfigPathValidation", Stage::Beta, true},
    {"MultiKueueManagerQuotaAutomation", Stage::Alpha, false},
    {"MultiKueueOrchestratedPreemption", Stage::Alpha, false},
    {"MultiKueueRemoteSpecSync", Stage::Beta, true},
    {"PartialAdmission", Stage::Beta, true},
    {"PodIntegrationValidateGroupOwner", Stage::Beta, true},
    {"PrioritizePreemptorWorkloads", Stage::Alpha, false},
    {"PriorityBoost", Stage::Alpha, false},
    {"PrioritySortingWithinCohort", Stage::Beta, true},
    {"QuotaCheckStrategy", Stage::Beta, true},
    {"ReclaimablePods", Stage::Beta, true},
    {"RecomputeAssignmentUponPreemptionTargetsOverlap", Stage::Beta, true},
    {"RejectUpdatesToCQWithInvalidOnFlavors", Stage::Alpha, false},
    {"RemoveFinalizersWithStrictPatch", Stage::Beta, true},
    {"SchedulerLibraryIntegration", Stage::Alpha, false},
    {"SchedulingEquivalenceHashing", Stage::Beta, true},
    {"ShortWorkloadNames", Stage::Alpha, false},
    {"SkipAncestorCheckForDeletedWorkloads", Stage::Beta, true},
    {"SkipReassignmentForPodOwnedWorkloads", Stage::Beta, true},
    {"SparkApplicationIntegration", Stage::Alpha, false},
    {"TASAssignmentsEncodingByHostnamePrefix", Stage::Beta, true},
    {"TASBalancedPlacement", Stage::Alpha, false, {"TopologyAwareScheduling"}},
    {"TASCacheNodeMatchResults", Stage::Beta, true},
    {"TASCacheTopologyTree", Stage::Beta, true},
    {"TASCachingRemainingResources", Stage::Beta, true},
    {"TASFailedNodeReplacement", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASFailedNodeReplacementFailFast", Stage::Beta, true, {"TopologyAwareScheduling", "TASFailedNodeReplacement"}},
    {"TASHandleOverlappingFlavors", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASMultiLayerTopology", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASProfileMixed", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASRecomputeAssignmentWithinSchedulingCycle", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASReplaceNodeDueToNotReadyOverFixedTime", Stage::Deprecated, false, {"TopologyAwareScheduling", "TASFailedNodeReplacement"}},
    {"TASReplaceNodeOnNodeTaints", Stage::Beta, true, {"TopologyAwareScheduling"}},
    {"TASReplaceNodeOnPodTermination", Stage::Beta, true, {"TopologyAwareScheduling", "TASFailedNodeReplacement"}},
    {"TASRespectNodeAffinityPreferred", Stage::Alpha, false, {"TopologyAwareScheduling"}},
    {"TASValidateWorkloadSliceSize", Stage::Beta, true},
    {"TLSOptions", Stage::Ga, true},
    {"TopologyAwareScheduling", Stage::Beta, true},
    {"UnadmittedWorkloadsExplicitStatus", Stage::Beta, false, {"UnadmittedWorkloadsObservability"}},
    {"UnadmittedWorkloadsObservability", Stage::Beta, true},
    {"ValidateRayAndSparkJobUpdates", Stage::Beta, true},
    {"VectorizedResourceRequests", Stage::Beta, true},
    {"VisibilityOnDemand", Stage::Beta, true},
    {"WorkloadIdentifierAnnotations", Stage::Beta, true},
    {"WorkloadPriorityClassDefaulting", Stage::Beta, true},
    {"WorkloadRequestUseMergePatch", Stage::Alpha, false},
    {"WorkloadValidateResourcesAreNonNegative", Stage::Beta, true},
    {"WorkloadValidationForPodSetMetadata", Stage::Beta, true},
};
// clang-format on
static_assert(std::ranges::is_sorted(kGates, {}, &Gate::name));

const Gate* find_gate(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kGates, name, {}, &Gate::name);
  return found != std::end(kGates) && found->name == name ? found : nullptr;
}

Outcome<bool> boolean(std::string_view text) {
  // What Go's flag library takes for a bool.
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return error(Errc::Invalid, "\"" + std::string(text) + "\" is neither true nor false");
}

}  // namespace

bool FeatureGates::known(std::string_view name) { return find_gate(name) != nullptr; }

bool FeatureGates::enabled(std::string_view name) const {
  if (const auto found = set_.find(name); found != set_.end()) return found->second;
  const Gate* gate = find_gate(name);
  check(gate != nullptr, "FeatureGates::enabled: no such gate");
  return gate->on;
}

Outcome<FeatureGates> FeatureGates::from(const std::map<std::string, bool>& wanted) {
  FeatureGates gates;
  const auto all_of = [&](std::string_view group, Stage stage) {
    const auto found = wanted.find(std::string(group));
    if (found == wanted.end()) return;
    for (const Gate& gate : kGates) {
      if (gate.stage == stage) gates.set_.insert_or_assign(std::string(gate.name), found->second);
    }
  };
  all_of("AllAlpha", Stage::Alpha);
  all_of("AllBeta", Stage::Beta);
  for (const auto& [name, on] : wanted) {
    if (name == "AllAlpha" || name == "AllBeta") continue;
    const Gate* gate = find_gate(name);
    if (gate == nullptr) return error(Errc::Invalid, "unrecognized feature gate: " + name);
    if (gate->stage == Stage::Ga && on != gate->on) {
      return error(Errc::Invalid, "cannot set feature gate " + name + " to " +
                                      (on ? "true" : "false") + ", feature is locked to " +
                                      (gate->on ? "true" : "false"));
    }
    gates.set_.insert_or_assign(name, on);
  }
  // What equals its default says nothing, so that equal settings are equal values.
  std::erase_if(gates.set_,
                [](const auto& each) { return find_gate(each.first)->on == each.second; });

  if (gates.enabled("TASProfileMixed") && !gates.enabled("TopologyAwareScheduling")) {
    return error(Errc::Invalid, "cannot use a TAS profile with TAS disabled");
  }
  for (const Gate& gate : kGates) {
    if (!gates.enabled(gate.name)) continue;
    for (const std::string_view need : gate.needs) {
      if (need.empty() || gates.enabled(need)) continue;
      return error(Errc::Invalid, std::string(gate.name) +
                                      " is enabled, but depends on features that are disabled: [" +
                                      std::string(need) + "]");
    }
  }
  return gates;
}

Outcome<std::map<std::string, bool>> FeatureGates::parse_flag(std::string_view flag) {
  std::map<std::string, bool> wanted;
  while (!flag.empty()) {
    const std::size_t comma = flag.find(',');
    const std::string_view item = flag.substr(0, comma);
    flag.remove_prefix(comma == std::string_view::npos ? flag.size() : comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return error(Errc::Invalid, "missing bool value for " + std::string(item));
    }
    const Outcome<bool> on = boolean(item.substr(equals + 1));
    if (!on) return within(item.substr(0, equals), on.error());
    wanted.insert_or_assign(std::string(item.substr(0, equals)), *on);
  }
  return wanted;
}

}  // namespace quorate::objects
