#include <arpa/inet.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/objects/config_parts.h"
#include "src/objects/names.h"

namespace quorate::objects {
namespace {

using Kind = FieldError::Kind;

constexpr const char* kNegative = "must be greater than or equal to 0";
// Sorted, as they are listed in messages.
constexpr std::string_view kFrameworks[] = {"batch/job",
                                            "deployment",
                                            "jobset.x-k8s.io/jobset",
                                            "kubeflow.org/jaxjob",
                                            "kubeflow.org/mpijob",
                                            "kubeflow.org/paddlejob",
                                            "kubeflow.org/pytorchjob",
                                            "kubeflow.org/tfjob",
                                            "kubeflow.org/xgboostjob",
                                            "leaderworkerset.x-k8s.io/leaderworkerset",
                                            "pod",
                                            "ray.io/raycluster",
                                            "ray.io/rayjob",
                                            "ray.io/rayservice",
                                            "sparkoperator.k8s.io/sparkapplication",
                                            "statefulset",
                                            "trainer.kubeflow.org/trainjob",
                                            "workload.codeflare.dev/appwrapper"};

template <class Names>
std::string supported(const Names& names) {
  std::string text = "supported values: ";
  bool first = true;
  for (const std::string_view name : names) {
    text += (first ? "" : ", ") + quoted(name);
    first = false;
  }
  return text;
}

void not_negative(const std::string& path, Duration duration, FieldErrors& errors) {
  if (duration.nanos < 0) {
    errors.push_back({path, Kind::Invalid, std::to_string(duration.nanos), kNegative});
  }
}
void not_negative(const std::string& path, std::int64_t number, FieldErrors& errors) {
  if (number < 0) errors.push_back({path, Kind::Invalid, std::to_string(number), kNegative});
}

void wait_faults(const WaitForPodsReady& wait, FieldErrors& errors) {
  const std::string path = "waitForPodsReady";
  not_negative(path + ".timeout", wait.timeout, errors);
  not_negative(path + ".recoveryTimeout", wait.recovery_timeout, errors);
  const std::string requeue = path + ".requeuingStrategy";
  constexpr std::string_view kTimestamps[] = {"Creation", "Eviction"};
  if (std::ranges::find(kTimestamps, wait.requeuing_timestamp) == std::end(kTimestamps)) {
    errors.push_back({requeue + ".timestamp", Kind::NotSupported, quoted(wait.requeuing_timestamp),
                      supported(kTimestamps)});
  }
  not_negative(requeue + ".backoffLimitCount", wait.backoff_limit_count.value_or(0), errors);
  not_negative(requeue + ".backoffBaseSeconds", wait.backoff_base_seconds, errors);
  not_negative(requeue + ".backoffMaxSeconds", wait.backoff_max_seconds, errors);
}

// "Kind.version.group.com": a kind, a version and a group of at least one part.
bool is_kind_argument(std::string_view text) {
  const std::size_t first = text.find('.');
  if (first == std::string_view::npos || first == 0) return false;
  const std::size_t second = text.find('.', first + 1);
  return second != std::string_view::npos && second > first + 1 && second + 1 < text.size();
}

void integration_faults(const Configuration& config, FieldErrors& errors) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < config.frameworks.size(); ++i) {
    const std::string& name = config.frameworks[i];
    const std::string path = "integrations.frameworks[" + std::to_string(i) + "]";
    if (std::ranges::find(kFrameworks, name) == std::end(kFrameworks)) {
      errors.push_back({path, Kind::NotSupported, quoted(name), supported(kFrameworks)});
    }
    if (!seen.insert(name).second) errors.push_back({path, Kind::Duplicate, quoted(name), ""});
  }
  for (std::size_t i = 0; i < config.external_frameworks.size(); ++i) {
    const std::string& name = config.external_frameworks[i];
    const std::string path = "integrations.externalFrameworks[" + std::to_string(i) + "]";
    if (!is_kind_argument(name)) {
      errors.push_back(
          {path, Kind::Invalid, quoted(name), "must be format, 'Kind.version.group.com'"});
    } else if (!seen.insert(name).second) {
      errors.push_back({path, Kind::Duplicate, quoted(name), ""});
    }
  }
}

void sharing_faults(const Configuration& config, FieldErrors& errors) {
  if (!config.admission_fair_sharing) return;
  const AdmissionFairSharing& sharing = *config.admission_fair_sharing;
  not_negative("admissionFairSharing.usageHalfLifeTime", sharing.usage_half_life, errors);
  if (sharing.usage_sampling_interval.nanos <= 0) {
    errors.push_back({"admissionFairSharing.usageSamplingInterval", Kind::Invalid,
                      std::to_string(sharing.usage_half_life.nanos), "must be greater than 0"});
  }
  for (const auto& [resource, weight] : sharing.resource_weights) {
    if (weight < 0) {
      errors.push_back({"admissionFairSharing.resourceWeights[" + resource + "]", Kind::Invalid,
                        std::to_string(weight), kNegative});
    }
  }
}

void namespace_faults(const Configuration& config, FieldErrors& errors) {
  const std::string path = "managedJobsNamespaceSelector";
  const std::size_t before = errors.size();
  for (const Requirement& each : config.managed_jobs_namespaces.requirements) {
    for (const std::string& fault : label_key_faults(each.key)) {
      errors.push_back({path, Kind::Invalid, quoted(each.key), fault});
    }
    const bool lists = each.op == Requirement::Op::In || each.op == Requirement::Op::NotIn;
    if (each.op == Requirement::Op::Gt || each.op == Requirement::Op::Lt) {
      errors.push_back({path, Kind::Invalid, quoted(each.key), "not a valid selector operator"});
    } else if (lists == each.values.empty()) {
      errors.push_back({path, Kind::Invalid, quoted(each.key),
                        lists ? "for 'in', 'notin' operators, values set can't be empty"
                              : "values set must be empty for exists and does not exist"});
    }
  }
  if (errors.size() > before) return;
  for (const std::string& ns : {std::string("kube-system"), config.ns}) {
    const Labels labels{{std::string(names::kNamespaceName), ns}};
    if (config.managed_jobs_namespaces.matches(labels)) {
      errors.push_back({path, Kind::Invalid, "", "should not match the \"" + ns + "\" namespace"});
    }
  }
}

bool is_ip(const std::string& text) {
  unsigned char address[16];
  return inet_pton(AF_INET, text.c_str(), address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address) == 1;
}

}  // namespace

FieldErrors validate_metrics(const MetricsConfig& metrics) {
  FieldErrors errors;
  const std::string root = "metrics.customLabels";
  const auto& all = metrics.custom_labels;
  if (all.size() > 20) {
    errors.push_back(
        {root, Kind::TooMany, std::to_string(all.size()), "must have at most 20 items"});
  }
  std::map<std::string, std::size_t> by_kind;
  for (const CustomMetricLabel& label : all) ++by_kind[label.source_kind];
  for (const auto& [kind, count] : by_kind) {
    const bool known = kind == "Cohort" || kind == "LocalQueue" || kind == "ClusterQueue";
    const std::size_t most = kind == "Workload" ? 2 : 6;
    if (!known && kind != "Workload") {
      errors.push_back({root, Kind::Invalid, quoted(kind), "unknown source kind: " + kind});
    } else if (count > most) {
      errors.push_back({root, Kind::Invalid, std::to_string(count),
                        "too many custom labels for source kind " + kind + ": found " +
                            std::to_string(count) + ", expected <= " + std::to_string(most)});
    }
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CustomMetricLabel& label = all[i];
    const std::string path = root + "[" + std::to_string(i) + "]";
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto inner = [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); };
    if (label.name.empty() || !letter(label.name.front()) ||
        !std::ranges::all_of(label.name, inner)) {
      errors.push_back({path + ".name", Kind::Invalid, quoted(label.name),
                        "must match ^[a-zA-Z][a-zA-Z0-9_]*$"});
    }
    if (!seen.insert(label.name).second) {
      errors.push_back({path + ".name", Kind::Duplicate, quoted(label.name), ""});
    }
    if (!label.label_key.empty() && !label.annotation_key.empty()) {
      errors.push_back({path, Kind::Invalid, quoted(label.name),
                        "sourceLabelKey and sourceAnnotationKey are mutually exclusive"});
    }
    const auto key = [&](const char* field, const std::string& value) {
      for (const std::string& fault : label_key_faults(value)) {
        errors.push_back({path + field, Kind::Invalid, quoted(value), fault});
      }
    };
    if (!label.label_key.empty()) key(".sourceLabelKey", label.label_key);
    if (!label.annotation_key.empty()) key(".sourceAnnotationKey", label.annotation_key);
    if (label.label_key.empty() && label.annotation_key.empty()) key(".name", label.name);

    const std::size_t tracked = label.tracked_values.size();
    const std::string values = path + ".trackedValues";
    if (label.source_kind == "Workload" && tracked == 0) {
      errors.push_back(
          {values, Kind::Invalid, "0", "must not be empty when sourceKind is 'Workload'"});
    } else if (label.source_kind == "Workload" && tracked > 12) {
      errors.push_back({values, Kind::Invalid, std::to_string(tracked),
                        "must not be greater than 12 when sourceKind is 'Workload'"});
    } else if (tracked > 16) {
      errors.push_back(
          {values, Kind::TooMany, std::to_string(tracked), "must have at most 16 items"});
    }
    if (std::set(label.tracked_values.begin(), label.tracked_values.end()).size() != tracked) {
      errors.push_back(
          {values, Kind::Invalid, std::to_string(tracked), "must not contain duplicates"});
    }
  }
  return errors;
}

FieldErrors validate(const Configuration& config, FieldErrors early) {
  FieldErrors errors;
  const auto add = [&](FieldErrors more) { std::ranges::move(more, std::back_inserter(errors)); };
  const auto add_early = [&](std::string_view section) {
    for (const FieldError& error : early) {
      if (error.path.starts_with(section)) errors.push_back(error);
    }
  };
  if (config.wait_for_pods_ready && !config.gates.enabled("DisableWaitForPodsReady")) {
    wait_faults(*config.wait_for_pods_ready, errors);
  }
  integration_faults(config, errors);
  add(validate_multi_kueue(config.multi_kueue));
  add_early("fairSharing");
  add_early("placementVerification");
  sharing_faults(config, errors);
  if (config.internal_certs) {
    const std::string path = "internalCertManagement";
    for (const std::string& fault : dns1035_label_faults(config.webhook_service_name)) {
      errors.push_back({path + ".webhookServiceName", Kind::Invalid,
                        quoted(config.webhook_service_name), fault});
    }
    for (const std::string& fault : dns_subdomain_faults(config.webhook_secret_name)) {
      errors.push_back(
          {path + ".webhookSecretName", Kind::Invalid, quoted(config.webhook_secret_name), fault});
    }
  }
  add_early("resources.transformations");
  add(validate_resources(config));
  namespace_faults(config, errors);
  const std::string retention = "objectRetentionPolicies.workloads";
  not_negative(retention + ".afterFinished", config.retain_finished.value_or(Duration{}), errors);
  not_negative(retention + ".afterDeactivatedByKueue",
               config.retain_deactivated.value_or(Duration{}), errors);
  if (config.tls) add(validate_tls(*config.tls));
  if (!is_ip(config.visibility_bind_address)) {
    errors.push_back({"visibilityServer.bindAddress", Kind::Invalid,
                      quoted(config.visibility_bind_address), "must be a valid IP address"});
  }
  if (config.visibility_bind_port < 1 || config.visibility_bind_port > 65535) {
    errors.push_back({"visibilityServer.bindPort", Kind::Invalid,
                      std::to_string(config.visibility_bind_port),
                      "must be a valid port number (1-65535)"});
  }
  add(validate_metrics(config.metrics));
  if (config.gates.enabled("QuotaCheckStrategy")) {
    const std::string path = "resources.quotaCheckStrategy";
    if (config.quota_check == QuotaCheck::IgnoreUndeclared &&
        !config.exclude_resource_prefixes.empty()) {
      errors.push_back({path, Kind::Invalid, quoted("IgnoreUndeclared"),
                        "excludeResourcePrefixes is not allowed when quotaCheckStrategy is "
                        "IgnoreUndeclared"});
    }
    add_early(path);
  }
  return errors;
}

}  // namespace quorate::objects
