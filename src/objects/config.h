#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/labels.h"
#include "src/base/outcome.h"
#include "src/base/time.h"
#include "src/objects/feature_gates.h"

// Kueue's Configuration document (config.kueue.x-k8s.io v1beta2 and v1beta1) as values with its
// defaults filled in.
namespace quorate::objects {

struct LeaderElection {
  bool leader_elect = true;
  std::string resource_name = "c1f6bfd2.kueue.x-k8s.io";
  std::string resource_lock = "leases";
  std::string resource_namespace;
  Duration lease_duration = Duration::seconds(15);
  Duration renew_deadline = Duration::seconds(10);
  Duration retry_period = Duration::seconds(2);
  friend bool operator==(const LeaderElection&, const LeaderElection&) = default;
};

struct CustomMetricLabel {
  std::string name;
  std::string label_key;       // sourceLabelKey
  std::string annotation_key;  // sourceAnnotationKey
  std::string source_kind = "ClusterQueue";
  std::vector<std::string> tracked_values;
  friend bool operator==(const CustomMetricLabel&, const CustomMetricLabel&) = default;
};

struct MetricsConfig {
  std::string bind_address = ":8443";  // "0" disables
  bool cluster_queue_resources = false;
  std::vector<CustomMetricLabel> custom_labels;
  bool local_queue_metrics = true;
  std::optional<LabelSelector> local_queue_selector;
  friend bool operator==(const MetricsConfig&, const MetricsConfig&) = default;
};

struct TlsConfig {
  std::string min_version = "VersionTLS12";
  std::vector<std::string> cipher_suites;
  std::vector<std::int32_t> curve_preferences;
  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

struct WaitForPodsReady {
  Duration timeout = Duration::seconds(1800);
  bool block_admission = false;
  Duration recovery_timeout = Duration::seconds(1800);  // 0: no limit
  std::string requeuing_timestamp = "Eviction";         // or Creation
  std::optional<std::int32_t> backoff_limit_count;      // nullopt: unlimited
  std::int32_t backoff_base_seconds = 60;
  std::int32_t backoff_max_seconds = 3600;
  friend bool operator==(const WaitForPodsReady&, const WaitForPodsReady&) = default;
};

struct ClusterProfileProvider {
  std::string name;
  std::string command;
  std::string api_version;
  std::string interactive_mode;
  std::vector<std::string> env_names;
  std::string exec_config;  // the whole, as JSON text
  friend bool operator==(const ClusterProfileProvider&, const ClusterProfileProvider&) = default;
};

struct MultiKueueConfig {
  Duration gc_interval = Duration::seconds(60);
  std::string origin = "multikueue";
  Duration worker_lost_timeout = Duration::seconds(900);
  std::string dispatcher_name = "kueue.x-k8s.io/multikueue-dispatcher-all-at-once";
  std::vector<std::string> external_frameworks;
  std::vector<ClusterProfileProvider> access_providers;
  std::vector<ClusterProfileProvider> credentials_providers;
  std::optional<std::int32_t> step_size;  // incrementalDispatcherConfig.stepSize
  bool has_incremental_config = false;
  friend bool operator==(const MultiKueueConfig&, const MultiKueueConfig&) = default;
};

enum class FairShareStrategy { LessThanOrEqualToFinalShare, LessThanInitialShare };

struct AdmissionFairSharing {
  Duration usage_half_life;
  Duration usage_sampling_interval = Duration::seconds(300);
  std::map<std::string, double> resource_weights;
  friend bool operator==(const AdmissionFairSharing&, const AdmissionFairSharing&) = default;
};

struct ResourceTransformation {
  std::string input;
  bool replace = false;  // strategy Replace; else Retain
  std::string multiply_by;
  std::map<std::string, std::string> outputs;  // per unit of input, a quantity as it was written
  friend bool operator==(const ResourceTransformation&, const ResourceTransformation&) = default;
};

struct DeviceSource {
  enum class Type { Counter, Capacity, None, Both };  // the last two are refused
  Type type = Type::None;
  std::string name;
  std::string driver;
  std::string expression;  // deviceSelector.cel.expression
  friend bool operator==(const DeviceSource&, const DeviceSource&) = default;
};

struct DeviceClassMapping {
  std::string name;
  std::vector<std::string> device_class_names;
  std::vector<DeviceSource> sources;
  friend bool operator==(const DeviceClassMapping&, const DeviceClassMapping&) = default;
};

enum class QuotaCheck { BlockUndeclared, IgnoreUndeclared };

struct Configuration {
  std::string ns = "kueue-system";

  std::int32_t webhook_port = 9443;
  std::string webhook_host;
  std::string webhook_cert_dir = "/tmp/k8s-webhook-server/serving-certs";
  LeaderElection leader_election;
  MetricsConfig metrics;
  std::string health_bind_address = ":8081";  // "0" disables
  std::string readiness_endpoint = "readyz";
  std::string liveness_endpoint = "healthz";
  std::string pprof_bind_address;
  std::map<std::string, std::int32_t> group_kind_concurrency;
  Duration cache_sync_timeout = Duration::seconds(120);
  std::optional<TlsConfig> tls;

  bool manage_jobs_without_queue_name = false;
  LabelSelector managed_jobs_namespaces;
  // placementVerification, ours: a place is proven before a workload starts, where the scheduler
  // runs in this process. A ClusterQueue's annotation of that name goes before it.
  bool placement_verification = true;
  bool internal_certs = true;
  std::string webhook_service_name = "kueue-webhook-service";
  std::string webhook_secret_name = "kueue-webhook-server-cert";
  std::optional<WaitForPodsReady> wait_for_pods_ready;  // nullopt: off
  double client_qps = 300;                              // negative: no limit
  std::int32_t client_burst = 500;
  std::vector<std::string> frameworks{"batch/job"};
  std::vector<std::string> external_frameworks;
  std::vector<std::string> label_keys_to_copy;
  MultiKueueConfig multi_kueue;
  std::optional<std::vector<FairShareStrategy>> fair_sharing;  // nullopt: off
  std::optional<AdmissionFairSharing> admission_fair_sharing;

  QuotaCheck quota_check = QuotaCheck::BlockUndeclared;
  std::vector<std::string> exclude_resource_prefixes;
  std::vector<ResourceTransformation> transformations;
  std::vector<DeviceClassMapping> device_class_mappings;

  FeatureGates gates;
  std::optional<Duration> retain_finished;     // objectRetentionPolicies.workloads
  std::optional<Duration> retain_deactivated;  // .afterDeactivatedByKueue
  std::string visibility_bind_address = "0.0.0.0";
  std::int32_t visibility_bind_port = 8082;

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

// What comes from outside the document.
struct ConfigurationInputs {
  std::string service_account_namespace;  // content of the namespace file; "" outside a pod
  std::string feature_gates_flag;         // "A=true,B=false"
};

// Reads, defaults and checks a document (YAML or JSON); empty text means all defaults.
//
// Strict: an unknown or duplicate field is an error, as the reference's decoder has it.
// Errors: Invalid - all faults, joined as the reference joins them.
Outcome<Configuration> load_configuration(std::string_view text,
                                          const ConfigurationInputs& inputs = {});

}  // namespace quorate::objects
