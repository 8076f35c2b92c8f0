#include "src/objects/validate.h"

#include <gmock/gmock.h>

#include "src/objects/codec.h"

namespace quorate::objects {
namespace {

struct Case {
  const char* name;
  const char* spec;
  const char* want;  // of the joined errors; "" for none
};

template <class T>
std::string faults_in(std::string_view spec) {
  const Outcome<T> object =
      decode_json<T>(R"({"metadata":{"name":"x"},"spec":)" + std::string(spec) + "}");
  if (!object) return "undecodable: " + object.error().message;
  return join(validate(*object));
}

class QueueRules : public testing::TestWithParam<Case> {};
TEST_P(QueueRules, AreTheReferences) {
  EXPECT_EQ(faults_in<ClusterQueue>(GetParam().spec), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    All, QueueRules,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"Empty", "{}", ""},
        {"Good", R"({"cohortName":"a.b","resourceGroups":[{"coveredResources":["cpu","x.io/gpu"],"flavors":[
            {"name":"f","resources":[{"name":"cpu","nominalQuota":1,"borrowingLimit":0},{"name":"x.io/gpu","nominalQuota":8,"lendingLimit":8}]}]}]})", ""},
        {"CohortName", R"({"cohortName":"A"})",
         R"(spec.cohortName: Invalid value: "A": spec.cohortName in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')"},
        {"NoResources", R"({"resourceGroups":[{"coveredResources":[],"flavors":[]}]})",
         "[spec.resourceGroups[0].coveredResources: Invalid value: 0: spec.resourceGroups[0].coveredResources in body should have at least 1 items, "
         "spec.resourceGroups[0].flavors: Invalid value: 0: spec.resourceGroups[0].flavors in body should have at least 1 items]"},
        {"FewerResources", R"({"resourceGroups":[{"coveredResources":["cpu","memory"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1}]}]}]})",
         "spec.resourceGroups[0]: Invalid value: flavors must have the same number of resources as the coveredResources"},
        {"BorrowingAlone", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1,"borrowingLimit":1}]}]}]})",
         "spec: Invalid value: borrowingLimit must be nil when cohort is empty"},
        {"LendingAlone", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1,"lendingLimit":1}]}]}]})",
         R"(spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "1": must be nil when cohort is empty)"},
        {"LendingTooMuch", R"({"cohortName":"c","resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1,"lendingLimit":2}]}]}]})",
         R"(spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "2": must be less than or equal to the nominalQuota)"},
        {"Negative", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":"-1"}]}]}]})",
         R"(spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: "-1": must be greater than or equal to 0)"},
        {"OtherOrder", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"memory","nominalQuota":1}]}]}]})",
         R"(spec.resourceGroups[0].flavors[0].resources[0].name: Invalid value: "memory": must match the name in coveredResources)"},
        {"FlavorTwice", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1}]},
            {"name":"f","resources":[{"name":"cpu","nominalQuota":1}]}]}]})",
         R"(spec.resourceGroups[0].flavors[1]: Duplicate value: "f")"},
        {"FlavorInTwoGroups", R"({"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f","resources":[{"name":"cpu","nominalQuota":1}]}]},
            {"coveredResources":["memory"],"flavors":[{"name":"f","resources":[{"name":"memory","nominalQuota":1}]}]}]})",
         R"(spec.resourceGroups[1].flavors[0].name: Duplicate value: "f")"},
        {"SelectorValues", R"({"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}})",
         "spec.namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"},
        {"SelectorOfNodes", R"({"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}})",
         R"(undecodable: spec.namespaceSelector.matchExpressions[0].operator: Unsupported value: "Gt": supported values: "In", "NotIn", "Exists", "DoesNotExist")"},
        {"Preemption", R"({"preemption":{"borrowWithinCohort":{"policy":"LowerPriority"}}})",
         "spec.preemption: Invalid value: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"},
        {"Preference", R"({"flavorFungibility":{"preference":"PreemptionOverBorrowing"}})",
         "spec.flavorFungibility: Invalid value: preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor"},
        {"CheckTwice", R"({"admissionChecksStrategy":{"admissionChecks":[{"name":"a"},{"name":"a"}]}})",
         R"(spec.admissionChecksStrategy.admissionChecks[1]: Duplicate value: "a")"},
        {"Weight", R"({"fairSharing":{"weight":"1n"}})",
         R"(spec.fairSharing: Invalid value: "1n": When not 0, weight must be > 10e-9)"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(OtherRules, AreTheReferences) {
  EXPECT_EQ(join(validate(ClusterQueue{})),
            "metadata.name: Required value: name or generateName is required");
  EXPECT_THAT(faults_in<LocalQueue>(R"({"clusterQueue":"Q"})"),
              testing::StartsWith("spec.clusterQueue: Invalid value: \"Q\""));
  EXPECT_EQ(faults_in<ResourceFlavor>(R"({"topologyName":"t"})"),
            "spec: Invalid value: at least one nodeLabel is required when topology is set");
  EXPECT_EQ(faults_in<ResourceFlavor>(R"({"tolerations":[{"value":"v"}]})"),
            "spec.tolerations: Invalid value: operator must be Exists when 'key' is empty, which "
            "means 'match all values and all keys'");
  EXPECT_EQ(faults_in<ResourceFlavor>(R"({"nodeTaints":[{"key":"k","effect":"Never"}]})"),
            "spec.nodeTaints: Invalid value: supported taint effect values: 'NoSchedule', "
            "'PreferNoSchedule', 'NoExecute'");
  EXPECT_EQ(faults_in<Topology>(R"({"levels":[]})"),
            "spec.levels: Invalid value: 0: spec.levels in body should have at least 1 items");
  EXPECT_EQ(faults_in<Topology>(R"({"levels":[{"nodeLabel":"a"},{"nodeLabel":"a"}]})"),
            "spec.levels: Invalid value: must be unique");
  EXPECT_EQ(
      faults_in<Topology>(
          R"({"levels":[{"nodeLabel":"kubernetes.io/hostname"},{"nodeLabel":"a"}]})"),
      "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the lowest "
      "level of topology");
  EXPECT_EQ(faults_in<AdmissionCheck>("{}"),
            "spec.controllerName: Invalid value: \"\": spec.controllerName in body should be at "
            "least 1 chars long");
  EXPECT_EQ(faults_in<Cohort>(R"({"parentName":"p"})"), "");
}

class WorkloadRules : public testing::TestWithParam<Case> {};
TEST_P(WorkloadRules, AreTheReferences) {
  EXPECT_EQ(faults_in<Workload>(GetParam().spec), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    All, WorkloadRules,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"Good", R"({"podSets":[{"template":{},"count":2,"minCount":1}],"queueName":"q"})", ""},
        {"None", "{}", "spec.podSets: Invalid value: 0: spec.podSets in body should have at least 1 items"},
        {"MinAboveCount", R"({"podSets":[{"template":{},"count":2,"minCount":3}]})",
         "spec.podSets[0]: Invalid value: minCount should be positive and less or equal to count"},
        {"Name", R"({"podSets":[{"name":"Main","template":{}}]})",
         R"(spec.podSets[0].name: Invalid value: "Main": spec.podSets[0].name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"},
        {"SameName", R"({"podSets":[{"template":{}},{"template":{}}]})", R"(spec.podSets[1]: Duplicate value: "main")"},
        {"NegativeCount", R"({"podSets":[{"template":{},"count":-1}]})",
         "spec.podSets[0].count: Invalid value: -1: spec.podSets[0].count in body should be greater than or equal to 0"},
        {"ClassWithoutPriority", R"({"podSets":[{"template":{}}],"priorityClassRef":{"group":"kueue.x-k8s.io","kind":"PriorityClass","name":"p"}})",
         "[spec: Invalid value: priority should not be nil when priorityClassRef is set, "
         "spec.priorityClassRef: Invalid value: only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group]"},
        {"TwoShrinking", R"({"podSets":[{"name":"a","template":{},"minCount":1},{"name":"b","template":{},"minCount":1}]})",
         "spec.podSets: Invalid value: 2: at most one podSet can use minCount"},
        {"Time", R"({"podSets":[{"template":{}}],"maximumExecutionTimeSeconds":0})",
         "spec.maximumExecutionTimeSeconds: Invalid value: 0: spec.maximumExecutionTimeSeconds in body should be greater than or equal to 1"},
        {"NegativeRequest", R"({"podSets":[{"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":"-100"}}}]}}}]})",
         R"(spec.podSets[0].template.spec.containers[0].resources.requests[cpu]: Invalid value: "-100": must be greater than or equal to 0)"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace quorate::objects
