#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"
#include "src/objects/config.h"

// KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1).
namespace quorate::objects {

struct PluginRef {
  std::string name;         // "*" in a disabled list: all of the point's defaults
  std::int32_t weight = 0;  // 0: the plugin's default

  friend bool operator==(const PluginRef&, const PluginRef&) = default;
};

struct PluginSet {
  std::vector<PluginRef> enabled;
  std::vector<PluginRef> disabled;

  friend bool operator==(const PluginSet&, const PluginSet&) = default;
};

struct ResourceWeight {
  std::string name;
  std::int64_t weight = 1;

  friend bool operator==(const ResourceWeight&, const ResourceWeight&) = default;
};

// Args of the plugins that we have.
struct FitArgs {
  enum class Strategy { LeastAllocated, MostAllocated, RequestedToCapacityRatio };
  Strategy strategy = Strategy::LeastAllocated;
  std::vector<ResourceWeight> resources{{"cpu", 1}, {"memory", 1}};
  std::vector<std::pair<std::int32_t, std::int32_t>> shape;  // (utilization, score)
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;

  friend bool operator==(const FitArgs&, const FitArgs&) = default;
};

struct InterPodArgs {
  std::int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;

  friend bool operator==(const InterPodArgs&, const InterPodArgs&) = default;
};

struct SchedulerProfile {
  std::string scheduler_name = "quorate-scheduler";
  std::map<std::string, PluginSet> plugins;  // by extension point: "multiPoint", "filter", ...
  FitArgs fit;
  NodeAffinity added_affinity;  // NodeAffinityArgs.addedAffinity
  std::vector<ResourceWeight> balanced_resources{{"cpu", 1}, {"memory", 1}};
  InterPodArgs inter_pod;
  std::optional<std::int64_t> volume_bind_timeout_seconds;  // VolumeBindingArgs
  std::optional<std::int32_t> percentage_of_nodes_to_score;

  friend bool operator==(const SchedulerProfile&, const SchedulerProfile&) = default;
};

struct SchedulerConfiguration {
  std::vector<SchedulerProfile> profiles{SchedulerProfile{}};
  std::int32_t parallelism = 16;
  std::int32_t percentage_of_nodes_to_score = 0;  // 0: adaptive
  Duration pod_initial_backoff = Duration::seconds(1);
  Duration pod_max_backoff = Duration::seconds(10);
  LeaderElection leader_election{.resource_name = "quorate-scheduler"};
  double client_qps = 50;
  std::int32_t client_burst = 100;
  std::string kubeconfig;
  // Fields that the document sets and that change nothing here, by path, in document order.
  std::vector<std::string> without_effect;

  friend bool operator==(const SchedulerConfiguration&, const SchedulerConfiguration&) = default;
};

// The plugins that can have arguments: those of this scheduler, and those of kube-scheduler that it
// does not have (whose arguments change nothing).
std::span<const std::string_view> scheduler_plugins();
std::span<const std::string_view> foreign_scheduler_plugins();

// Reads, defaults and checks a document (YAML or JSON); empty text means all defaults.
// Errors: Invalid - all faults, joined; unknown and duplicate fields among them.
Outcome<SchedulerConfiguration> load_scheduler_configuration(std::string_view text);

}  // namespace quorate::objects
