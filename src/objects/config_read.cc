#include "src/objects/config_parts.h"
#include "src/objects/names.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

constexpr std::string_view kIncremental = "kueue.x-k8s.io/multikueue-dispatcher-incremental";

std::string text_or(Json json, std::string_view fallback) {
  std::string text = json.text();
  return text.empty() ? std::string(fallback) : text;
}

LabelSelector read_selector(Json json, StrictReader& strict) {
  strict.only(json, {"matchLabels", "matchExpressions"});
  json["matchExpressions"].each([&](Json each) {
    strict.only(each, {"key", "operator", "values"});
  });
  return read_label_selector(json);
}

void read_metrics(Json json, bool v1beta1, StrictReader& strict, MetricsConfig& metrics) {
  strict.only(json,
              {"bindAddress", "enableClusterQueueResources", "customLabels", "localQueueMetrics"});
  metrics.bind_address = text_or(json["bindAddress"], metrics.bind_address);
  metrics.cluster_queue_resources = json["enableClusterQueueResources"].boolean();
  json["customLabels"].each([&](Json each) {
    if (v1beta1) {
      strict.only(each, {"name", "sourceLabelKey", "sourceAnnotationKey"});
    } else {
      strict.only(each,
                  {"name", "sourceLabelKey", "sourceAnnotationKey", "sourceKind", "trackedValues"});
    }
    metrics.custom_labels.push_back({.name = each["name"].text(),
                                     .label_key = each["sourceLabelKey"].text(),
                                     .annotation_key = each["sourceAnnotationKey"].text(),
                                     .source_kind = text_or(each["sourceKind"], "ClusterQueue"),
                                     .tracked_values = each["trackedValues"].texts()});
  });
  const Json local = json["localQueueMetrics"];
  strict.only(local, {"enable", "localQueueSelector"});
  if (local.present()) metrics.local_queue_metrics = local["enable"].boolean();
  if (const Json selector = local["localQueueSelector"]; selector.present()) {
    metrics.local_queue_selector = read_selector(selector, strict);
  }
}

std::optional<WaitForPodsReady> read_wait(Json json, bool v1beta1, StrictReader& strict) {
  if (v1beta1) {
    strict.only(json,
                {"enable", "timeout", "blockAdmission", "requeuingStrategy", "recoveryTimeout"});
    if (!json["enable"].boolean()) return std::nullopt;
  } else {
    strict.only(json, {"timeout", "blockAdmission", "requeuingStrategy", "recoveryTimeout"});
  }
  WaitForPodsReady wait;
  const Duration fallback = v1beta1 ? Duration::seconds(300) : Duration::seconds(1800);
  wait.timeout = json["timeout"].maybe_duration().value_or(fallback);
  if (wait.timeout == Duration{}) wait.timeout = fallback;
  wait.block_admission = json["blockAdmission"].boolean(v1beta1);
  wait.recovery_timeout = json["recoveryTimeout"].maybe_duration().value_or(wait.timeout);
  const Json requeue = json["requeuingStrategy"];
  strict.only(requeue,
              {"timestamp", "backoffLimitCount", "backoffBaseSeconds", "backoffMaxSeconds"});
  wait.requeuing_timestamp = text_or(requeue["timestamp"], wait.requeuing_timestamp);
  wait.backoff_limit_count = requeue["backoffLimitCount"].maybe_int32();
  wait.backoff_base_seconds = requeue["backoffBaseSeconds"].int32(wait.backoff_base_seconds);
  wait.backoff_max_seconds = requeue["backoffMaxSeconds"].int32(wait.backoff_max_seconds);
  return wait;
}

void read_integrations(Json json, bool v1beta1, StrictReader& strict, Configuration& config) {
  if (v1beta1) {
    strict.only(json, {"frameworks", "externalFrameworks", "podOptions", "labelKeysToCopy"});
    strict.only(json["podOptions"], {"namespaceSelector", "podSelector"});
  } else {
    strict.only(json, {"frameworks", "externalFrameworks", "labelKeysToCopy"});
  }
  if (json["frameworks"].size() > 0) config.frameworks = json["frameworks"].texts();
  config.external_frameworks = json["externalFrameworks"].texts();
  config.label_keys_to_copy = json["labelKeysToCopy"].texts();
}

// One strategy, or both in this order.
std::vector<FairShareStrategy> read_strategies(Json json, StrictReader& strict) {
  using enum FairShareStrategy;
  const std::vector<std::string> names = json.texts();
  if (names == std::vector<std::string>{"LessThanOrEqualToFinalShare", "LessThanInitialShare"}) {
    return {LessThanOrEqualToFinalShare, LessThanInitialShare};
  }
  if (names == std::vector<std::string>{"LessThanOrEqualToFinalShare"}) {
    return {LessThanOrEqualToFinalShare};
  }
  if (names == std::vector<std::string>{"LessThanInitialShare"}) return {LessThanInitialShare};
  if (names.empty()) {
    strict.errors.push_back({json.path(), FieldError::Kind::Required, "", "must be specified"});
  } else {
    strict.not_supported(json, json.canonical(),
                         "supported values: [\"LessThanOrEqualToFinalShare\"], "
                         "[\"LessThanInitialShare\"], "
                         "[\"LessThanOrEqualToFinalShare\",\"LessThanInitialShare\"]");
  }
  return {};
}

void read_sharing(Json json, bool v1beta1, StrictReader& strict, Configuration& config) {
  const Json fair = json["fairSharing"];
  const Json strategies = fair["preemptionStrategies"];
  if (v1beta1) {
    strict.only(fair, {"enable", "preemptionStrategies"});
    if (fair["enable"].boolean()) {
      config.fair_sharing = {FairShareStrategy::LessThanOrEqualToFinalShare,
                             FairShareStrategy::LessThanInitialShare};
      if (strategies.size() > 0) config.fair_sharing = read_strategies(strategies, strict);
    }
  } else {
    strict.only(fair, {"preemptionStrategies"});
    if (fair.present()) config.fair_sharing = read_strategies(strategies, strict);
  }
  const Json usage = json["admissionFairSharing"];
  strict.only(usage, {"usageHalfLifeTime", "usageSamplingInterval", "resourceWeights"});
  if (!usage.present()) return;
  AdmissionFairSharing& sharing = config.admission_fair_sharing.emplace();
  sharing.usage_half_life = usage["usageHalfLifeTime"].maybe_duration().value_or(Duration{});
  const Duration interval = usage["usageSamplingInterval"].maybe_duration().value_or(Duration{});
  if (interval != Duration{}) sharing.usage_sampling_interval = interval;
  usage["resourceWeights"].members([&](std::string_view resource, Json weight) {
    sharing.resource_weights[std::string(resource)] = weight.maybe_number().value_or(1);
  });
}

void read_serving(Json json, StrictReader& strict, Configuration& config) {
  const Json webhook = json["webhook"];
  strict.only(webhook, {"port", "host", "certDir"});
  config.webhook_port = webhook["port"].int32(config.webhook_port);
  config.webhook_host = webhook["host"].text();
  config.webhook_cert_dir = text_or(webhook["certDir"], config.webhook_cert_dir);

  const Json health = json["health"];
  strict.only(health, {"healthProbeBindAddress", "readinessEndpointName", "livenessEndpointName"});
  config.health_bind_address =
      text_or(health["healthProbeBindAddress"], config.health_bind_address);
  config.readiness_endpoint = text_or(health["readinessEndpointName"], config.readiness_endpoint);
  config.liveness_endpoint = text_or(health["livenessEndpointName"], config.liveness_endpoint);
  config.pprof_bind_address = json["pprofBindAddress"].text();

  const Json certs = json["internalCertManagement"];
  strict.only(certs, {"enable", "webhookServiceName", "webhookSecretName"});
  config.internal_certs = certs["enable"].boolean(true);
  config.webhook_service_name =
      certs["webhookServiceName"].text(config.internal_certs ? config.webhook_service_name : "");
  config.webhook_secret_name =
      certs["webhookSecretName"].text(config.internal_certs ? config.webhook_secret_name : "");

  if (const Json tls = json["tls"]; tls.present()) {
    strict.only(tls, {"minVersion", "cipherSuites", "curvePreferences"});
    TlsConfig& options = config.tls.emplace();
    options.min_version = text_or(tls["minVersion"], options.min_version);
    options.cipher_suites = tls["cipherSuites"].texts();
    tls["curvePreferences"].each(
        [&](Json each) { options.curve_preferences.push_back(each.int32()); });
  }
}

}  // namespace

void read_multi_kueue(Json json, bool v1beta1, StrictReader& strict, MultiKueueConfig& config) {
  if (v1beta1) {
    strict.only(json, {"gcInterval", "origin", "workerLostTimeout", "dispatcherName",
                       "externalFrameworks"});
  } else {
    strict.only(json, {"gcInterval", "origin", "workerLostTimeout", "dispatcherName",
                       "externalFrameworks", "clusterProfile", "incrementalDispatcherConfig"});
  }
  config.gc_interval = json["gcInterval"].maybe_duration().value_or(config.gc_interval);
  config.origin = text_or(json["origin"], config.origin);
  config.worker_lost_timeout =
      json["workerLostTimeout"].maybe_duration().value_or(config.worker_lost_timeout);
  config.dispatcher_name = text_or(json["dispatcherName"], config.dispatcher_name);
  json["externalFrameworks"].each([&](Json each) {
    strict.only(each, {"name"});
    config.external_frameworks.push_back(each["name"].text());
  });
  const Json profile = json["clusterProfile"];
  strict.only(profile, {"accessProviders", "credentialsProviders"});
  const auto providers = [&](Json list, std::vector<ClusterProfileProvider>& all) {
    list.each([&](Json each) {
      strict.only(each, {"name", "execConfig"});
      const Json exec = each["execConfig"];
      ClusterProfileProvider& provider = all.emplace_back();
      provider.name = each["name"].text();
      provider.command = exec["command"].text();
      provider.api_version = exec["apiVersion"].text();
      provider.interactive_mode = exec["interactiveMode"].text();
      exec["env"].each([&](Json env) { provider.env_names.push_back(env["name"].text()); });
      provider.exec_config = exec.canonical();
    });
  };
  providers(profile["accessProviders"], config.access_providers);
  providers(profile["credentialsProviders"], config.credentials_providers);
  const Json incremental = json["incrementalDispatcherConfig"];
  strict.only(incremental, {"stepSize"});
  config.has_incremental_config = incremental.present();
  config.step_size = incremental["stepSize"].maybe_int32();
  if (config.dispatcher_name == kIncremental && !config.step_size) config.step_size = 3;
}

void read_configuration(Json json, bool v1beta1, StrictReader& strict, Configuration& config) {
  if (v1beta1) {
    strict.only(json, {"apiVersion",
                       "kind",
                       "namespace",
                       "webhook",
                       "leaderElection",
                       "metrics",
                       "health",
                       "pprofBindAddress",
                       "controller",
                       "tls",
                       "manageJobsWithoutQueueName",
                       "managedJobsNamespaceSelector",
                       "internalCertManagement",
                       "waitForPodsReady",
                       "clientConnection",
                       "integrations",
                       "multiKueue",
                       "fairSharing",
                       "admissionFairSharing",
                       "resources",
                       "featureGates",
                       "objectRetentionPolicies",
                       "queueVisibility"});
    strict.only(json["queueVisibility"], {"clusterQueues", "updateIntervalSeconds"});
    strict.only(json["queueVisibility"]["clusterQueues"], {"maxCount"});
  } else {
    strict.only(json, {"apiVersion",
                       "kind",
                       "namespace",
                       "webhook",
                       "leaderElection",
                       "metrics",
                       "health",
                       "pprofBindAddress",
                       "controller",
                       "tls",
                       "manageJobsWithoutQueueName",
                       "managedJobsNamespaceSelector",
                       "internalCertManagement",
                       "waitForPodsReady",
                       "clientConnection",
                       "integrations",
                       "multiKueue",
                       "fairSharing",
                       "admissionFairSharing",
                       "resources",
                       "featureGates",
                       "objectRetentionPolicies",
                       "placementVerification",
                       "visibilityServer"});
  }
  config.ns = text_or(json["namespace"], config.ns);
  strict.only(json["leaderElection"],
              {"leaderElect", "resourceName", "resourceLock", "resourceNamespace", "leaseDuration",
               "renewDeadline", "retryPeriod"});
  config.leader_election = read_leader_election(json["leaderElection"], {});
  read_serving(json, strict, config);
  read_metrics(json["metrics"], v1beta1, strict, config.metrics);

  const Json controller = json["controller"];
  strict.only(controller, {"groupKindConcurrency", "cacheSyncTimeout"});
  controller["groupKindConcurrency"].members([&](std::string_view kind, Json workers) {
    config.group_kind_concurrency[std::string(kind)] = workers.int32();
  });
  config.cache_sync_timeout =
      Duration{controller["cacheSyncTimeout"].int64(config.cache_sync_timeout.nanos)};

  config.manage_jobs_without_queue_name = json["manageJobsWithoutQueueName"].boolean();
  if (const Json selector = json["managedJobsNamespaceSelector"]; selector.present()) {
    config.managed_jobs_namespaces = read_selector(selector, strict);
  } else {
    config.managed_jobs_namespaces.requirements = {
        {std::string(names::kNamespaceName), Requirement::Op::NotIn, {"kube-system", config.ns}}};
  }
  config.wait_for_pods_ready = read_wait(json["waitForPodsReady"], v1beta1, strict);

  const Json client = json["clientConnection"];
  strict.only(client, {"qps", "burst"});
  config.client_qps = client["qps"].maybe_number().value_or(config.client_qps);
  config.client_burst = client["burst"].int32(config.client_burst);

  read_integrations(json["integrations"], v1beta1, strict, config);
  read_multi_kueue(json["multiKueue"], v1beta1, strict, config.multi_kueue);
  read_sharing(json, v1beta1, strict, config);
  read_resources(json["resources"], v1beta1, strict, config);

  strict.only(json["objectRetentionPolicies"], {"workloads"});
  const Json retention = json["objectRetentionPolicies"]["workloads"];
  strict.only(retention, {"afterFinished", "afterDeactivatedByKueue"});
  config.retain_finished = retention["afterFinished"].maybe_duration();
  config.retain_deactivated = retention["afterDeactivatedByKueue"].maybe_duration();

  if (const Json verify = json["placementVerification"]; verify.present()) {
    const std::string text = verify.text();
    config.placement_verification = text != "Disabled";
    if (text != "Enabled" && text != "Disabled") {
      strict.not_supported(verify, quoted(text), "supported values: \"Disabled\", \"Enabled\"");
    }
  }

  const Json visibility = json["visibilityServer"];
  strict.only(visibility, {"bindAddress", "bindPort"});
  config.visibility_bind_address =
      text_or(visibility["bindAddress"], config.visibility_bind_address);
  config.visibility_bind_port = visibility["bindPort"].int32(config.visibility_bind_port);
}

}  // namespace quorate::objects
