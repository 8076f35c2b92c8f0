#include "controller/reconcile/workload_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kThen = Time::from_seconds(1'800'000'000);
constexpr Duration kMinute = Duration::seconds(60);

objects::Workload with(const std::string& type, const std::string& reason) {
  objects::Workload workload;
  workload.meta.key = {"team", "w"};
  workload.meta.uid = "u";
  workload.meta.finalizers = {"kueue.x-k8s.io/resource-in-use"};
  workload.meta.owners = {{.kind = "Job", .name = "j", .uid = "ju", .controller = true}};
  objects::set_condition(workload.status.conditions,
                         {.type = type, .status = objects::ConditionStatus::True, .reason = reason},
                         kThen);
  return workload;
}

std::vector<std::string> texts(const Plan& plan) {
  std::vector<std::string> all;
  for (const Write& write : plan.writes) all.push_back(describe(write));
  return all;
}

TEST(Retention, AE50FinishedWorkloadsGoWhenTheirTimeIsOver) {
  WorkloadView seen{with("Finished", "Succeeded"), false, std::nullopt, std::nullopt};
  ReconcileSettings settings;
  EXPECT_THAT(texts(reconcile(seen, settings, kThen + kMinute * 999)), IsEmpty());  // kept
  settings.retain_finished = kMinute;
  const Plan early = reconcile(seen, settings, kThen + Duration::seconds(59));
  EXPECT_THAT(early.writes, IsEmpty());
  EXPECT_EQ(early.look_again, Duration::seconds(1));
  EXPECT_THAT(texts(reconcile(seen, settings, kThen + kMinute)),
              ElementsAre("set finalizers of Workload team/w", "delete Workload team/w",
                          "event Deleted on team/w"));
  seen.workload.meta.finalizers.clear();
  settings.retain_finished = Duration{};
  EXPECT_THAT(texts(reconcile(seen, settings, kThen)),
              ElementsAre("delete Workload team/w", "event Deleted on team/w"));
}

TEST(Retention, JobsThatAControllerDeactivatedGo) {
  WorkloadView seen{with("Evicted", "DeactivatedDueToRequeuingLimitExceeded"), false, std::nullopt,
                    kube::jobs()};
  seen.workload.active = false;
  ReconcileSettings settings;
  settings.retain_deactivated = kMinute;
  const Plan early = reconcile(seen, settings, kThen);
  EXPECT_THAT(early.writes, IsEmpty());
  EXPECT_EQ(early.look_again, kMinute);
  const Plan late = reconcile(seen, settings, kThen + kMinute);
  EXPECT_THAT(texts(late), ElementsAre("delete Job team/j", "event Deleted on team/j"));
  EXPECT_EQ(std::get<DeleteOwner>(late.writes[0]).uid, "ju");
}

TEST(Retention, WhatItsUserStoppedOrStartedAgainStays) {
  ReconcileSettings settings;
  settings.retain_deactivated = Duration{};
  WorkloadView stopped{with("Evicted", "Deactivated"), false, std::nullopt, kube::jobs()};
  stopped.workload.active = false;
  EXPECT_THAT(reconcile(stopped, settings, kThen + kMinute).writes, IsEmpty());
  WorkloadView again{with("Evicted", "DeactivatedDueToAdmissionCheck"), false, std::nullopt,
                     kube::jobs()};
  EXPECT_THAT(reconcile(again, settings, kThen + kMinute).writes, IsEmpty());
}

}  // namespace
}  // namespace quorate::controller
