#include <gmock/gmock.h>

#include "src/objects/json.h"
#include "src/simulate/testing/run_text.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;
using ::testing::ElementsAre;
using testing::flavor;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::queue;
using testing::Ran;
using testing::run_text;

Ran targets(const std::string& text) {
  Options options;
  options.op = "preempt-targets";
  return run_text(text, options);
}

// A Workload of one pod. Where `since` is given it holds its cpu of flavor f in `queue` from then
// on.
std::string workload(const std::string& name, const std::string& in, int cpu, int priority,
                     const std::string& since = "", const std::string& annotations = "") {
  const std::string amount = std::to_string(cpu);
  std::string text =
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: " + name +
      ", namespace: team, creationTimestamp: \"2026-01-01T09:00:00Z\", annotations: {" +
      annotations + "}}, spec: {queueName: " + in + ", priority: " + std::to_string(priority) +
      ", podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c, resources: "
      "{requests: {cpu: " +
      amount + "}}}]}}}]}";
  if (!since.empty()) {
    const std::string at = "\"2026-01-01T09:" + since + ":00Z\"";
    text += ", status: {admission: {clusterQueue: " + in +
            ", podSetAssignments: [{name: main, flavors: {cpu: f}, resourceUsage: {cpu: " + amount +
            "}, count: 1}]}, conditions: [{type: QuotaReserved, status: \"True\", reason: "
            "QuotaReserved, lastTransitionTime: " +
            at +
            "}, {type: Admitted, status: \"True\", reason: Admitted, lastTransitionTime: " + at +
            "}]}";
  }
  return text + "}\n";
}

constexpr const char* kAssume = "quorate.dev/assume-flavors: '{\"main\":{\"cpu\":\"f\"}}'";

std::vector<std::string> victims(const Ran& ran) {
  JsonDocument document;
  EXPECT_TRUE(document.parse(ran.out)) << ran.err;
  std::vector<std::string> all;
  document.root()["cycles"].each([&](Json cycle) {
    cycle["preempted"].each([&](Json each) {
      all.push_back(each["workload"].text() + " " + each["reason"].text() + " for " +
                    each["preemptor"].text());
    });
  });
  return all;
}

TEST(PreemptTargets, AreListedInTheOrderOfTheSearch) {
  const std::string lower = "preemption: {withinClusterQueue: LowerPriority}, ";
  const std::string text = flavor() + queue("q", "6", lower) + workload("old", "q", 2, 1, "10") +
                           workload("new", "q", 2, 1, "20") + workload("low", "q", 2, 0, "05");
  // Lower priority first, then the later reservation; one needs no third.
  EXPECT_THAT(
      victims(targets(text + workload("ask", "q", 4, 5, "", kAssume))),
      ElementsAre("team/low InClusterQueue for team/ask", "team/new InClusterQueue for team/ask"));
  // Nobody of equal priority leaves.
  const Ran none = targets(text + workload("ask", "q", 4, 1, "", kAssume));
  EXPECT_THAT(victims(none), IsEmpty());
  EXPECT_THAT(none.out, HasSubstr(R"("reason":"WaitingForQuota")"));
}

TEST(PreemptTargets, ComeFromQueuesThatBorrow) {
  const std::string text =
      flavor() + queue("own", "4", "cohortName: k, preemption: {reclaimWithinCohort: Any}, ") +
      queue("guest", "0", "cohortName: k, ") + workload("g", "guest", 3, 9, "10") +
      workload("ask", "own", 4, 0, "", kAssume);
  EXPECT_THAT(victims(targets(text)), ElementsAre("team/g InCohortReclamation for team/ask"));
}

TEST(PreemptTargets, AreNobodyWhereItFits) {
  const Ran ran = targets(flavor() + queue("q", "6") + workload("ask", "q", 4, 5, "", kAssume));
  EXPECT_EQ(ran.status, kRan);
  EXPECT_THAT(ran.out, HasSubstr(R"("preempted":[],"pending":[])"));
}

TEST(PreemptTargets, BadQuestionsAreNamed) {
  const std::string base = flavor() + queue("q", "6");
  EXPECT_EQ(targets(base).status, kUnusable);
  EXPECT_THAT(targets(base + workload("a", "q", 1, 0) + workload("b", "q", 1, 0)).err,
              HasSubstr("exactly one pending Workload; there are 2: team/a, team/b"));
  EXPECT_THAT(targets(base + workload("a", "q", 1, 0)).err,
              HasSubstr("Workload team/a: metadata.annotations[quorate.dev/assume-flavors]: "
                        "Required value"));
  EXPECT_THAT(targets(base + workload("a", "q", 1, 0, "",
                                      "quorate.dev/assume-flavors: '{\"side\":{\"cpu\":\"f\"}}'"))
                  .err,
              HasSubstr("no pod set \"side\""));
  EXPECT_THAT(targets(base + workload("a", "q", 1, 0, "",
                                      "quorate.dev/assume-flavors: '{\"main\":{\"cpu\":\"g\"}}'"))
                  .err,
              HasSubstr("no ResourceFlavor \"g\""));
}

TEST(PreemptTargets, OnlyTheAssumedFlavorIsLookedAt) {
  const std::string two =
      flavor("f") + flavor("g") +
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: q}, spec: "
      "{namespaceSelector: {}, preemption: {withinClusterQueue: LowerPriority}, resourceGroups: "
      "[{coveredResources: [cpu], flavors: [{name: g, resources: [{name: cpu, nominalQuota: 9}]}, "
      "{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]}}\n"
      "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q, namespace: "
      "team}, spec: {clusterQueue: q}}\n" +
      workload("low", "q", 3, 0, "10");
  const Ran ran = targets(two + workload("ask", "q", 4, 5, "", kAssume));
  EXPECT_THAT(victims(ran), ElementsAre("team/low InClusterQueue for team/ask"));
  EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("quorate.dev/assumed")));
}

}  // namespace
}  // namespace quorate::simulate
