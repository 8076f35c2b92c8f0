#include "src/objects/scheduler_config.h"

#include <algorithm>
#include <array>
#include <set>

#include "src/objects/config_parts.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

constexpr std::string_view kPoints[] = {"preEnqueue",
                                        "queueSort",
                                        "preFilter",
                                        "filter",
                                        "postFilter",
                                        "preScore",
                                        "score",
                                        "reserve",
                                        "permit",
                                        "preBind",
                                        "bind",
                                        "postBind",
                                        "multiPoint",
                                        "placementGenerate",
                                        "placementFeasible",
                                        "placementScore",
                                        "podGroupPostFilter"};

// In the order in which they run.
constexpr std::string_view kPlugins[] = {
    "SchedulingGates",   "PrioritySort",      "NodeName",
    "NodeUnschedulable", "TaintToleration",   "NodeAffinity",
    "NodePorts",         "NodeResourcesFit",  "PodTopologySpread",
    "InterPodAffinity",  "DynamicResources",  "DeviceRemainder",
    "DefaultPreemption", "NodeResourcesBalancedAllocation", "DefaultBinder",
    "GangScheduling",    "TopologyPlacementGenerator",      "PodGroupPodsCount",
};
constexpr std::string_view kForeign[] = {
    "NodeDeclaredFeatures", "VolumeBinding", "VolumeRestrictions",
    "VolumeZone",       "NodeVolumeLimits",     "ImageLocality",
};

bool listed(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void read_resource_weights(Json list, StrictReader& strict, std::vector<ResourceWeight>& weights) {
  if (list.size() == 0) return;
  weights.clear();
  list.each([&](Json each) {
    strict.only(each, {"name", "weight"});
    const std::int64_t weight = each["weight"].int64();
    weights.push_back({each["name"].text(), weight == 0 ? 1 : weight});
  });
}

void read_fit_args(Json args, StrictReader& strict, FitArgs& fit) {
  strict.only(
      args, {"apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy"});
  fit.ignored_resources = args["ignoredResources"].texts();
  fit.ignored_resource_groups = args["ignoredResourceGroups"].texts();
  using Strategy = FitArgs::Strategy;
  static constexpr std::array<std::pair<std::string_view, Strategy>, 3> kStrategies{
      {{"LeastAllocated", Strategy::LeastAllocated},
       {"MostAllocated", Strategy::MostAllocated},
       {"RequestedToCapacityRatio", Strategy::RequestedToCapacityRatio}}};
  const Json scoring = args["scoringStrategy"];
  strict.only(scoring, {"type", "resources", "requestedToCapacityRatio"});
  fit.strategy = scoring["type"].choice(kStrategies).value_or(fit.strategy);
  read_resource_weights(scoring["resources"], strict, fit.resources);
  strict.only(scoring["requestedToCapacityRatio"], {"shape"});
  scoring["requestedToCapacityRatio"]["shape"].each([&](Json each) {
    strict.only(each, {"utilization", "score"});
    fit.shape.emplace_back(each["utilization"].int32(), each["score"].int32());
  });
}

// One reading of one document; collects what changes nothing here.
class Reader {
 public:
  explicit Reader(SchedulerConfiguration& config) : config_(config) {}

  void read(Json root) {
    strict.only(root, {"apiVersion", "kind", "parallelism", "leaderElection", "clientConnection",
                       "enableProfiling", "enableContentionProfiling", "percentageOfNodesToScore",
                       "podInitialBackoffSeconds", "podMaxBackoffSeconds", "profiles", "extenders",
                       "delayCacheUntilActive"});
    config_.parallelism = root["parallelism"].int32(config_.parallelism);
    config_.percentage_of_nodes_to_score =
        root["percentageOfNodesToScore"].int32(config_.percentage_of_nodes_to_score);
    config_.pod_initial_backoff =
        Duration::seconds(std::min<std::int64_t>(root["podInitialBackoffSeconds"].int64(1), kLong));
    config_.pod_max_backoff =
        Duration::seconds(std::min<std::int64_t>(root["podMaxBackoffSeconds"].int64(10), kLong));
    leader_election(root["leaderElection"]);
    const Json client = root["clientConnection"];
    strict.only(client, {"kubeconfig", "acceptContentTypes", "contentType", "qps", "burst"});
    config_.kubeconfig = client["kubeconfig"].text();
    config_.client_qps = client["qps"].maybe_number().value_or(config_.client_qps);
    config_.client_burst = client["burst"].int32(config_.client_burst);
    for (const char* field : {"acceptContentTypes", "contentType"}) unused(client[field]);
    for (const char* field :
         {"enableProfiling", "enableContentionProfiling", "extenders", "delayCacheUntilActive"}) {
      unused(root[field]);
    }
    if (root["profiles"].size() > 0) config_.profiles.clear();
    root["profiles"].each([&](Json each) { profile(each); });
  }

  StrictReader strict;

 private:
  static constexpr std::int64_t kLong = 1'000'000'000;  // seconds

  void unused(Json json) {
    if (json.present()) config_.without_effect.push_back(json.path());
  }

  void leader_election(Json json) {
    strict.only(json, {"leaderElect", "resourceName", "resourceLock", "resourceNamespace",
                       "leaseDuration", "renewDeadline", "retryPeriod"});
    config_.leader_election = read_leader_election(json, config_.leader_election);
    // Their default name is that of the stock scheduler's lease, which must never be ours.
    if (config_.leader_election.resource_name == "kube-scheduler") {
      config_.leader_election.resource_name = "quorate-scheduler";
    }
  }

  void profile(Json json) {
    strict.only(json, {"schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"});
    SchedulerProfile& profile = config_.profiles.emplace_back();
    if (const std::string name = json["schedulerName"].text(); !name.empty()) {
      profile.scheduler_name = name;
    }
    profile.percentage_of_nodes_to_score = json["percentageOfNodesToScore"].maybe_int32();
    json["plugins"].members([&](std::string_view point, Json set) {
      if (std::ranges::find(kPoints, point) == std::end(kPoints)) {
        strict.unknown.push_back(set.path());
        return;
      }
      plugin_set(set, profile.plugins[std::string(point)]);
    });
    std::set<std::string> configured;
    json["pluginConfig"].each([&](Json each) {
      strict.only(each, {"name", "args"});
      const std::string name = each["name"].required_text();
      if (!configured.insert(name).second) {
        strict.errors.push_back({each["name"].path(), Kind::Duplicate, quoted(name), ""});
      }
      known(each["name"], name);
      plugin_args(name, each["args"], profile);
    });
  }

  // Notes a fault if there is no plugin of that name.
  void known(Json at, const std::string& name) {
    if (listed(kPlugins, name) || listed(kForeign, name)) return;
    strict.errors.push_back({at.path(), Kind::Invalid, quoted(name), "no plugin has this name"});
  }

  void plugin_set(Json json, PluginSet& set) {
    strict.only(json, {"enabled", "disabled"});
    json["enabled"].each([&](Json each) {
      strict.only(each, {"name", "weight"});
      const std::string name = each["name"].required_text();
      set.enabled.push_back({name, each["weight"].int32()});
    });
    json["disabled"].each([&](Json each) {
      strict.only(each, {"name", "weight"});
      const std::string name = each["name"].required_text();
      set.disabled.push_back({name, each["weight"].int32()});
    });
  }

  void plugin_args(const std::string& name, Json args, SchedulerProfile& profile) {
    if (name == "NodeResourcesFit") {
      read_fit_args(args, strict, profile.fit);
    } else if (name == "NodeAffinity") {
      strict.only(args, {"apiVersion", "kind", "addedAffinity"});
      profile.added_affinity = read_node_affinity(args["addedAffinity"]);
    } else if (name == "NodeResourcesBalancedAllocation") {
      strict.only(args, {"apiVersion", "kind", "resources"});
      read_resource_weights(args["resources"], strict, profile.balanced_resources);
    } else if (name == "InterPodAffinity") {
      strict.only(args, {"apiVersion", "kind", "hardPodAffinityWeight",
                         "ignorePreferredTermsOfExistingPods"});
      profile.inter_pod.hard_pod_affinity_weight = args["hardPodAffinityWeight"].int32(1);
      profile.inter_pod.ignore_preferred_terms_of_existing_pods =
          args["ignorePreferredTermsOfExistingPods"].boolean();
    } else if (name == "VolumeBinding") {
      strict.only(args, {"apiVersion", "kind", "bindTimeoutSeconds", "shape"});
      profile.volume_bind_timeout_seconds = args["bindTimeoutSeconds"].maybe_int64();
      unused(args["shape"]);
    } else {
      unused(args);
    }
  }

  SchedulerConfiguration& config_;
};

void fit_faults(const std::string& path, const FitArgs& fit, FieldErrors& errors) {
  for (const ResourceWeight& each : fit.resources) {
    if (each.weight < 1 || each.weight > 100) {
      errors.push_back({path + ".scoringStrategy.resources", Kind::Invalid,
                        std::to_string(each.weight),
                        "resource weight of " + each.name + " should be in [1, 100]"});
    }
  }
  const std::string shape = path + ".scoringStrategy.requestedToCapacityRatio.shape";
  if (fit.strategy != FitArgs::Strategy::RequestedToCapacityRatio) return;
  if (fit.shape.empty()) {
    errors.push_back({shape, Kind::Required, "", "at least one point must be specified"});
  }
  for (std::size_t i = 0; i < fit.shape.size(); ++i) {
    const auto [utilization, score] = fit.shape[i];
    const std::string here = shape + "[" + std::to_string(i) + "]";
    if (utilization < 0 || utilization > 100) {
      errors.push_back({here + ".utilization", Kind::Invalid, std::to_string(utilization),
                        "not in valid range [0-100]"});
    } else if (i > 0 && utilization <= fit.shape[i - 1].first) {
      errors.push_back({here + ".utilization", Kind::Invalid, std::to_string(utilization),
                        "utilization values must be sorted in increasing order"});
    }
    if (score < 0 || score > 10) {
      errors.push_back(
          {here + ".score", Kind::Invalid, std::to_string(score), "not in valid range [0-10]"});
    }
  }
}

FieldErrors validate(const SchedulerConfiguration& config) {
  FieldErrors errors;
  const auto percent = [&](const std::string& path, std::int32_t value) {
    if (value < 0 || value > 100) {
      errors.push_back({path, Kind::Invalid, std::to_string(value), "not in valid range [0-100]"});
    }
  };
  if (config.parallelism <= 0) {
    errors.push_back({"parallelism", Kind::Invalid, std::to_string(config.parallelism),
                      "should be an integer value greater than zero"});
  }
  percent("percentageOfNodesToScore", config.percentage_of_nodes_to_score);
  if (config.pod_initial_backoff.nanos <= 0) {
    errors.push_back({"podInitialBackoffSeconds", Kind::Invalid,
                      std::to_string(config.pod_initial_backoff.nanos / 1'000'000'000),
                      "must be greater than 0"});
  }
  if (config.pod_max_backoff < config.pod_initial_backoff) {
    errors.push_back({"podMaxBackoffSeconds", Kind::Invalid,
                      std::to_string(config.pod_max_backoff.nanos / 1'000'000'000),
                      "must be greater than or equal to PodInitialBackoffSeconds"});
  }
  if (const LeaderElection& lease = config.leader_election; lease.leader_elect) {
    if (lease.lease_duration <= lease.renew_deadline) {
      errors.push_back({"leaderElection.leaseDuration", Kind::Invalid,
                        std::to_string(lease.lease_duration.nanos),
                        "LeaseDuration must be greater than RenewDeadline"});
    }
    if (lease.resource_lock != "leases") {
      errors.push_back({"leaderElection.resourceLock", Kind::Invalid, quoted(lease.resource_lock),
                        "resourceLock value must be \"leases\""});
    }
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < config.profiles.size(); ++i) {
    const SchedulerProfile& profile = config.profiles[i];
    const std::string path = "profiles[" + std::to_string(i) + "]";
    if (!names.insert(profile.scheduler_name).second) {
      errors.push_back(
          {path + ".schedulerName", Kind::Duplicate, quoted(profile.scheduler_name), ""});
    }
    percent(path + ".percentageOfNodesToScore", profile.percentage_of_nodes_to_score.value_or(0));
    for (const auto& [point, set] : profile.plugins) {
      for (const PluginRef& plugin : set.enabled) {
        if (plugin.weight < 0 || plugin.weight > 1'000'000) {
          errors.push_back({path + ".plugins." + point + ".enabled", Kind::Invalid,
                            std::to_string(plugin.weight),
                            "weight of " + plugin.name + " should be in [0, 1000000]"});
        }
      }
    }
    fit_faults(path + ".pluginConfig[NodeResourcesFit].args", profile.fit, errors);
    for (const ResourceWeight& each : profile.balanced_resources) {
      if (each.weight == 1) continue;
      errors.push_back({path + ".pluginConfig[NodeResourcesBalancedAllocation].args.resources",
                        Kind::Invalid, std::to_string(each.weight),
                        "resource weight of " + each.name + " should be 1"});
    }
    if (const std::int32_t weight = profile.inter_pod.hard_pod_affinity_weight;
        weight < 0 || weight > 100) {
      errors.push_back({path + ".pluginConfig[InterPodAffinity].args.hardPodAffinityWeight",
                        Kind::Invalid, std::to_string(weight), "not in valid range [0-100]"});
    }
    if (profile.volume_bind_timeout_seconds.value_or(1) < 0) {
      errors.push_back({path + ".pluginConfig[VolumeBinding].args.bindTimeoutSeconds",
                        Kind::Invalid, std::to_string(*profile.volume_bind_timeout_seconds),
                        "invalid BindTimeoutSeconds, should not be a negative value"});
    }
  }
  return errors;
}

}  // namespace

std::span<const std::string_view> scheduler_plugins() { return kPlugins; }
std::span<const std::string_view> foreign_scheduler_plugins() { return kForeign; }

Outcome<SchedulerConfiguration> load_scheduler_configuration(std::string_view text) {
  SchedulerConfiguration config;
  JsonDocument document;
  const Outcome<bool> found = parse_configuration(
      text, document, {"kubescheduler.config.k8s.io/v1"}, "KubeSchedulerConfiguration");
  if (!found) return tl::unexpected(found.error());
  if (!*found) return config;
  Reader reader(config);
  reader.read(document.root());
  if (const Outcome<void> whole = strict_faults(document, reader.strict); !whole) {
    return tl::unexpected(whole.error());
  }
  FieldErrors errors = validate(config);
  std::ranges::copy(reader.strict.errors, std::back_inserter(errors));
  if (!errors.empty()) return error(Errc::Invalid, join(errors));
  return config;
}

}  // namespace quorate::objects
