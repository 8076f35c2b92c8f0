#include "src/translate/status.h"

#include <gtest/gtest.h>

namespace quorate::translate {
namespace {

namespace conditions = objects::conditions;

constexpr Time kNow = Time::from_seconds(1'800'000'000);

objects::Workload running() {
  objects::Workload workload;
  workload.meta.key = {"team", "w"};
  workload.meta.uid = "u";
  workload.meta.generation = 3;
  workload.status.admission = objects::Admission{"q", {}};
  for (const std::string_view type : {conditions::kQuotaReserved, conditions::kAdmitted}) {
    objects::set_condition(workload.status.conditions,
                           {.type = std::string(type),
                            .status = objects::ConditionStatus::True,
                            .reason = std::string(type)},
                           kNow);
  }
  return workload;
}

admission::Evict evict(const std::string& reason) {
  admission::Evict decision;
  decision.workload = {"team", "w"};
  decision.uid = "u";
  decision.reason = reason;
  decision.message = "m";
  return decision;
}

std::string shown(const objects::Workload& workload, std::string_view type) {
  const objects::Condition* one = objects::find_condition(workload.status.conditions, type);
  if (one == nullptr) return "";
  return std::string(objects::text_of(one->status)) + "/" + one->reason;
}

TEST(WriteDecision, EvictionForUnreadyPodsCarriesItsBackoffAndItsCause) {
  objects::Workload workload = running();
  admission::Evict decision = evict("PodsReadyTimeout");
  decision.cause = "WaitForStart";
  decision.requeue = admission::RequeueState{2, kNow + Duration::seconds(120)};
  write_decision(workload, decision, {kNow, {}});
  EXPECT_EQ(workload.status.requeue, (objects::RequeueState{2, kNow + Duration::seconds(120)}));
  ASSERT_EQ(workload.status.evictions.size(), 1u);
  EXPECT_EQ(workload.status.evictions[0],
            (objects::EvictionCount{"PodsReadyTimeout", "WaitForStart", 1}));
}

TEST(WriteDecision, ASliceRunsInTheClusterOfTheOneBefore) {
  objects::Workload slice = running();
  const admission::Admit admit{{"team", "w"}, "u", {"q", {}}, true, "m"};
  StatusContext context{kNow, {}};
  context.replaced_cluster = "worker-1";
  write_decision(slice, admit, context);
  EXPECT_EQ(slice.status.cluster_name, "worker-1");
  context.replaced_cluster = "worker-2";
  write_decision(slice, admit, context);
  EXPECT_EQ(slice.status.cluster_name, "worker-1") << "its own stays";
}

TEST(WriteDecision, DeactivationClearsTheBackoffAndItsTarget) {
  objects::Workload workload = running();
  workload.status.requeue = objects::RequeueState{2, kNow};
  write_decision(workload, admission::Deactivate{{"team", "w"}, "u", "AdmissionCheck", "why"},
                 {kNow, {}});
  EXPECT_EQ(shown(workload, conditions::kDeactivationTarget), "True/AdmissionCheck");
  EXPECT_TRUE(workload.status.requeue);
  write_decision(workload, evict("DeactivatedDueToAdmissionCheck"), {kNow, {}});
  EXPECT_EQ(shown(workload, conditions::kDeactivationTarget), "");
  EXPECT_FALSE(workload.status.requeue);
}

TEST(WriteDecision, ExecutionTimeStartsAnewWhenItWasUsedUp) {
  objects::Workload workload = running();
  workload.status.accumulated_past_execution_seconds = 70;
  admission::Deactivate decision{{"team", "w"}, "u", "MaximumExecutionTimeExceeded", "why", true};
  write_decision(workload, decision, {kNow + Duration::seconds(30), {}});
  EXPECT_EQ(workload.status.accumulated_past_execution_seconds, std::nullopt);
  write_decision(workload, evict("DeactivatedDueToMaximumExecutionTimeExceeded"), {kNow, {}});
  finish_eviction(workload, kNow + Duration::seconds(31));
  EXPECT_EQ(workload.status.accumulated_past_execution_seconds, std::nullopt);
}

TEST(WriteDecision, PostponementMovesTheTimeAndKeepsTheCount) {
  objects::Workload workload = running();
  workload.status.requeue = objects::RequeueState{2, kNow};
  write_decision(workload, admission::Postpone{{"team", "w"}, "u", kNow + Duration::seconds(9)},
                 {kNow, {}});
  EXPECT_EQ(workload.status.requeue, (objects::RequeueState{2, kNow + Duration::seconds(9)}));
  EXPECT_TRUE(workload.status.admission);
}

TEST(WriteDecision, ListOfChecksKeepsTheStatesOfThoseThatStay) {
  objects::Workload workload = running();
  workload.status.admission_checks = {{.name = "a", .state = objects::CheckState::Ready},
                                      {.name = "b", .state = objects::CheckState::Ready}};
  write_decision(workload, admission::ListChecks{{"team", "w"}, "u", {"b", "c"}}, {kNow, {}});
  const auto& checks = workload.status.admission_checks;
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].name, "b");
  EXPECT_EQ(checks[0].state, objects::CheckState::Ready);
  EXPECT_EQ(checks[1].name, "c");
  EXPECT_EQ(checks[1].state, objects::CheckState::Pending);
  EXPECT_EQ(checks[1].last_transition, kNow);
}

TEST(WriteDecision, ReplacedSliceIsFinishedAndKeepsItsAdmission) {
  objects::Workload workload = running();
  write_decision(workload, admission::Finish{{"team", "w"}, "u", "WorkloadSliceReplaced", "by"},
                 {kNow, {}});
  EXPECT_EQ(shown(workload, conditions::kFinished), "True/WorkloadSliceReplaced");
  EXPECT_TRUE(workload.status.admission);
}

}  // namespace
}  // namespace quorate::translate
