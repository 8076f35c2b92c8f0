#include "src/objects/webhook_kueue.h"

#include <gmock/gmock.h>

#include "src/objects/codec.h"
#include "src/objects/kueue_webhook.h"

namespace quorate::objects {
namespace {

using testing::HasSubstr;

FeatureGates gates(const std::map<std::string, bool>& switched) {
  const Outcome<FeatureGates> made = FeatureGates::from(switched);
  EXPECT_TRUE(made) << made.error().message;
  return made.value_or(FeatureGates{});
}

template <class T>
T object(std::string_view rest) {
  const Outcome<T> read =
      decode_json<T>(R"({"metadata":{"name":"x","namespace":"n")" + std::string(rest) + "}");
  EXPECT_TRUE(read) << read.error().message << " in " << rest;
  return read.value_or(T{});
}

struct Case {
  const char* name;
  const char* now;     // what follows the opened metadata: `},"spec":{...}`
  const char* before;  // "" on a create
  const char* want;
  std::map<std::string, bool> switched = {};
};

std::string case_name(const testing::TestParamInfo<Case>& test) { return test.param.name; }

// --- ClusterQueue: rules that the schema does not have ---

class ClusterQueueWebhook : public testing::TestWithParam<Case> {};
TEST_P(ClusterQueueWebhook, SaysWhatTheReferenceSays) {
  const Case& c = GetParam();
  const auto now = object<ClusterQueue>(c.now);
  const ClusterQueue before = *c.before == '\0' ? ClusterQueue{} : object<ClusterQueue>(c.before);
  EXPECT_EQ(join(webhook_faults(now, *c.before == '\0' ? nullptr : &before, gates(c.switched))),
            c.want);
}

// One flavor "f" of cpu with these further members of its quota.
#define QUOTA(cohort, quota)                                                                 \
  R"(},"spec":{"cohortName":")" cohort R"(","resourceGroups":[{"coveredResources":["cpu"],)" \
  R"("flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":)" quota R"(}]}]}]})"
#define CHECKS(on)                                                         \
  R"(},"spec":{"resourceGroups":[{"coveredResources":["cpu"],"flavors":[)" \
  R"({"name":"f","resources":[{"name":"cpu","nominalQuota":1}]}]}],)"      \
  R"("admissionChecksStrategy":{"admissionChecks":[{"name":"c","onFlavors":[)" on R"(]}]}})"
#define CONCURRENT(policy, rest) \
  R"(},"spec":{"concurrentAdmissionPolicy":{"migration":)" policy R"(})" rest R"(})"
#define ONE_GROUP                                                  \
  R"(,"resourceGroups":[{"coveredResources":["cpu"],"flavors":[)"  \
  R"({"name":"a","resources":[{"name":"cpu","nominalQuota":1}]},)" \
  R"({"name":"b","resources":[{"name":"cpu","nominalQuota":1}]}]}])"

const std::map<std::string, bool> kConcurrent = {{"ConcurrentAdmission", true}};

INSTANTIATE_TEST_SUITE_P(
    All, ClusterQueueWebhook,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"Good", QUOTA("k", R"("4","borrowingLimit":"1","lendingLimit":"4")"), "", ""},
        {"ResourceName", R"(},"spec":{"resourceGroups":[{"coveredResources":["a b"],"flavors":[]}]})", "",
         R"(spec.resourceGroups[0].coveredResources[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))"},
        {"ResourceTwice", R"(},"spec":{"resourceGroups":[{"coveredResources":["cpu","cpu"]},{"coveredResources":["cpu"]}]})", "",
         R"([spec.resourceGroups[0].coveredResources[1]: Duplicate value: "cpu", spec.resourceGroups[1].coveredResources[0]: Duplicate value: "cpu"])"},
        {"NegativeBorrowing", QUOTA("k", R"("4","borrowingLimit":"-1")"), "",
         R"(spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: "-1": must be greater than or equal to 0)"},
        {"NegativeLending", QUOTA("k", R"("4","lendingLimit":"-500m")"), "",
         R"(spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "-500m": must be greater than or equal to 0)"},
        {"BorrowingWithoutCohort", QUOTA("", R"("4","borrowingLimit":"1")"), "",
         R"(spec.resourceGroups[0].flavors[0].resources[0].borrowingLimit: Invalid value: "1": must be nil when cohort is empty)"},
        {"ExtraResourcesAreNotLookedAt",
         R"(},"spec":{"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1},{"name":"x","nominalQuota":"-1"}]}]}]})", "", ""},
        {"NegativeWeight", R"(},"spec":{"fairSharing":{"weight":"-1"}})", "",
         R"([spec.fairSharing: Invalid value: "-1": must be greater than or equal to 0, spec.fairSharing: Invalid value: "-1": When not 0, weight must be > 10e-9])"},
        {"ZeroWeight", R"(},"spec":{"fairSharing":{"weight":"0"}})", "", ""},
        {"OnFlavors", CHECKS(R"("f","g")"), "",
         R"(spec.admissionChecksStrategy.admissionChecks[0].onFlavors[1]: Unsupported value: "g": supported values: "f")"},
        {"OnFlavorsOfOldIsTolerated", CHECKS(R"("g")"), CHECKS(R"("g")"), ""},
        {"OnFlavorsOfOldIsNotWithTheGate", CHECKS(R"("g")"), CHECKS(R"("g")"),
         R"(spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]: Unsupported value: "g": supported values: "f")",
         {{"RejectUpdatesToCQWithInvalidOnFlavors", true}}},
        {"OnFlavorsChanged", CHECKS(R"("g","h")"), CHECKS(R"("g")"),
         R"([spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]: Unsupported value: "g": supported values: "f", )"
         R"(spec.admissionChecksStrategy.admissionChecks[0].onFlavors[1]: Unsupported value: "h": supported values: "f"])"},
        {"ConcurrentNeedsOneGroup", CONCURRENT(R"({"mode":"TryPreferredFlavors"})", ""), "",
         "spec.resourceGroups: Invalid value: 0: must have exactly one ResourceGroup when ConcurrentAdmissionPolicy is defined", kConcurrent},
        {"ConcurrentWithoutTheGate", CONCURRENT(R"({"mode":"TryPreferredFlavors"})", ""), "", ""},
        {"ConcurrentConstraints", CONCURRENT(R"({"mode":"RetainFirstAdmission","constraints":{"lastAcceptableFlavorName":"z"}})", ONE_GROUP), "",
         R"(spec.concurrentAdmissionPolicy.migration.constraints: Forbidden: may only be set when migration.mode is "TryPreferredFlavors" (got "RetainFirstAdmission"))", kConcurrent},
        {"ConcurrentFlavor", CONCURRENT(R"({"mode":"TryPreferredFlavors","constraints":{"lastAcceptableFlavorName":"z"}})", ONE_GROUP), "",
         R"(spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName: Invalid value: "z": must be one of the flavors defined in the ClusterQueue: [a b])", kConcurrent},
        {"ConcurrentStrict", CONCURRENT(R"({"mode":"TryPreferredFlavors"})", ONE_GROUP R"(,"queueingStrategy":"StrictFIFO")"), "",
         R"(spec.queueingStrategy: Invalid value: "StrictFIFO": StrictFIFO queueing strategy cannot be used when ConcurrentAdmissionPolicy is defined)", kConcurrent},
        {"ConcurrentPolicyStays", R"(},"spec":{})", CONCURRENT(R"({"mode":"TryPreferredFlavors"})", ""),
         "spec.concurrentAdmissionPolicy: Invalid value: null: field is immutable"},
        // clang-format on
    }),
    case_name);

TEST(ClusterQueueWebhook, CountsFlavorsResourcesAndTheirPairs) {
  ClusterQueue queue;
  for (int g = 0; g < 5; ++g) {
    ResourceGroup& group = queue.resource_groups.emplace_back();
    for (int i = 0; i < 52; ++i) {
      const std::string name = std::to_string(g) + "-" + std::to_string(i);
      group.covered_resources.push_back("r" + name);
      group.flavors.push_back({"f" + name, {}});
    }
  }
  const std::string text = join(webhook_faults(queue, nullptr, FeatureGates{}));
  EXPECT_THAT(text, HasSubstr("spec.resourceGroups: Invalid value: 260: total number of flavors "
                              "across all resourceGroups must be ≤ 256, got 260"));
  EXPECT_THAT(text, HasSubstr("total number of covered resources across all resourceGroups must be "
                              "≤ 256, got 260"));
  EXPECT_THAT(text, HasSubstr("spec.resourceGroups[4]: Invalid value: 2704: number of "
                              "flavor-resource combinations in a resourceGroup must be ≤ 512"));
}

TEST(ClusterQueueWebhook, LooksAtTheSelectorAsItWasWritten) {
  JsonDocument document;
  ASSERT_TRUE(document.parse(R"({"matchLabels":{"k":"bad value"},"matchExpressions":[
      {"key":"a","operator":"In"},{"key":"b","operator":"Exists","values":["v"]},
      {"key":"c c","operator":"In","values":["v"]},{"key":"d","operator":"Near"}]})"));
  std::vector<std::string> heads;
  for (const FieldError& fault : selector_faults(document.root(), "s")) {
    const std::string text = fault.text();
    heads.push_back(text.substr(0, text.find(": ", text.find(": ") + 2)));
  }
  EXPECT_THAT(heads, testing::ElementsAre("s.matchLabels: Invalid value",
                                          "s.matchExpressions[0].values: Required value",
                                          "s.matchExpressions[1].values: Forbidden",
                                          "s.matchExpressions[2].key: Invalid value",
                                          "s.matchExpressions[3].operator: Invalid value"));
}

// --- Cohort, ResourceFlavor ---

TEST(CohortWebhook, HasTheQuotaRulesWithoutTheLendingOne) {
  const auto faults = [](std::string_view parent, std::string_view quota) {
    return join(webhook_faults(object<Cohort>(
        R"(},"spec":{"parentName":")" + std::string(parent) +
        R"(","resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":)" +
        std::string(quota) + "}]}]}]}")));
  };
  EXPECT_EQ(faults("p", R"(1,"lendingLimit":5)"), "");
  EXPECT_EQ(
      faults("", R"(1,"lendingLimit":5)"),
      R"(spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "5": must be nil when parent is empty)");
}

TEST(FlavorWebhook, LooksAtLabelsTaintsAndTolerations) {
  const auto faults = [](std::string_view spec) {
    std::vector<std::string> paths;
    for (const FieldError& fault :
         webhook_faults(object<ResourceFlavor>(R"(},"spec":)" + std::string(spec)))) {
      paths.push_back(fault.path + (fault.kind == FieldError::Kind::Duplicate ? " twice" : ""));
    }
    return paths;
  };
  using testing::ElementsAre;
  EXPECT_THAT(faults(R"({"nodeLabels":{"a b":"v","k":"bad value"}})"),
              ElementsAre("spec.nodeLabels", "spec.nodeLabels"));
  EXPECT_THAT(faults(R"({"nodeTaints":[{"key":"","effect":"NoSchedule"}]})"),
              testing::Contains("spec.nodeTaints[0].key"));
  EXPECT_THAT(faults(R"({"nodeTaints":[{"key":"k","value":"bad value","effect":"NoSchedule"}]})"),
              ElementsAre("spec.nodeTaints[0].value"));
  EXPECT_THAT(
      faults(
          R"({"nodeTaints":[{"key":"k","effect":"NoSchedule"},{"key":"k","value":"v","effect":"NoSchedule"},
                        {"key":"k","effect":"NoExecute"}]})"),
      ElementsAre("spec.nodeTaints[1] twice"));
  EXPECT_THAT(
      faults(R"({"tolerations":[{"operator":"Exists"},{"key":"a b","operator":"Exists"}]})"),
      ElementsAre("spec.tolerations[1].key"));
}

// --- Workload ---

class WorkloadWebhook : public testing::TestWithParam<Case> {};
TEST_P(WorkloadWebhook, SaysWhatTheReferenceSays) {
  const Case& c = GetParam();
  const auto now = object<Workload>(c.now);
  const Workload before = *c.before == '\0' ? Workload{} : object<Workload>(c.before);
  EXPECT_EQ(join(webhook_faults(now, *c.before == '\0' ? nullptr : &before, gates(c.switched))),
            c.want);
}

#define PODS(rest) R"(},"spec":{"podSets":[{"name":"main","count":3,)" rest R"(}]})"
#define SPEC(spec) PODS(R"("template":{"spec":)" spec R"(})")
#define TOPOLOGY(request) PODS(R"("template":{},"topologyRequest":)" request)
#define STATUS(status) \
  R"(},"spec":{"podSets":[{"name":"main","count":3,"template":{}}]},"status":)" status
#define RESERVED(rest)                                                                         \
  STATUS(R"({"conditions":[{"type":"QuotaReserved","status":"True","reason":"QuotaReserved",)" \
         R"("lastTransitionTime":"2026-01-01T00:00:00Z"}])" rest R"(})")
#define ADMISSION(usage)                                                               \
  R"(,"admission":{"clusterQueue":"q","podSetAssignments":[{"name":"main","count":3,)" \
  R"("resourceUsage":)" usage R"(}]})"
#define ANNOTATED(key, value) R"(,"annotations":{")" key R"(":)" value R"(}},"spec":{})"
#define GATED(value) ANNOTATED("kueue.x-k8s.io/admission-gated-by", value)
#define GATE_PATH "metadata.annotations[kueue.x-k8s.io/admission-gated-by]"
#define BOOST_PATH "metadata.annotations[kueue.x-k8s.io/priority-boost]"

INSTANTIATE_TEST_SUITE_P(
    Create, WorkloadWebhook,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"Good", SPEC(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}]})"), "", ""},
        {"ReservedName", SPEC(R"({"containers":[{"resources":{"requests":{"pods":"1"}}}]})"), "",
         R"(spec.podSets[0].template.spec.containers[0].resources.requests[pods]: Invalid value: "pods": the key is reserved for internal kueue use)"},
        {"NegativeRequest", SPEC(R"({"initContainers":[{"resources":{"limits":{"cpu":"-100"}}}]})"), "",
         R"(spec.podSets[0].template.spec.initContainers[0].resources.limits[cpu]: Invalid value: "-100": must be greater than or equal to 0)"},
        {"NegativePodLevel", SPEC(R"({"resources":{"requests":{"cpu":"-1"}}})"), "",
         R"(spec.podSets[0].template.spec.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0)"},
        {"NegativeWithoutTheGate", SPEC(R"({"containers":[{"resources":{"requests":{"cpu":"-1"}}}]})"), "", "",
         {{"WorkloadValidateResourcesAreNonNegative", false}}},
        {"Labels", PODS(R"("template":{"metadata":{"labels":{"k":"bad value"}}})"), "",
         R"(spec.podSets[0].template.metadata.labels: Invalid value: "bad value": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'))"},
        {"LabelsWithoutTheGate", PODS(R"("template":{"metadata":{"labels":{"k":"bad value"}}})"), "", "",
         {{"WorkloadValidationForPodSetMetadata", false}}},
        {"SliceNeedsSize", TOPOLOGY(R"({"podSetSliceRequiredTopology":"rack"})"), "",
         "spec.podSets[0].topologyRequest.podSetSliceSize: Required value: must be set when podSetSliceRequiredTopology is specified"},
        {"SliceSizeZero", TOPOLOGY(R"({"podSetSliceRequiredTopology":"rack","podSetSliceSize":0})"), "",
         "spec.podSets[0].topologyRequest.podSetSliceSize: Invalid value: 0: must be greater than 0"},
        {"SliceSizeAlone", TOPOLOGY(R"({"podSetSliceSize":2})"), "",
         "spec.podSets[0].topologyRequest.podSetSliceSize: Forbidden: may not be set when podSetSliceRequiredTopology is not specified"},
        {"LayerSizeZero", TOPOLOGY(R"({"podsetSliceRequiredTopologyConstraints":[{"topology":"rack","size":0}]})"), "",
         "spec.podSets[0].topologyRequest.podsetSliceRequiredTopologyConstraints[0].size: Invalid value: 0: must be greater than 0"},
        {"SliceWithoutTheGate", TOPOLOGY(R"({"podSetSliceSize":2})"), "", "", {{"TASValidateWorkloadSliceSize", false}}},
        {"TwoMinimums", R"(},"spec":{"podSets":[{"name":"a","count":3,"minCount":1,"template":{}},{"name":"b","count":3,"minCount":1,"template":{}}]})", "",
         "spec.podSets: Invalid value: 2: at most one podSet can use minCount"},
        {"ElasticMinimum", R"(,"annotations":{"kueue.x-k8s.io/elastic-job":"true"}},"spec":{"podSets":[{"name":"a","count":3,"minCount":1,"template":{}}]})", "",
         "spec.podSets: Invalid value: 1: partial admission and elastic job cannot be used together"},
        {"ReservedWithoutAdmission", RESERVED(""), "",
         "status.admission: Required value: must be set while the QuotaReserved condition is true"},
        {"ReservedWithoutAdmissionBefore", RESERVED(""), RESERVED(""), ""},
        {"UnknownAssignment", RESERVED(R"(,"admission":{"podSetAssignments":[{"name":"other","count":3}]})"), "",
         R"(status.admission.podSetAssignments[0].name: Not found: "other")"},
        {"UsageNotDivisible", RESERVED(ADMISSION(R"({"cpu":"1","memory":"6"})")), "",
         R"(status.admission.podSetAssignments[0].resourceUsage[cpu]: Invalid value: "1": is not a multiple of 3)"},
        {"UsageDivisible", RESERVED(ADMISSION(R"({"cpu":"1500m"})")), "", ""},
        {"Conditions", STATUS(R"({"conditions":[{"type":"a b","status":"True","reason":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]})"), "",
         R"([status.conditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), status.conditions[0].reason: Required value: must be set])"},
        {"ReclaimableUnknown", STATUS(R"({"reclaimablePods":[{"name":"x","count":1}]})"), "",
         R"(status.reclaimablePods[x].name: Unsupported value: "x": supported values: "main")"},
        {"ReclaimableTooMany", STATUS(R"({"reclaimablePods":[{"name":"main","count":4}]})"), "",
         "status.reclaimablePods[main].count: Invalid value: 4: should be less or equal to 3"},
        {"UpdatesUnknown", STATUS(R"({"admissionChecks":[{"name":"c","podSetUpdates":[{"name":"x"}]}]})"), "",
         R"(status.admissionChecks[0].podSetUpdates[0].name: Unsupported value: "x": supported values: "main")"},
        {"UpdatesSelector", STATUS(R"({"admissionChecks":[{"name":"c","podSetUpdates":[{"name":"main","nodeSelector":{"k":"bad value"}}]}]})"), "",
         R"(status.admissionChecks[0].podSetUpdates[0].nodeSelector: Invalid value: "bad value": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'))"},
        {"GateGood", GATED(R"("acme.io/a, acme.io/b")"), "", ""},
        {"GateEmptyItem", GATED(R"("acme.io/a,")"), "", GATE_PATH R"(: Invalid value: "acme.io/a,": cannot contain empty gate names)"},
        {"GateTwice", GATED(R"("acme.io/a,acme.io/a")"), "", GATE_PATH R"(: Invalid value: "acme.io/a,acme.io/a": duplicate gate name: acme.io/a)"},
        {"GateWithoutDomain", GATED(R"("plain")"), "", GATE_PATH R"(: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo"))"},
        {"GateTooLong", GATED(R"("acme.io/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")"), "", GATE_PATH ": Too long: may not be more than 63 bytes"},
        {"BoostEmpty", ANNOTATED("kueue.x-k8s.io/priority-boost", R"("")"), "",
         BOOST_PATH R"(: Invalid value: "": must be a valid signed integer; use "0" explicitly, empty string is not allowed)", {{"PriorityBoost", true}}},
        {"BoostTooBig", ANNOTATED("kueue.x-k8s.io/priority-boost", R"("2147483648")"), "",
         BOOST_PATH R"(: Invalid value: "2147483648": must be a valid signed integer)", {{"PriorityBoost", true}}},
        {"BoostNegative", ANNOTATED("kueue.x-k8s.io/priority-boost", R"("-5")"), "", "", {{"PriorityBoost", true}}},
        {"BoostWithoutTheGate", ANNOTATED("kueue.x-k8s.io/priority-boost", R"("x")"), "", ""},
        // clang-format on
    }),
    case_name);

#define BOTH(rest) RESERVED(ADMISSION(R"({"cpu":"3"})") rest)
#define RECLAIMED(list) BOTH(R"(,"reclaimablePods":)" list)
#define CHECK(state, updates)                                                                 \
  STATUS(R"({"admissionChecks":[{"name":"c","state":")" state R"(","podSetUpdates":)" updates \
         R"(}]})")

INSTANTIATE_TEST_SUITE_P(
    Update, WorkloadWebhook,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"PodSetsMayGrowInNumberWhilePending", SPEC("{}"), R"(},"spec":{"podSets":[]})", ""},
        {"PodSetsChangeWhileReserved",
         R"(},"spec":{"podSets":[{"name":"main","count":4,"template":{}}]})", BOTH(""),
         R"(spec.podSets.0: Invalid value: {"count":4,"name":"main","template":{}}: field is immutable)"},
        {"CountMayFall", R"(},"spec":{"podSets":[{"name":"main","count":2,"template":{}}]})", BOTH(""), ""},
        {"CountMayNotFallWithoutTheGate", R"(},"spec":{"podSets":[{"name":"main","count":2,"template":{}}]})", BOTH(""),
         R"(spec.podSets.0: Invalid value: {"count":2,"name":"main","template":{}}: field is immutable)",
         {{"ElasticJobsViaWorkloadSlices", false}}},
        {"ReclaimableFalls", RECLAIMED(R"([{"name":"main","count":1}])"), RECLAIMED(R"([{"name":"main","count":2}])"),
         "status.reclaimablePods[main].count: Invalid value: 1: cannot be less than 2"},
        {"ReclaimableVanishes", BOTH(""), RECLAIMED(R"([{"name":"main","count":2}])"),
         "status.reclaimablePods[main]: Required value: cannot be removed"},
        {"AdmissionChanges", RESERVED(ADMISSION(R"({"cpu":"6"})")), BOTH(""),
         R"(status.admission: Invalid value: {"clusterQueue":"q"}: field is immutable)"},
        {"AdmissionIsCleared", STATUS("{}"), BOTH(""), ""},
        {"UpdatesOfReadyCheckChange", CHECK("Ready", R"([{"name":"main","labels":{"a":"b"}}])"), CHECK("Ready", "[]"),
         "status.admissionChecks[0].podSetUpdates: Invalid value: [1 items]: field is immutable"},
        {"UpdatesChangeWithTheState", CHECK("Ready", R"([{"name":"main","labels":{"a":"b"}}])"), CHECK("Pending", "[]"), ""},
        {"ClusterNotNominated", STATUS(R"({"clusterName":"w2"})"), STATUS(R"({"nominatedClusterNames":["w1"]})"),
         R"(status.clusterName: Invalid value: "w2": when setting clusterName it must be one of the nominatedClusterNames)"},
        {"ClusterNominated", STATUS(R"({"clusterName":"w1"})"), STATUS(R"({"nominatedClusterNames":["w1"]})"), ""},
        {"GateAddedLate", GATED(R"("acme.io/a")"), R"(},"spec":{})", GATE_PATH ": Forbidden: cannot add admission gate after creation"},
        {"GateAdded", GATED(R"("acme.io/a,acme.io/b")"), GATED(R"("acme.io/a")"), GATE_PATH ": Forbidden: can only remove gates, not add new ones"},
        {"GateRemoved", R"(},"spec":{})", GATED(R"("acme.io/a")"), ""},
        // clang-format on
    }),
    case_name);

// --- reviews ---

std::string review(std::string_view kind, std::string_view rest,
                   std::string_view operation = "CREATE") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":")" +
         std::string(operation) + R"(","object":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":")" +
         std::string(kind) + R"(","metadata":{"name":"x")" + std::string(rest) + "}}}";
}

TEST(KueueWebhook, AddsTheFinalizerOnCreate) {
  // [{"op":"add","path":"/metadata/finalizers","value":["kueue.x-k8s.io/resource-in-use"]}]
  const auto answer = mutate_kueue(review("ClusterQueue", R"(},"spec":{})"), FeatureGates{});
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(*answer, HasSubstr(R"("patchType":"JSONPatch")"));
  const auto again = mutate_kueue(
      review("ClusterQueue", R"(,"finalizers":["kueue.x-k8s.io/resource-in-use"]},"spec":{})"),
      FeatureGates{});
  ASSERT_TRUE(again);
  EXPECT_THAT(*again, testing::Not(HasSubstr("patch")));
}

TEST(KueueWebhook, DropsMinimumsWhenPartialAdmissionIsOff) {
  const std::string text = review(
      "Workload", R"(},"spec":{"podSets":[{"name":"a","count":2,"minCount":1,"template":{}}]})");
  EXPECT_THAT(*mutate_kueue(text, FeatureGates{}), testing::Not(HasSubstr("patch")));
  EXPECT_THAT(*mutate_kueue(text, gates({{"PartialAdmission", false}})),
              HasSubstr(R"("patchType":"JSONPatch")"));
}

TEST(KueueWebhook, RefusesWithTheJoinedFaults) {
  const auto answer = validate_kueue(
      review("ResourceFlavor", R"(},"spec":{"tolerations":[{"key":"a b","operator":"Exists"}]})"),
      FeatureGates{});
  ASSERT_TRUE(answer);
  EXPECT_THAT(*answer, HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(*answer, HasSubstr(R"("code":403)"));
  EXPECT_THAT(*answer, HasSubstr("spec.tolerations[0].key: Invalid value"));
}

TEST(KueueWebhook, AnswersWhatItCannotDecodeWith400) {
  const auto wrong =
      validate_kueue(review("ClusterQueue", R"(},"spec":{"cohortName":7})"), FeatureGates{});
  ASSERT_TRUE(wrong);
  EXPECT_THAT(*wrong, HasSubstr(R"("code":400)"));
  EXPECT_THAT(*wrong, HasSubstr("spec.cohortName"));
  EXPECT_THAT(*validate_kueue(review("Pod", "}"), FeatureGates{}), HasSubstr(R"("code":400)"));
  EXPECT_THAT(*validate_kueue(review("Cohort", "}", "CONNECT"), FeatureGates{}),
              HasSubstr(R"("code":400)"));
  EXPECT_FALSE(validate_kueue("{}", FeatureGates{}));
  EXPECT_FALSE(mutate_kueue("no json", FeatureGates{}));
}

}  // namespace
}  // namespace quorate::objects
