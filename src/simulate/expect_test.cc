#include "src/simulate/expect.h"

#include <gmock/gmock.h>

namespace quorate::simulate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

objects::Workload workload(const std::string& name, bool admitted, const std::string& reason = "") {
  objects::Workload w;
  w.meta.key = {"n", name};
  const auto status = admitted ? objects::ConditionStatus::True : objects::ConditionStatus::False;
  w.status.conditions = {{.type = "QuotaReserved", .status = status, .reason = reason},
                         {.type = "Admitted", .status = status}};
  return w;
}

// a was admitted, b waits, v was preempted by a.
Answer answer() {
  Answer made;
  CycleAnswer& cycle = made.cycles.emplace_back();
  cycle.admitted = {{{"n", "a"}, "q", true, {}}};
  cycle.preempted = {{{"n", "v"}, ObjectKey{"n", "a"}, "InClusterQueue", ""}};
  cycle.pending = {
      {{"n", "b"}, "q", true, {.layer = admission::Layer::Quota}, "WaitingForQuota", ""}};
  FinalAnswer& final = made.final.emplace();
  final.workloads = {{{"n", "a"}, workload("a", true)},
                     {{"n", "b"}, workload("b", false, "WaitingForQuota")},
                     {{"n", "v"}, workload("v", false, "PendingEvaluation")}};
  final.waiting.emplace(ObjectKey{"n", "b"}, cycle.pending.front());
  final.usage["q"]["f"]["cpu"] = Quantity{2000};
  return made;
}

TEST(Differences, NoneWhenAllHolds) {
  Expectation expect;
  expect.admitted = {"n/a"};
  expect.preempted = {{"n/v", "InClusterQueue", "n/a"}};
  expect.pending = {{"n/b", "WaitingForQuota", "quota", std::nullopt}};
  expect.usage = Labels{{"q/f/cpu", "2000m"}};
  EXPECT_THAT(differences(expect, answer()), IsEmpty());
}

TEST(Differences, NothingIsComparedThatWasNotStated) {
  EXPECT_THAT(differences({}, answer()), IsEmpty());
}

TEST(Differences, MissingAndExtra) {
  Expectation expect;
  expect.admitted = std::vector<std::string>{"n/b"};
  EXPECT_THAT(differences(expect, answer()), ElementsAre("- admitted: n/b", "+ admitted: n/a"));
  expect = {};
  expect.preempted.emplace();
  EXPECT_THAT(differences(expect, answer()),
              ElementsAre("+ preempted: n/v for InClusterQueue by n/a"));
  expect = {};
  expect.preempted = {{"n/v", "InCohortReclamation", std::nullopt}};
  EXPECT_THAT(differences(expect, answer()),
              ElementsAre("- preempted: n/v for InCohortReclamation",
                          "+ preempted: n/v for InClusterQueue by n/a"));
}

TEST(Differences, AVictimNeedNotBeListedAsWaiting) {
  Expectation expect;
  expect.pending.emplace();
  EXPECT_THAT(differences(expect, answer()), ElementsAre("+ pending: n/b for WaitingForQuota"));
}

TEST(Differences, ReasonsLayersAndAmounts) {
  Expectation expect;
  expect.pending = {{"n/b", "ExceedsMaxQuota", "topology", std::nullopt}};
  EXPECT_THAT(
      differences(expect, answer()),
      ElementsAre("- pending: n/b for ExceedsMaxQuota", "+ pending: n/b for WaitingForQuota",
                  "- pending: n/b at layer topology", "+ pending: n/b at layer quota"));
  expect = {};
  expect.usage = Labels{{"q/f/cpu", "3"}, {"q/f/memory", "0"}};
  EXPECT_THAT(differences(expect, answer()),
              ElementsAre("- usage: q/f/cpu is 3", "+ usage: q/f/cpu is 2"));
}

}  // namespace
}  // namespace quorate::simulate
