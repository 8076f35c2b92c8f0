#include "src/simulate/load.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

namespace quorate::simulate {
namespace {

using testing::HasSubstr;

Loader load(const std::string& text, InputLimits limits = {}) {
  Loader loader(limits);
  std::istringstream in(text);
  loader.read(in, "in.yaml");
  return loader;
}

std::string first_problem(const std::string& text) {
  const Loader loader = load(text);
  return loader.problems.empty() ? "" : loader.problems.front().text();
}

// --- what is wrong, and where ---

struct BadCase {
  const char* name;
  const char* text;
  const char* want;  // the head of the first problem
};

class BadInput : public testing::TestWithParam<BadCase> {};
TEST_P(BadInput, IsNamedWithFileLineObjectAndField) {
  EXPECT_THAT(first_problem(GetParam().text), testing::StartsWith(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInput,
    testing::ValuesIn(std::vector<BadCase>{
        // clang-format off
        {"UnknownKind", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Queue\nmetadata: {name: x}\n",
         "in.yaml:2: Queue x: kind: unknown kind \"Queue\" of \"kueue.x-k8s.io/v1beta2\""},
        {"UnknownVersion", "\n\napiVersion: kueue.x-k8s.io/v1\nkind: ClusterQueue\nmetadata: {name: x}\n",
         "in.yaml:4: ClusterQueue x: kind: unknown kind \"ClusterQueue\" of \"kueue.x-k8s.io/v1\"; known versions of it: v1beta2 v1beta1"},
        {"NoKind", "metadata: {name: x}\n", "in.yaml:1: kind: Required value"},
        {"NoVersion", "kind: Pod\nmetadata: {name: x}\n", "in.yaml:1: Pod: apiVersion: Required value"},
        {"NoName", "apiVersion: v1\nkind: Pod\nmetadata: {namespace: team}\n", "in.yaml:3: Pod: metadata.name: Required value"},
        {"WrongType", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: left}\nspec:\n  cohortName: [a]\n",
         "in.yaml:5: ClusterQueue left: spec.cohortName: Invalid value"},
        {"BadSuffix", "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: left}\nspec:\n  resourceGroups:\n"
                      "  - coveredResources: [cpu]\n    flavors:\n    - name: f\n      resources:\n      - name: cpu\n        nominalQuota: 5x\n",
         "in.yaml:12: ClusterQueue left: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: "},
        {"NegativeQuota", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: left}\nspec:\n  resourceGroups:\n"
                          "  - coveredResources: [cpu]\n    flavors:\n    - name: f\n      resources: [{name: cpu, nominalQuota: -1}]\n",
         "in.yaml:9: ClusterQueue left: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Invalid value: \"-1\": must be greater than or equal to 0"},
        {"CountTooBig", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, namespace: team}\nspec:\n  podSets:\n  - {name: main, count: 3000000000, template: {}}\n",
         "in.yaml:6: Workload team/w: spec.podSets[0].count: Invalid value"},
        {"UnknownEnum", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\nspec:\n  stopPolicy: Halt\n",
         "in.yaml:5: ClusterQueue q: spec.stopPolicy: Unsupported value: \"Halt\": supported values: \"None\", \"Hold\", \"HoldAndDrain\""},
        {"TopologyLevelTwice", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: t}\nspec:\n  levels: [{nodeLabel: rack}, {nodeLabel: rack}]\n",
         "in.yaml:5: Topology t: spec.levels: Invalid value"},
        {"TopologyWithoutLevels", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata: {name: t}\nspec: {}\n",
         "in.yaml:4: Topology t: spec.levels"},
        {"BadTime", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: yesterday}\n",
         "in.yaml:3: Pod default/p: metadata.creationTimestamp: Invalid value"},
        {"Twice", "# one\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n",
         "in.yaml:7: Namespace team: the object was given before: in.yaml:3"},
        // Kubernetes reads YAML 1.1, in which a bare n is false.
        {"NameThatIsABool", "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n",
         "in.yaml:3: Namespace: metadata.name: Invalid value: false: "},
        {"NoObject", "- 1\n- 2\n", "in.yaml:1: must be an object"},
        {"NoYaml", "a: [1\nb: }\n", "in.yaml:1: invalid YAML"},
        {"DuplicateKey", "a: 1\na: 2\n", "in.yaml:1: invalid YAML at line 2, column 1: duplicate key"},
        {"InList", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: 7}\n",
         "in.yaml:9: Namespace: items[1].metadata.name: Invalid value"},
        {"JsonList", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n {\"apiVersion\":\"v1\",\"kind\":\"Nope\",\"metadata\":{\"name\":\"x\"}}]}",
         "in.yaml:2: Nope x: items[0].kind: unknown kind"},
        {"ScenarioField", "apiVersion: quorate.dev/v1alpha1\nkind: Scenario\nspec:\n  steps: []\n  expects: {}\n",
         "in.yaml:5: Scenario : spec.expects: unknown field"},
        {"ScenarioStep", "apiVersion: quorate.dev/v1alpha1\nkind: Scenario\nspec:\n  steps:\n  - at: 10s\n  - at: 5s\n",
         "in.yaml:6: Scenario : spec.steps[1].at: Invalid value: \"5s\": lies before an earlier step"},
        {"ScenarioObject", "apiVersion: quorate.dev/v1alpha1\nkind: Scenario\nspec:\n  steps:\n  - apply:\n    - apiVersion: v1\n      kind: Namespace\n      metadata: {}\n",
         "in.yaml:8: Scenario : spec.steps[0].apply[0].metadata.name: Required value"},
        {"ScenarioName", "apiVersion: quorate.dev/v1alpha1\nkind: Scenario\nspec:\n  expect: {admitted: [lonely]}\n",
         "in.yaml:4: Scenario : spec.expect.admitted[0]: Invalid value: \"lonely\": must be NAMESPACE/NAME"},
        {"TwoScenarios", "apiVersion: quorate.dev/v1alpha1\nkind: Scenario\n---\napiVersion: quorate.dev/v1alpha1\nkind: Scenario\n",
         "in.yaml:4: Scenario: a second Scenario"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(Loader, ReportsEveryBadObjectAndKeepsTheGoodOnes) {
  const Loader loader = load(
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\nkind: No\napiVersion: v1\n---\n"
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: b, labels: [1]}\n");
  EXPECT_EQ(loader.problems.size(), 2u);
  EXPECT_EQ(loader.objects.of<objects::Namespace>().size(), 1u);
}

TEST(Loader, StopsAfterManyProblems) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "---\nkind: No\napiVersion: v1\n";
  const Loader loader = load(text);
  EXPECT_EQ(loader.problems.size(), InputLimits{}.problems);
  EXPECT_TRUE(loader.full());
}

TEST(Loader, AliasesThatBlowUpAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", " : "") + before;
    bomb += "]\n";
  }
  EXPECT_THAT(first_problem(bomb), HasSubstr("too long once its aliases are followed"));
}

TEST(Loader, DeepNestingIsRefused) {
  EXPECT_THAT(first_problem(std::string(100'000, '[')), HasSubstr("in.yaml:1: invalid"));
  std::string deep = "a: ";
  for (int i = 0; i < 5000; ++i) deep += "{a: ";
  EXPECT_THAT(first_problem(deep), HasSubstr("in.yaml:1: invalid"));
  const std::string json = "{\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}";
  EXPECT_NE(first_problem(json), "");
}

TEST(Loader, CountsObjects) {
  const InputLimits limits{.objects = 3};
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: n" + std::to_string(i) + "}\n";
  }
  EXPECT_THAT(load(text, limits).problems.front().text(), HasSubstr("more than 3 objects"));
}

// --- what is read ---

TEST(Loader, ReadsEveryKindOfTheContract) {
  std::string text;
  for (const auto& [version, kinds] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"v1", {"Namespace", "Node", "Pod", "LimitRange"}},
           {"kueue.x-k8s.io/v1beta2",
            {"ResourceFlavor", "LocalQueue", "Cohort", "MultiKueueConfig", "MultiKueueCluster",
             "ProvisioningRequestConfig"}},
           {"kueue.x-k8s.io/v1beta1", {"ClusterQueue"}},
           {"node.k8s.io/v1", {"RuntimeClass"}},
           {"scheduling.k8s.io/v1", {"PriorityClass"}},
           {"scheduling.k8s.io/v1beta1", {"PodGroup", "Workload", "CompositePodGroup"}},
           {"resource.k8s.io/v1", {"DeviceClass", "ResourceClaimTemplate", "ResourceClaim"}},
       }) {
    for (const std::string& kind : kinds) {
      text += "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: x}\n";
    }
  }
  const Loader loader = load(text);
  EXPECT_THAT(loader.problems, testing::IsEmpty()) << loader.problems.front().text();
  EXPECT_EQ(loader.objects.of<Opaque>().size(), 4u);
}

TEST(Loader, NamespacedObjectsWithoutANamespaceAreInDefault) {
  const Loader loader = load(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q}\n---\n"
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c, namespace: odd}\n");
  EXPECT_TRUE(loader.objects.of<objects::LocalQueue>().contains({"default", "q"}));
  EXPECT_TRUE(loader.objects.of<objects::Cohort>().contains({"", "c"}));
}

TEST(Loader, ObjectsThatLeaveTheirNameToTheServerGetDifferentOnes) {
  const std::string job = R"(
apiVersion: batch/v1
kind: Job
metadata: {generateName: sample-, namespace: team}
spec: {parallelism: COUNT, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
---)";
  const auto with = [&](const std::string& count) {
    return std::string(job).replace(job.find("COUNT"), 5, count);
  };
  const auto names = [](const Loader& loader) {
    std::set<std::string> all;
    for (const auto& [key, object] : loader.objects.of<objects::Job>()) all.insert(key.name);
    return all;
  };
  const Loader loader = load(with("1") + with("2") + with("1"));
  EXPECT_TRUE(loader.problems.empty());
  EXPECT_EQ(names(loader).size(), 3u);
  EXPECT_THAT(names(loader), testing::Each(testing::MatchesRegex("sample-[a-z0-9]{5}")));
  EXPECT_EQ(names(load(with("2") + with("1") + with("1"))), names(loader));
}

TEST(Loader, ItemsOfATypedListHaveItsKind) {
  const Loader loader = load(
      R"({"apiVersion":"v1","kind":"NamespaceList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  EXPECT_THAT(loader.problems, testing::IsEmpty());
  EXPECT_EQ(loader.objects.of<objects::Namespace>().size(), 2u);
}

TEST(Loader, ALongListIsReadItemByItem) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (int i = 0; i < 80'000; ++i) {
    text += (i > 0 ? "," : "") +
            std::string(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n)") +
            std::to_string(i) + R"("}})";
  }
  text += "]}";
  ASSERT_GT(text.size(), std::size_t{4} << 20);
  const Loader loader = load(text);
  EXPECT_THAT(loader.problems, testing::IsEmpty());
  EXPECT_EQ(loader.objects.of<objects::Namespace>().size(), 80'000u);
}

TEST(Loader, TheDeleteAnnotationNamesWhatAChangeTakesAway) {
  const Loader loader = load(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
      "metadata: {name: left, annotations: {quorate.dev/delete: \"true\"}}\n");
  ASSERT_EQ(loader.deletions.size(), 1u);
  EXPECT_EQ(loader.deletions[0].key.name, "left");
  EXPECT_TRUE(loader.objects.of<objects::ClusterQueue>().empty());
}

TEST(Loader, AWorkloadThatTodaysRulesRefuseIsAWarning) {
  const Loader loader = load(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
      "metadata: {name: minus, namespace: team}\nspec:\n"
      "  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, resources: "
      "{requests: {cpu: -100}}}]}}}]\n");
  EXPECT_THAT(loader.problems, testing::IsEmpty());
  ASSERT_EQ(loader.warnings.size(), 1u);
  EXPECT_THAT(loader.warnings[0].text(),
              HasSubstr("spec.podSets[0].template.spec.containers[0].resources.requests[cpu]"));
}

}  // namespace
}  // namespace quorate::simulate
