#include "controller/reconcile/workload_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using objects::Condition;
using objects::ConditionStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace quorate::controller::testing;

constexpr Time kLater = Time::from_seconds(1'800'000'042);

objects::Workload waiting(bool owned = true) {
  objects::Workload workload;
  workload.meta.key = {"team", "w"};
  workload.meta.uid = "u";
  workload.meta.generation = 3;
  workload.meta.created = kNow;
  workload.pod_sets.emplace_back();
  if (owned) {
    workload.meta.owners = {{.kind = "Job", .name = "train", .uid = "j", .controller = true}};
  }
  return workload;
}

objects::Workload admitted(bool owned = true) {
  objects::Workload workload = waiting(owned);
  apply(workload, admit(workload), {kNow, std::nullopt});
  return workload;
}

// "status/reason" of a condition, "" if it is not there.
std::string shown(const objects::Workload& workload, std::string_view type) {
  const Condition* condition = objects::find_condition(workload.status.conditions, type);
  if (condition == nullptr) return "";
  return std::string(objects::text_of(condition->status)) + "/" + condition->reason;
}

TEST(WorkloadStatus, AdmitReservesAndAdmitsInOne) {
  const objects::Workload workload = admitted();
  EXPECT_EQ(shown(workload, conditions::kQuotaReserved), "True/QuotaReserved");
  EXPECT_EQ(shown(workload, conditions::kAdmitted), "True/Admitted");
  const Condition* reserved =
      objects::find_condition(workload.status.conditions, conditions::kQuotaReserved);
  EXPECT_EQ(reserved->message, "Quota reserved in ClusterQueue cluster");
  EXPECT_EQ(reserved->observed_generation, 3);
  EXPECT_EQ(reserved->last_transition, kNow);
  ASSERT_TRUE(workload.status.admission);
  EXPECT_EQ(workload.status.admission->cluster_queue, "cluster");
  EXPECT_EQ(workload.status.admission->pod_sets[0].flavors.at("example.com/gpu"), "a100");
  EXPECT_EQ(workload.status.admission->pod_sets[0].count, 1);
}

TEST(WorkloadStatus, AdmitWithChecksWaitsForThem) {
  objects::Workload workload = waiting();
  admission::Admit decision = admit(workload);
  decision.admitted = false;
  apply(workload, decision, {kNow, std::vector<std::string>{"budget", "room"}});
  EXPECT_EQ(shown(workload, conditions::kAdmitted), "False/UnsatisfiedAdmissionChecks");
  ASSERT_EQ(workload.status.admission_checks.size(), 2u);
  EXPECT_EQ(workload.status.admission_checks[0].name, "budget");
  EXPECT_EQ(workload.status.admission_checks[0].state, objects::CheckState::Pending);

  // A check that is not required any more goes; the state of the other stays.
  workload.status.admission_checks[1].state = objects::CheckState::Ready;
  apply(workload, decision, {kNow, std::vector<std::string>{"room"}});
  ASSERT_EQ(workload.status.admission_checks.size(), 1u);
  EXPECT_EQ(workload.status.admission_checks[0].state, objects::CheckState::Ready);
}

TEST(WorkloadStatus, HoldSaysWhy) {
  objects::Workload workload = waiting();
  apply(workload, admission::Hold{{"team", "w"}, "u", "WaitingForQuota", "needs 4", {}},
        {kNow, {}});
  EXPECT_EQ(shown(workload, conditions::kQuotaReserved), "False/WaitingForQuota");
  EXPECT_EQ(shown(workload, conditions::kAdmitted), "False/NoReservation");
}

TEST(WorkloadStatus, TheSameHoldAgainIsNotWorthAWrite) {
  objects::Workload before = waiting();
  const admission::Hold hold{{"team", "w"}, "u", "WaitingForQuota", "needs 4", {}};
  EXPECT_FALSE(says_the_same(before.status, [&] {
    objects::Workload after = before;
    apply(after, hold, {kNow, {}});
    return after.status;
  }()));
  apply(before, hold, {kNow, {}});
  objects::Workload after = before;
  after.meta.generation = 4;
  apply(after, hold, {kLater, {}});
  EXPECT_TRUE(says_the_same(before.status, after.status));
  apply(after, admission::Hold{{"team", "w"}, "u", "WaitingForQuota", "needs 2", {}}, {kLater, {}});
  EXPECT_FALSE(says_the_same(before.status, after.status));
}

TEST(WorkloadStatus, EvictionKeepsTheReservationUntilItIsReleased) {
  objects::Workload workload = admitted();
  apply(workload, evict(workload, "LocalQueueStopped", "The LocalQueue is stopped"), {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kEvicted), "True/LocalQueueStopped");
  EXPECT_EQ(shown(workload, conditions::kQuotaReserved), "True/QuotaReserved");
  EXPECT_TRUE(workload.status.admission);
  EXPECT_THAT(workload.status.evictions,
              ElementsAre(objects::EvictionCount{"LocalQueueStopped", "", 1}));

  apply(workload, ReleaseQuota{{"team", "w"}, "u"}, {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kQuotaReserved), "False/PendingEvaluation");
  EXPECT_EQ(shown(workload, conditions::kAdmitted), "False/NoReservation");
  EXPECT_EQ(shown(workload, conditions::kRequeued), "False/LocalQueueStopped");
  EXPECT_EQ(shown(workload, conditions::kEvicted), "True/LocalQueueStopped");
  EXPECT_FALSE(workload.status.admission);
  EXPECT_EQ(workload.status.accumulated_past_execution_seconds, 42);  // kNow to kLater

  apply(workload, admission::Requeue{{"team", "w"}, "u", "LocalQueueRestarted", "again"},
        {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kRequeued), "True/LocalQueueRestarted");

  apply(workload, admit(workload), {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kEvicted), "False/QuotaReserved");
  EXPECT_EQ(objects::find_condition(workload.status.conditions, conditions::kEvicted)->message,
            "Previously: The LocalQueue is stopped");
}

TEST(WorkloadStatus, PreemptionIsRequeuedAtOnce) {
  objects::Workload workload = admitted();
  admission::Evict decision = evict(workload, "Preempted", "for another");
  decision.preemption_reason = "InClusterQueue";
  apply(workload, decision, {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kPreempted), "True/InClusterQueue");
  apply(workload, ReleaseQuota{{"team", "w"}, "u"}, {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kRequeued), "True/Preempted");
}

TEST(WorkloadStatus, DeactivationNamesItsCauseInTheStatisticsOnly) {
  objects::Workload workload = admitted();
  workload.status.requeue = objects::RequeueState{3, std::nullopt};
  apply(workload,
        evict(workload, "DeactivatedDueToAdmissionCheck", "The workload is deactivated due to x"),
        {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kEvicted), "True/DeactivatedDueToAdmissionCheck");
  EXPECT_THAT(workload.status.evictions,
              ElementsAre(objects::EvictionCount{"Deactivated", "AdmissionCheck", 1}));
  EXPECT_FALSE(workload.status.requeue);
}

TEST(WorkloadStatus, NobodyStopsTheJobOfABareWorkload) {
  objects::Workload workload = admitted(false);
  apply(workload, evict(workload, "ClusterQueueStopped", "The ClusterQueue is stopped"),
        {kLater, {}});
  EXPECT_EQ(shown(workload, conditions::kEvicted), "True/ClusterQueueStopped");
  EXPECT_EQ(shown(workload, conditions::kQuotaReserved), "False/PendingEvaluation");
  EXPECT_FALSE(workload.status.admission);
}

TEST(WorkloadStatus, ChecksStartOverAfterAnEviction) {
  objects::Workload workload = admitted();
  workload.status.admission_checks = {
      {.name = "a", .state = objects::CheckState::Ready, .retry_count = 2},
      {.name = "b", .state = objects::CheckState::Retry, .requeue_after_seconds = 9}};
  apply(workload, evict(workload, "AdmissionCheck", "m"), {kLater, {}});
  const auto& checks = workload.status.admission_checks;
  EXPECT_EQ(checks[0].state, objects::CheckState::Pending);
  EXPECT_EQ(checks[0].message, "Reset to Pending after eviction. Previously: Ready");
  EXPECT_EQ(checks[0].retry_count, std::nullopt);
  EXPECT_EQ(checks[1].retry_count, 1);
  EXPECT_EQ(checks[1].requeue_after_seconds, 9);
}

TEST(WorkloadStatus, OtherManagersConditionsAreNotOurs) {
  objects::Workload workload = admitted();
  objects::set_condition(workload.status.conditions,
                         {.type = "PodsReady", .status = ConditionStatus::True}, kNow);
  workload.status.reclaimable_pods = {{"main", 1}};
  const objects::WorkloadStatus share = admission_share(workload.status);
  EXPECT_EQ(share.conditions.size(), 2u);
  EXPECT_THAT(share.reclaimable_pods, IsEmpty());
  EXPECT_TRUE(share.admission);
}

TEST(WorkloadStatus, EventsTellTheWaitingTimes) {
  const objects::Workload before = waiting();
  const auto events = events_of(before, admit(before), kLater);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].reason, "QuotaReserved");
  EXPECT_EQ(events[0].note,
            "Quota reserved in ClusterQueue cluster, wait time since queued was 42s");
  EXPECT_EQ(events[1].note, "Admitted by ClusterQueue cluster, wait time since reservation was 0s");
}

TEST(WorkloadStatus, OtherPlacesForARunningWorkloadAreNoNews) {
  const objects::Workload before = admitted();
  EXPECT_THAT(events_of(before, admit(before), kLater), IsEmpty());
}

TEST(WorkloadStatus, ASliceThatWasReplacedSaysSo) {
  const objects::Workload before = admitted();
  const admission::Finish finish{before.meta.key, before.meta.uid, "WorkloadSliceReplaced", "why"};
  const auto events = events_of(before, admission::Decision{finish}, kLater);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].reason, "WorkloadSliceReplaced");
  EXPECT_EQ(events[0].note, "why");
}

TEST(WorkloadStatus, APreemptionIsToldToBothSides) {
  const objects::Workload before = admitted();
  admission::Evict decision = evict(before, "Preempted", "for another");
  decision.preemption_reason = "InClusterQueue";
  decision.preemptor = ObjectKey{"team", "other"};
  decision.preemptor_uid = "other-uid";
  decision.priorities = "; both priorities";
  const auto events = events_of(before, decision, kLater);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].reason, "Preempted");
  EXPECT_EQ(events[0].regarding.key, before.meta.key);
  EXPECT_EQ(events[0].note, "for another; both priorities");
  EXPECT_EQ(events[1].reason, "PreemptedWorkload");
  EXPECT_EQ(events[1].regarding.key, (ObjectKey{"team", "other"}));
  EXPECT_EQ(events[1].regarding.uid, "other-uid");
  EXPECT_EQ(events[1].note, "Preempted workload " + before.meta.key.text() + " (UID: " +
                                before.meta.uid + ") in ClusterQueue cluster; both priorities");
  EXPECT_EQ(events[2].reason, "EvictedDueToPreempted");
}

}  // namespace
}  // namespace quorate::controller
