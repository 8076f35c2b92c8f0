// The two configuration documents.

#include <algorithm>
#include <array>
#include <set>

#include "src/scheduler/registry.h"
#include "src/translate/report.h"

namespace quorate::translate {
namespace {

constexpr std::string_view kEverywhere = "multiPoint";
constexpr std::string_view kScore = "score";

// A weight of the configuration file, nearest billionth; the largest number where it is beyond.
std::int64_t billionths(double weight) {
  constexpr double kMost = 9e18;
  const double scaled = weight * 1e9;
  if (!(scaled > 0)) return 0;
  return static_cast<std::int64_t>((scaled < kMost ? scaled : kMost) + 0.5);
}

bool names(const std::vector<objects::PluginRef>& list, std::string_view plugin) {
  return std::ranges::find(list, plugin, &objects::PluginRef::name) != list.end();
}

// Off by name, or off by "*" and not put back by name.
bool is_off(const objects::PluginSet& set, std::string_view plugin) {
  return names(set.disabled, plugin) || (names(set.disabled, "*") && !names(set.enabled, plugin));
}

scheduler::PluginArgs args_of(const objects::SchedulerProfile& from) {
  using From = objects::FitArgs::Strategy;
  using To = scheduler::FitArgs::Strategy;
  scheduler::PluginArgs to;
  switch (from.fit.strategy) {
    case From::LeastAllocated:
      to.fit.strategy = To::LeastAllocated;
      break;
    case From::MostAllocated:
      to.fit.strategy = To::MostAllocated;
      break;
    case From::RequestedToCapacityRatio:
      to.fit.strategy = To::RequestedToCapacityRatio;
      break;
  }
  to.fit.resources.clear();
  for (const objects::ResourceWeight& one : from.fit.resources) {
    to.fit.resources.emplace_back(one.name, one.weight);
  }
  to.fit.shape = from.fit.shape;
  to.fit.ignored_resources = from.fit.ignored_resources;
  to.fit.ignored_resource_groups = from.fit.ignored_resource_groups;
  to.balanced.resources.clear();
  for (const objects::ResourceWeight& one : from.balanced_resources) {
    to.balanced.resources.push_back(one.name);
  }
  to.inter_pod.hard_weight = from.inter_pod.hard_pod_affinity_weight;
  to.inter_pod.ignore_preferred_of_existing =
      from.inter_pod.ignore_preferred_terms_of_existing_pods;
  to.added_affinity = from.added_affinity;
  return to;
}

scheduler::Profile profile_of(const objects::SchedulerProfile& from, const std::string& path,
                              Defects* defects) {
  scheduler::Profile to;
  to.scheduler_name = from.scheduler_name;
  const auto set_of = [&](std::string_view point) {
    const auto found = from.plugins.find(std::string(point));
    return found == from.plugins.end() ? objects::PluginSet{} : found->second;
  };
  const objects::PluginSet everywhere = set_of(kEverywhere);
  const objects::PluginSet score = set_of(kScore);
  for (const std::string& name : scheduler::plugin_names()) {
    if (is_off(everywhere, name)) {
      // Put back at a single point: there it runs.
      const bool back = std::ranges::any_of(
          from.plugins, [&](const auto& point) { return names(point.second.enabled, name); });
      if (!back) to.disabled.push_back(name);
    }
    if (is_off(score, name)) to.score_weights[name] = 0;
    for (const objects::PluginSet* set : {&everywhere, &score}) {
      const auto found = std::ranges::find(set->enabled, name, &objects::PluginRef::name);
      if (found != set->enabled.end() && found->weight > 0) to.score_weights[name] = found->weight;
    }
  }
  to.args = args_of(from);
  for (const auto& [point, set] : from.plugins) {
    if (point == kEverywhere || point == kScore || set.disabled.empty()) continue;
    report(defects, path + ".plugins." + point + ".disabled",
           "plugins are switched off as a whole (multiPoint) or for score only");
  }
  return to;
}

// The scheduler's own, as of 1.37.
constexpr std::array<std::string_view, 21> kStockPlugins = {"DefaultBinder",
                                                            "DefaultPreemption",
                                                            "DynamicResources",
                                                            "GangScheduling",
                                                            "ImageLocality",
                                                            "InterPodAffinity",
                                                            "NodeAffinity",
                                                            "NodeDeclaredFeatures",
                                                            "NodeName",
                                                            "NodePorts",
                                                            "NodeResourcesBalancedAllocation",
                                                            "NodeResourcesFit",
                                                            "NodeUnschedulable",
                                                            "NodeVolumeLimits",
                                                            "PodTopologySpread",
                                                            "PrioritySort",
                                                            "SchedulingGates",
                                                            "TaintToleration",
                                                            "VolumeBinding",
                                                            "VolumeRestrictions",
                                                            "VolumeZone"};

bool is_here(std::string_view name) {
  const std::vector<std::string> here = scheduler::plugin_names();
  return std::ranges::find(here, name) != here.end();
}

bool is_stock(std::string_view name) {
  return name == "*" || std::ranges::find(kStockPlugins, name) != kStockPlugins.end();
}

}  // namespace

Defects unknown_plugins(const objects::SchedulerConfiguration& config) {
  Defects unknown;
  for (std::size_t i = 0; i < config.profiles.size(); ++i) {
    for (const auto& [point, set] : config.profiles[i].plugins) {
      const std::string path = item("profiles", i) + ".plugins." + point;
      for (const objects::PluginRef& plugin : set.enabled) {
        if (is_here(plugin.name)) continue;
        report(&unknown, path + ".enabled", "there is no plugin \"" + plugin.name + "\"");
      }
      for (const objects::PluginRef& plugin : set.disabled) {
        if (is_here(plugin.name) || is_stock(plugin.name)) continue;
        report(&unknown, path + ".disabled", "there is no plugin \"" + plugin.name + "\"");
      }
    }
  }
  return unknown;
}

admission::Config to_config(const objects::Configuration& config) {
  admission::Config to;
  to.exclude_resource_prefixes = config.exclude_resource_prefixes;
  for (const objects::ResourceTransformation& one : config.transformations) {
    admission::ResourceTransformation& out = to.transformations.emplace_back();
    out.input = one.input;
    out.replace = one.replace;
    out.multiply_by = one.multiply_by;
    out.outputs = one.outputs;
  }
  to.ignore_undeclared_resources = config.quota_check == objects::QuotaCheck::IgnoreUndeclared;
  to.requeue_by_creation =
      config.wait_for_pods_ready && config.wait_for_pods_ready->requeuing_timestamp == "Creation";
  if (const auto& wait = config.wait_for_pods_ready) {
    admission::PodsReadyConfig& ready = to.pods_ready.emplace();
    ready.timeout = wait->timeout;
    if (wait->recovery_timeout > Duration{}) ready.recovery_timeout = wait->recovery_timeout;
    ready.block_admission = wait->block_admission;
    ready.backoff_limit = wait->backoff_limit_count;
    ready.backoff_base_seconds = wait->backoff_base_seconds;
    ready.backoff_max_seconds = wait->backoff_max_seconds;
  }
  to.prove_placement = config.placement_verification;
  to.elastic_slices = config.gates.enabled("ElasticJobsViaWorkloadSlices");
  to.fair_sharing = config.fair_sharing.has_value();
  if (config.fair_sharing && !config.fair_sharing->empty()) {
    to.fair_strategies.clear();
    for (const objects::FairShareStrategy one : *config.fair_sharing) {
      to.fair_strategies.push_back(one == objects::FairShareStrategy::LessThanInitialShare
                                       ? admission::FairStrategy::LessThanInitialShare
                                       : admission::FairStrategy::LessThanOrEqualToFinalShare);
    }
  }
  if (config.admission_fair_sharing && config.gates.enabled("AdmissionFairSharing")) {
    admission::UsageSharing& sharing = to.usage_sharing.emplace();
    sharing.half_life = config.admission_fair_sharing->usage_half_life;
    sharing.sampling_interval = config.admission_fair_sharing->usage_sampling_interval;
    for (const auto& [resource, weight] : config.admission_fair_sharing->resource_weights) {
      sharing.resource_weights[resource] = billionths(weight);
    }
  }
  to.non_borrowing_first = config.gates.enabled("FairSharingPrioritizeNonBorrowing");
  to.priority_within_cohort = config.gates.enabled("PrioritySortingWithinCohort");
  to.preempt_within_nominal = config.gates.enabled("FairSharingPreemptWithinNominal");
  to.equivalence_classes = config.gates.enabled("SchedulingEquivalenceHashing");
  to.priority_boost = config.gates.enabled("PriorityBoost");
  to.recompute_on_target_overlap =
      config.gates.enabled("RecomputeAssignmentUponPreemptionTargetsOverlap");
  to.keep_scan_progress = config.gates.enabled("FlavorFungibilityPreserveScanProgress");
  to.prioritize_preemptors = config.gates.enabled("PrioritizePreemptorWorkloads");
  const auto on = [&](std::string_view gate) { return config.gates.enabled(gate); };
  to.concurrent_admission = on("ConcurrentAdmission");
  to.preemption_gates = to.concurrent_admission || on("MultiKueueOrchestratedPreemption");
  to.topology.enabled = on("TopologyAwareScheduling");
  to.topology.profile = {on("TASProfileMixed"), on("TASBalancedPlacement"),
                         on("TASRespectNodeAffinityPreferred")};
  to.topology.shared_hosts = on("TASHandleOverlappingFlavors");
  to.topology.recompute_in_cycle = on("TASRecomputeAssignmentWithinSchedulingCycle");
  to.topology.replace_nodes = on("TASFailedNodeReplacement");
  to.topology.replace_fail_fast = on("TASFailedNodeReplacementFailFast");
  to.topology.skip_pod_owned = on("SkipReassignmentForPodOwnedWorkloads");
  to.topology.elastic = on("ElasticJobsViaWorkloadSlicesWithTAS");
  return to;
}

scheduler::Config to_config(const objects::SchedulerConfiguration& config, Defects* defects) {
  scheduler::Config to;
  to.profiles.clear();
  for (std::size_t i = 0; i < config.profiles.size(); ++i) {
    to.profiles.push_back(profile_of(config.profiles[i], item("profiles", i), defects));
  }
  to.pod_initial_backoff = config.pod_initial_backoff;
  to.pod_max_backoff = config.pod_max_backoff;
  for (const std::string& path : config.without_effect) {
    report(defects, path, "changes nothing here");
  }
  return to;
}

}  // namespace quorate::translate
