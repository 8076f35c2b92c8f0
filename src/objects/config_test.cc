#include "src/objects/config.h"

#include <gmock/gmock.h>

#include "src/objects/scheduler_config.h"

namespace quorate::objects {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kHead = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";
constexpr const char* kOldHead = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n";

Configuration good(std::string_view text, const ConfigurationInputs& inputs = {}) {
  const Outcome<Configuration> config = load_configuration(text, inputs);
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(Configuration{});
}
std::string fault(const std::string& body, const char* head = kHead) {
  const Outcome<Configuration> config = load_configuration(head + body);
  return config ? "none" : config.error().message;
}

TEST(Config, DefaultsOfAnEmptyFile) {
  Configuration want;
  want.managed_jobs_namespaces.requirements = {
      {"kubernetes.io/metadata.name", Requirement::Op::NotIn, {"kube-system", "kueue-system"}}};
  want.wait_for_pods_ready = WaitForPodsReady{};
  EXPECT_EQ(good(""), want);
  EXPECT_EQ(good(kHead), want);
  EXPECT_EQ(good("", {.service_account_namespace = "team\n"}).ns, "team");
  EXPECT_FALSE(
      good("", {.feature_gates_flag = "DisableWaitForPodsReady=true"}).wait_for_pods_ready);
}

TEST(Config, ReadsEveryField) {
  const Configuration config = good(std::string(kHead) + R"(
namespace: quota
webhook: {port: 1, host: h, certDir: /c}
leaderElection: {leaderElect: false, resourceName: r, resourceNamespace: ns, leaseDuration: 30s}
metrics:
  bindAddress: "0"
  enableClusterQueueResources: true
  customLabels: [{name: team, sourceLabelKey: x.io/team, sourceKind: Cohort, trackedValues: [a]}]
  localQueueMetrics: {localQueueSelector: {matchLabels: {a: b}}}
health: {healthProbeBindAddress: ":1", readinessEndpointName: r, livenessEndpointName: l}
pprofBindAddress: ":2"
controller: {groupKindConcurrency: {Job.batch: 5}, cacheSyncTimeout: 1000}
tls: {minVersion: VersionTLS13, curvePreferences: [29]}
manageJobsWithoutQueueName: true
managedJobsNamespaceSelector: {matchExpressions: [{key: managed, operator: Exists}]}
internalCertManagement: {enable: false}
waitForPodsReady:
  timeout: 5m
  blockAdmission: true
  recoveryTimeout: 0s
  requeuingStrategy: {timestamp: Creation, backoffLimitCount: 3, backoffBaseSeconds: 1, backoffMaxSeconds: 2}
clientConnection: {qps: -1.5, burst: 7}
integrations:
  frameworks: [pod, batch/job]
  externalFrameworks: [Foo.v1.example.com]
  labelKeysToCopy: [a]
multiKueue: {gcInterval: 0s, origin: o, workerLostTimeout: 1m,
  dispatcherName: kueue.x-k8s.io/multikueue-dispatcher-incremental,
  externalFrameworks: [{name: Foo.v1.example.com}]}
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
admissionFairSharing: {usageHalfLifeTime: 168h, resourceWeights: {cpu: 2.5}}
resources:
  excludeResourcePrefixes: [x.io/]
  transformations: [{input: cpu, strategy: Replace, multiplyBy: m, outputs: {points: 400, mem: 40Gi}}]
  deviceClassMappings: [{name: x.io/d, deviceClassNames: [c.x.io],
    sources: [{counter: {name: mem, driver: d.io, deviceSelector: {cel: {expression: "true"}}}}]}]
featureGates: {ConcurrentAdmission: true}
objectRetentionPolicies: {workloads: {afterFinished: 1h, afterDeactivatedByKueue: 0s}}
visibilityServer: {bindAddress: "::1", bindPort: 9}
)");
  EXPECT_EQ(config.ns, "quota");
  EXPECT_EQ(config.webhook_port, 1);
  EXPECT_EQ(config.webhook_cert_dir, "/c");
  EXPECT_EQ(config.leader_election,
            (LeaderElection{false, "r", "leases", "ns", Duration::seconds(30)}));
  EXPECT_EQ(config.metrics.custom_labels,
            (std::vector<CustomMetricLabel>{{"team", "x.io/team", "", "Cohort", {"a"}}}));
  EXPECT_FALSE(config.metrics.local_queue_metrics);  // present without enable
  EXPECT_TRUE(config.metrics.local_queue_selector);
  EXPECT_THAT(config.group_kind_concurrency, ElementsAre(Pair("Job.batch", 5)));
  EXPECT_EQ(config.cache_sync_timeout, Duration{1000});
  EXPECT_EQ(config.tls, (TlsConfig{"VersionTLS13", {}, {29}}));
  EXPECT_FALSE(config.internal_certs);
  EXPECT_EQ(config.wait_for_pods_ready,
            (WaitForPodsReady{Duration::seconds(300), true, Duration{}, "Creation", 3, 1, 2}));
  EXPECT_EQ(config.client_qps, -1.5);
  EXPECT_THAT(config.frameworks, ElementsAre("pod", "batch/job"));
  EXPECT_EQ(config.multi_kueue.step_size, 3);
  EXPECT_EQ(config.fair_sharing->size(), 2u);
  EXPECT_EQ(config.admission_fair_sharing->usage_half_life, Duration::seconds(168 * 3600));
  EXPECT_EQ(config.transformations, (std::vector<ResourceTransformation>{
                                        {"cpu", true, "m", {{"mem", "40Gi"}, {"points", "400"}}}}));
  EXPECT_EQ(config.device_class_mappings[0].sources[0],
            (DeviceSource{DeviceSource::Type::Counter, "mem", "d.io", "true"}));
  EXPECT_TRUE(config.gates.enabled("ConcurrentAdmission"));
  EXPECT_EQ(config.retain_finished, Duration::seconds(3600));
  EXPECT_EQ(config.retain_deactivated, Duration{});
  EXPECT_EQ(config.visibility_bind_port, 9);
}

TEST(Config, OldVersionHasItsOwnDefaults) {
  const Configuration plain = good(kOldHead);
  EXPECT_FALSE(plain.wait_for_pods_ready);
  EXPECT_FALSE(plain.fair_sharing);
  const Configuration config = good(std::string(kOldHead) +
                                    "waitForPodsReady: {enable: true}\n"
                                    "fairSharing: {enable: true}\n"
                                    "integrations: {podOptions: {podSelector: {}}}\n"
                                    "queueVisibility: {updateIntervalSeconds: 5}\n");
  EXPECT_EQ(config.wait_for_pods_ready->timeout, Duration::seconds(300));
  EXPECT_TRUE(config.wait_for_pods_ready->block_admission);
  EXPECT_EQ(config.fair_sharing->size(), 2u);
  EXPECT_EQ(fault("fairSharing: {enable: true}\n"),
            "strict decoding error: unknown field \"fairSharing.enable\"");
  EXPECT_EQ(fault("visibilityServer: {}\n", kOldHead),
            "strict decoding error: unknown field \"visibilityServer\"");
}

struct BadConfig {
  const char* name;
  const char* body;
  const char* want;
};
class ConfigFault : public testing::TestWithParam<BadConfig> {};
TEST_P(ConfigFault, IsNamed) { EXPECT_EQ(fault(GetParam().body), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    All, ConfigFault,
    testing::ValuesIn(std::vector<BadConfig>{
        // clang-format off
        {"UnknownFields", "x: 1\nwebhook: {prot: 1}",
         "strict decoding error: unknown field \"x\", unknown field \"webhook.prot\""},
        {"WrongType", "webhook: {port: many}",
         "webhook.port: Invalid value: \"many\": must be a 32-bit integer"},
        {"Duplicate", "namespace: a\nnamespace: b",
         "invalid YAML at line 4, column 1: duplicate key \"namespace\""},
        {"NegativeTimeout", "waitForPodsReady: {timeout: -1s, requeuingStrategy: {timestamp: Now, backoffLimitCount: -1}}",
         "[waitForPodsReady.timeout: Invalid value: -1000000000: must be greater than or equal to 0, "
         "waitForPodsReady.recoveryTimeout: Invalid value: -1000000000: must be greater than or equal to 0, "
         "waitForPodsReady.requeuingStrategy.timestamp: Unsupported value: \"Now\": supported values: \"Creation\", \"Eviction\", "
         "waitForPodsReady.requeuingStrategy.backoffLimitCount: Invalid value: -1: must be greater than or equal to 0]"},
        {"FrameworkTwice", "integrations: {frameworks: [pod, pod]}",
         "integrations.frameworks[1]: Duplicate value: \"pod\""},
        {"ExternalFormat", "integrations: {externalFrameworks: [Foo.v1]}",
         "integrations.externalFrameworks[0]: Invalid value: \"Foo.v1\": must be format, 'Kind.version.group.com'"},
        {"Adapter", "multiKueue: {externalFrameworks: [{name: Job.v1.batch}]}",
         "multiKueue.externalFrameworks[0].name: Invalid value: \"Job.v1.batch\": conflicts with a built-in MultiKueue adapter"},
        {"StepSize", "multiKueue: {incrementalDispatcherConfig: {stepSize: 0}}",
         "[multiKueue.incrementalDispatcherConfig: Invalid value: \"kueue.x-k8s.io/multikueue-dispatcher-all-at-once\": "
         "incrementalDispatcherConfig is only valid when dispatcherName is set to the incremental dispatcher, "
         "multiKueue.incrementalDispatcherConfig.stepSize: Invalid value: 0: must be greater than or equal to 1]"},
        {"NoStrategies", "fairSharing: {}", "fairSharing.preemptionStrategies: Required value: must be specified"},
        {"StrategiesOrder", "fairSharing: {preemptionStrategies: [LessThanInitialShare, LessThanOrEqualToFinalShare]}",
         "fairSharing.preemptionStrategies: Unsupported value: [\"LessThanInitialShare\",\"LessThanOrEqualToFinalShare\"]: "
         "supported values: [\"LessThanOrEqualToFinalShare\"], [\"LessThanInitialShare\"], "
         "[\"LessThanOrEqualToFinalShare\",\"LessThanInitialShare\"]"},
        {"Weight", "admissionFairSharing: {usageSamplingInterval: -1s, resourceWeights: {cpu: -1}}",
         "[admissionFairSharing.usageSamplingInterval: Invalid value: 0: must be greater than 0, "
         "admissionFairSharing.resourceWeights[cpu]: Invalid value: -1.000000: must be greater than or equal to 0]"},
        {"InputTwice", "resources: {transformations: [{input: a}, {input: a, strategy: Drop}]}",
         "[resources.transformations[1].strategy: Unsupported value: \"Drop\": supported values: \"Replace\", \"Retain\", "
         "resources.transformations[1].input: Duplicate value: \"a\"]"},
        {"BadOutput", "resources: {transformations: [{input: a, outputs: {b: x}}]}",
         "resources.transformations[0].outputs.b: Invalid value: \"x\": must be a quantity"},
        {"NoClasses", "resources: {deviceClassMappings: [{name: a}]}",
         "resources.deviceClassMappings[0].deviceClassNames: Required value: at least one device class name is required"},
        {"ClassTwice", "resources: {deviceClassMappings: [{name: a, deviceClassNames: [c]}, {name: b, deviceClassNames: [c]}]}",
         "resources.deviceClassMappings[1].deviceClassNames[0]: Invalid value: \"c\": device class already mapped to resource a"},
        {"BothSources", "resources: {deviceClassMappings: [{name: a, deviceClassNames: [c], sources: [{}]}]}",
         "resources.deviceClassMappings[0].sources[0]: Required value: exactly one source type must be set per entry"},
        {"OwnNamespace", "managedJobsNamespaceSelector: {}",
         "[managedJobsNamespaceSelector: Invalid value: should not match the \"kube-system\" namespace, "
         "managedJobsNamespaceSelector: Invalid value: should not match the \"kueue-system\" namespace]"},
        {"Tls", "tls: {minVersion: VersionTLS10}",
         "tls: Invalid value: \"VersionTLS10\": invalid minVersion: supported are VersionTLS12 and VersionTLS13"},
        {"Suites", "tls: {minVersion: VersionTLS13, cipherSuites: [TLS_AES_128_GCM_SHA256]}",
         "tls.cipherSuites: Invalid value: 1: may not be specified when `minVersion` is 'VersionTLS13'"},
        {"Port", "visibilityServer: {bindAddress: here, bindPort: 70000}",
         "[visibilityServer.bindAddress: Invalid value: \"here\": must be a valid IP address, "
         "visibilityServer.bindPort: Invalid value: 70000: must be a valid port number (1-65535)]"},
        {"Labels", "metrics: {customLabels: [{name: 1a}, {name: b, sourceLabelKey: x, sourceAnnotationKey: z, sourceKind: Workload}]}",
         "[metrics.customLabels[0].name: Invalid value: \"1a\": must match ^[a-zA-Z][a-zA-Z0-9_]*$, "
         "metrics.customLabels[1]: Invalid value: \"b\": sourceLabelKey and sourceAnnotationKey are mutually exclusive, "
         "metrics.customLabels[1].trackedValues: Invalid value: 0: must not be empty when sourceKind is 'Workload']"},
        {"QuotaCheck", "resources: {quotaCheckStrategy: Sometimes}",
         "resources.quotaCheckStrategy: Unsupported value: \"Sometimes\": supported values: \"BlockUndeclared\", \"IgnoreUndeclared\""},
        {"QuotaCheckPrefix", "resources: {quotaCheckStrategy: IgnoreUndeclared, excludeResourcePrefixes: [a]}",
         "resources.quotaCheckStrategy: Invalid value: \"IgnoreUndeclared\": excludeResourcePrefixes is not allowed when quotaCheckStrategy is IgnoreUndeclared"},
        {"Gate", "featureGates: {Nonsense: true}", "featureGates: unrecognized feature gate: Nonsense"},
        {"ManyDocuments", "---\na: 1", "more than one document"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(Config, PlacementVerificationIsASwitch) {
  EXPECT_TRUE(good(kHead).placement_verification);
  EXPECT_TRUE(good(std::string(kHead) + "placementVerification: Enabled").placement_verification);
  EXPECT_FALSE(good(std::string(kHead) + "placementVerification: Disabled").placement_verification);
  EXPECT_EQ(fault("placementVerification: Maybe"),
            "placementVerification: Unsupported value: \"Maybe\": supported values: \"Disabled\", "
            "\"Enabled\"");
}

TEST(Config, OtherFaults) {
  EXPECT_THAT(
      fault("integrations: {frameworks: [cron]}"),
      HasSubstr("integrations.frameworks[0]: Unsupported value: \"cron\": supported values: "
                "\"batch/job\", \"deployment\""));
  EXPECT_THAT(load_configuration("kind: Other\napiVersion: v1").error().message,
              HasSubstr("no kind \"Other\" is known for version \"v1\""));
  EXPECT_FALSE(load_configuration("[1]"));
  EXPECT_EQ(load_configuration(std::string(kHead) + "featureGates: {PriorityBoost: true}",
                               {.feature_gates_flag = "PriorityBoost=true"})
                .error()
                .message,
            "featureGates: Invalid value: feature gates for CLI and configuration cannot both "
            "specified");
}

constexpr const char* kSchedulerHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(SchedulerConfig, ReadsAndDefaults) {
  EXPECT_EQ(*load_scheduler_configuration(""), SchedulerConfiguration{});
  const auto config = load_scheduler_configuration(std::string(kSchedulerHead) + R"(
parallelism: 4
percentageOfNodesToScore: 100
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
leaderElection: {leaderElect: false, resourceName: kube-scheduler}
clientConnection: {qps: 5, burst: 6, contentType: x}
enableProfiling: true
extenders: [{urlPrefix: http://x}]
profiles:
- schedulerName: a
  percentageOfNodesToScore: 50
  plugins:
    multiPoint: 
      disabled: [{name: "*"}]
      enabled: [{name: GangScheduling}, {name: NodeAffinity, weight: 3}]
    score: {disabled: [{name: NodeResourcesFit}]}
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: [x.io/a]
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 2}]}
  - name: NodeAffinity
    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}}
  - name: VolumeBinding
    args: {bindTimeoutSeconds: 1, shape: [{utilization: 0, score: 0}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 5}
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu}, {name: x.io/a, weight: 1}]}
- schedulerName: b
)");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->parallelism, 4);
  EXPECT_EQ(config->pod_initial_backoff, Duration::seconds(2));
  EXPECT_EQ(config->leader_election.resource_name, "quorate-scheduler");
  EXPECT_THAT(config->without_effect,
              ElementsAre("clientConnection.contentType", "enableProfiling", "extenders",
                          "profiles[0].pluginConfig[2].args.shape"));
  ASSERT_EQ(config->profiles.size(), 2u);
  const SchedulerProfile& a = config->profiles[0];
  EXPECT_EQ(a.plugins.at("multiPoint"),
            (PluginSet{{{"GangScheduling", 0}, {"NodeAffinity", 3}}, {{"*", 0}}}));
  EXPECT_EQ(a.fit.strategy, FitArgs::Strategy::MostAllocated);
  EXPECT_EQ(a.fit.resources, (std::vector<ResourceWeight>{{"cpu", 2}}));
  EXPECT_EQ(a.added_affinity.required->size(), 1u);
  EXPECT_EQ(a.volume_bind_timeout_seconds, 1);
  EXPECT_EQ(a.inter_pod.hard_pod_affinity_weight, 5);
  EXPECT_EQ(a.balanced_resources, (std::vector<ResourceWeight>{{"cpu", 1}, {"x.io/a", 1}}));
  EXPECT_EQ(config->profiles[1].fit, FitArgs{});
}

TEST(SchedulerConfig, NamesFaults) {
  const auto fault_in = [](const std::string& body) {
    const auto config = load_scheduler_configuration(kSchedulerHead + body);
    return config ? "none" : config.error().message;
  };
  EXPECT_EQ(fault_in("parallelism: 0\npercentageOfNodesToScore: 101\npodInitialBackoffSeconds: 0"),
            "[parallelism: Invalid value: 0: should be an integer value greater than zero, "
            "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100], "
            "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0]");
  EXPECT_EQ(fault_in("podMaxBackoffSeconds: 1\npodInitialBackoffSeconds: 2"),
            "podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to "
            "PodInitialBackoffSeconds");
  EXPECT_EQ(fault_in("profiles: [{}, {}]"),
            "profiles[1].schedulerName: Duplicate value: \"quorate-scheduler\"");
  EXPECT_EQ(fault_in("profiles: [{plugins: {sort: {}}}]\nfoo: 1"),
            "strict decoding error: unknown field \"foo\", unknown field "
            "\"profiles[0].plugins.sort\"");
  EXPECT_EQ(fault_in("profiles: [{pluginConfig: [{name: Never, args: {}}]}]"),
            "profiles[0].pluginConfig[0].name: Invalid value: \"Never\": no plugin has this name");
  EXPECT_EQ(fault_in("profiles: [{pluginConfig: [{name: InterPodAffinity, args: "
                     "{hardPodAffinityWeight: 101}}]}]"),
            "profiles[0].pluginConfig[InterPodAffinity].args.hardPodAffinityWeight: Invalid value: "
            "101: not in valid range [0-100]");
  EXPECT_EQ(fault_in("leaderElection: {leaseDuration: 5s}"),
            "leaderElection.leaseDuration: Invalid value: 5000000000: LeaseDuration must be "
            "greater than RenewDeadline");
  EXPECT_THAT(
      fault_in("profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: "
               "{type: RequestedToCapacityRatio}}}]}]"),
      HasSubstr("shape: Required value"));
  EXPECT_THAT(fault_in("podInitialBackoffSeconds: 9223372036854775807\npodMaxBackoffSeconds: 1"),
              HasSubstr("podMaxBackoffSeconds"));
}

}  // namespace
}  // namespace quorate::objects
