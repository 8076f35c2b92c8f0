#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/pod_template.h"
#include "src/base/time.h"

namespace quorate::scheduler {

// Arguments of plugins; the defaults are kube-scheduler's.
struct FitArgs {
  enum class Strategy { LeastAllocated, MostAllocated, RequestedToCapacityRatio };
  Strategy strategy = Strategy::LeastAllocated;
  std::vector<std::pair<std::string, std::int64_t>> resources{{"cpu", 1}, {"memory", 1}};
  // RequestedToCapacityRatio: (utilization in percent, score 0..10), by utilization.
  std::vector<std::pair<std::int32_t, std::int32_t>> shape;
  std::vector<std::string> ignored_resources;        // extended resources that the filter skips
  std::vector<std::string> ignored_resource_groups;  // the same for all of <group>/...

  friend bool operator==(const FitArgs&, const FitArgs&) = default;
};

struct BalancedArgs {
  std::vector<std::string> resources{"cpu", "memory"};

  friend bool operator==(const BalancedArgs&, const BalancedArgs&) = default;
};

struct InterPodArgs {
  std::int64_t hard_weight = 1;  // hardPodAffinityWeight
  bool ignore_preferred_of_existing = false;

  friend bool operator==(const InterPodArgs&, const InterPodArgs&) = default;
};

struct PluginArgs {
  FitArgs fit;
  BalancedArgs balanced;
  InterPodArgs inter_pod;
  NodeAffinity added_affinity;  // NodeAffinityArgs.addedAffinity

  friend bool operator==(const PluginArgs&, const PluginArgs&) = default;
};

struct Profile {
  std::string scheduler_name = "quorate-scheduler";
  std::map<std::string, std::int64_t> score_weights;  // plugin -> weight; absent: default
  std::vector<std::string> disabled;                  // plugin names
  PluginArgs args;

  friend bool operator==(const Profile&, const Profile&) = default;
};

struct Config {
  std::vector<Profile> profiles = {Profile{}};
  Duration pod_initial_backoff = Duration::seconds(1);
  Duration pod_max_backoff = Duration::seconds(10);
  Duration bind_timeout = Duration::seconds(30);  // how long a half-bound gang is retried
  Duration bind_retry = Duration::millis(200);    // between tries of one failed bind
  Duration unschedulable_flush = Duration::seconds(300);
  // A pod whose backoff an event started is tried early when nothing else is queued.
  bool pop_from_backoff = true;
  // Work units (one node looked at for one member) that the search for a gang may spend after the
  // plain attempt failed and no bound proved the gang impossible.
  std::int64_t search_budget = 200'000;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace quorate::scheduler
