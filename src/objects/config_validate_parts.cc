#include "src/objects/config_parts.h"

#include <algorithm>
#include <set>

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

// Kinds that come with an adapter, lower-case, as "kind.version.group".
constexpr std::string_view kBuiltInAdapters[] = {"job.v1.batch",
                                                 "jobset.v1alpha2.jobset.x-k8s.io",
                                                 "mpijob.v2beta1.kubeflow.org",
                                                 "pytorchjob.v1.kubeflow.org",
                                                 "tfjob.v1.kubeflow.org",
                                                 "xgboostjob.v1.kubeflow.org",
                                                 "paddlejob.v1.kubeflow.org",
                                                 "jaxjob.v1.kubeflow.org",
                                                 "trainjob.v1alpha1.trainer.kubeflow.org",
                                                 "appwrapper.v1beta2.workload.codeflare.dev",
                                                 "rayjob.v1.ray.io",
                                                 "raycluster.v1.ray.io",
                                                 "rayservice.v1.ray.io",
                                                 "statefulset.v1.apps",
                                                 "leaderworkerset.v1.leaderworkerset.x-k8s.io"};

// TLS 1.2 suites by the names that Go gives them. Those of TLS 1.3 cannot be chosen.
constexpr std::string_view kCipherSuites[] = {"TLS_RSA_WITH_RC4_128_SHA",
                                              "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
                                              "TLS_RSA_WITH_AES_128_CBC_SHA",
                                              "TLS_RSA_WITH_AES_256_CBC_SHA",
                                              "TLS_RSA_WITH_AES_128_CBC_SHA256",
                                              "TLS_RSA_WITH_AES_128_GCM_SHA256",
                                              "TLS_RSA_WITH_AES_256_GCM_SHA384",
                                              "TLS_AES_128_GCM_SHA256",
                                              "TLS_AES_256_GCM_SHA384",
                                              "TLS_CHACHA20_POLY1305_SHA256",
                                              "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
                                              "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                                              "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
                                              "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
                                              "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
                                              "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                                              "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
                                              "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
                                              "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                                              "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                              "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                                              "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                                              "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
                                              "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                                              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
                                              "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"};

// IANA group numbers: P-256, P-384, P-521, X25519 and the hybrids with ML-KEM.
constexpr std::int32_t kCurves[] = {23, 24, 25, 29, 4587, 4588, 4589};

void provider_faults(const std::string& path, const ClusterProfileProvider& provider,
                     FieldErrors& errors) {
  const auto required = [&](const char* field, const std::string& value) {
    if (value.empty()) errors.push_back({path + field, Kind::Required, "", "must be specified"});
  };
  required(".name", provider.name);
  required(".execConfig.command", provider.command);
  required(".execConfig.apiVersion", provider.api_version);
  for (const std::string& name : provider.env_names) required(".execConfig.env.name", name);
  required(".execConfig.interactiveMode", provider.interactive_mode);
  constexpr std::string_view kModes[] = {"", "Always", "IfAvailable", "Never"};
  if (std::ranges::find(kModes, provider.interactive_mode) == std::end(kModes)) {
    errors.push_back({path + ".execConfig.interactiveMode", Kind::NotSupported,
                      quoted(provider.interactive_mode),
                      "supported values: \"Always\", \"IfAvailable\", \"Never\""});
  }
}

}  // namespace

FieldErrors validate_multi_kueue(const MultiKueueConfig& config) {
  FieldErrors errors;
  const auto not_negative = [&](const char* path, Duration duration) {
    if (duration.nanos < 0) {
      errors.push_back({path, Kind::Invalid, std::to_string(duration.nanos),
                        "must be greater than or equal to 0"});
    }
  };
  not_negative("multiKueue.gcInterval", config.gc_interval);
  not_negative("multiKueue.workerLostTimeout", config.worker_lost_timeout);
  for (const std::string& fault : label_value_faults(config.origin)) {
    errors.push_back({"multiKueue.origin", Kind::Invalid, quoted(config.origin), fault});
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < config.external_frameworks.size(); ++i) {
    const std::string& name = config.external_frameworks[i];
    const std::string path = "multiKueue.externalFrameworks[" + std::to_string(i) + "].name";
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const std::size_t first = lower.find('.');
    const std::size_t second = first == std::string::npos ? first : lower.find('.', first + 1);
    if (first == 0 || second == std::string::npos || second == first + 1 ||
        second + 1 == lower.size()) {
      errors.push_back(
          {path, Kind::Invalid, quoted(name), "must be in 'kind.version.group' format"});
    } else if (!seen.insert(lower).second) {
      errors.push_back({path, Kind::Duplicate, quoted(name), ""});
    } else if (std::ranges::find(kBuiltInAdapters, lower) != std::end(kBuiltInAdapters)) {
      errors.push_back(
          {path, Kind::Invalid, quoted(name), "conflicts with a built-in MultiKueue adapter"});
    }
  }
  const std::string profile = "multiKueue.clusterProfile";
  if (!config.access_providers.empty() && !config.credentials_providers.empty()) {
    errors.push_back({profile + ".credentialsProviders", Kind::Forbidden, "",
                      "must not be specified when accessProviders is specified"});
  }
  for (const ClusterProfileProvider& each : config.access_providers) {
    provider_faults(profile + ".accessProviders", each, errors);
  }
  for (const ClusterProfileProvider& each : config.credentials_providers) {
    provider_faults(profile + ".credentialsProviders", each, errors);
  }
  const std::string incremental = "multiKueue.incrementalDispatcherConfig";
  if (config.has_incremental_config &&
      config.dispatcher_name != "kueue.x-k8s.io/multikueue-dispatcher-incremental") {
    errors.push_back({incremental, Kind::Invalid, quoted(config.dispatcher_name),
                      "incrementalDispatcherConfig is only valid when dispatcherName is set to "
                      "the incremental dispatcher"});
  }
  if (config.step_size && *config.step_size < 1) {
    errors.push_back({incremental + ".stepSize", Kind::Invalid, std::to_string(*config.step_size),
                      "must be greater than or equal to 1"});
  }
  return errors;
}

FieldErrors validate_tls(const TlsConfig& config) {
  FieldErrors errors;
  if (config.min_version != "VersionTLS12" && config.min_version != "VersionTLS13") {
    errors.push_back({"tls", Kind::Invalid, quoted(config.min_version),
                      "invalid minVersion: supported are VersionTLS12 and VersionTLS13"});
  }
  for (const std::string& suite : config.cipher_suites) {
    if (std::ranges::find(kCipherSuites, suite) != std::end(kCipherSuites)) continue;
    errors.push_back({"tls", Kind::Invalid, quoted(suite),
                      "invalid cipher suites: no suite of that name is known"});
  }
  for (const std::int32_t curve : config.curve_preferences) {
    if (std::ranges::find(kCurves, curve) != std::end(kCurves)) continue;
    errors.push_back({"tls", Kind::Invalid, std::to_string(curve),
                      "invalid curve preferences: no group of that number is known"});
  }
  if (config.min_version == "VersionTLS13" && !config.cipher_suites.empty()) {
    errors.push_back({"tls.cipherSuites", Kind::Invalid,
                      std::to_string(config.cipher_suites.size()),
                      "may not be specified when `minVersion` is 'VersionTLS13'"});
  }
  return errors;
}

}  // namespace quorate::objects
