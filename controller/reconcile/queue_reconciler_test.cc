#include "controller/reconcile/queue_reconciler.h"

#include <gtest/gtest.h>

#include "controller/reconcile/workload_reconciler.h"
#include "src/objects/workload.h"

namespace quorate::controller {
namespace {

constexpr Time kNow = Time::from_seconds(1'800'000'000);
constexpr Time kLater = Time::from_seconds(1'800'000'010);
const std::string kOurs = "kueue.x-k8s.io/resource-in-use";

admission::QueueView view() {
  admission::QueueView made;
  made.pending = 2;
  made.reserving = 1;
  made.admitted = 1;
  made.reservation = {{"a100", "gpu", Quantity{12}, Quantity{4}},
                      {"a100", "cpu", Quantity{500}, Quantity{0}},
                      {"h100", "gpu", Quantity{0}, Quantity{0}}};
  made.usage = made.reservation;
  made.active = {true, "Ready", "Can admit new workloads"};
  return made;
}

TEST(QueueStatus, CountsUsageAndCondition) {
  const objects::QueueStatus status = queue_status({}, view(), QueueKind::ClusterQueue, 5, kNow);
  EXPECT_EQ(status.pending, 2);
  EXPECT_EQ(status.reserving, 1);
  EXPECT_EQ(status.admitted, 1);
  ASSERT_EQ(status.reservation.size(), 2u);
  EXPECT_EQ(status.reservation[0].name, "a100");
  EXPECT_EQ(status.reservation[0].resources[0],
            (objects::ResourceUsage{"gpu", Quantity{12}, Quantity{4}}));
  const objects::Condition* active = objects::find_condition(status.conditions, "Active");
  ASSERT_NE(active, nullptr);
  EXPECT_EQ(active->reason, "Ready");
  EXPECT_EQ(active->observed_generation, 5);
  EXPECT_EQ(active->last_transition, kNow);
}

TEST(QueueStatus, ALocalQueueBorrowsNothing) {
  const objects::QueueStatus status = queue_status({}, view(), QueueKind::LocalQueue, 1, kNow);
  EXPECT_EQ(status.reservation[0].resources[0].borrowed, Quantity{0});
}

TEST(QueueStatus, TheSameAgainIsTheSame) {
  const objects::QueueStatus first = queue_status({}, view(), QueueKind::ClusterQueue, 5, kNow);
  EXPECT_EQ(queue_status(first, view(), QueueKind::ClusterQueue, 5, kLater), first);
  // A new generation is told, without a new transition.
  const objects::QueueStatus next = queue_status(first, view(), QueueKind::ClusterQueue, 6, kLater);
  EXPECT_NE(next, first);
  EXPECT_EQ(next.conditions[0].last_transition, kNow);
}

TEST(QueueStatus, TheShareShowsWhileThereIsFairSharing) {
  admission::QueueView shared = view();
  shared.share = fairshare::Share(1, 9, fairshare::kWeightOne);
  objects::QueueStatus status = queue_status({}, shared, QueueKind::ClusterQueue, 5, kNow);
  EXPECT_EQ(status.weighted_share, 112);
  status = queue_status(status, view(), QueueKind::ClusterQueue, 5, kNow);
  EXPECT_EQ(status.weighted_share, std::nullopt);
}

TEST(QueueStatus, ConsumedUsageIsOfWholeSeconds) {
  admission::QueueView used = view();
  used.consumed = {{{"cpu", ExactQuantity{1'171'572'875}}}, kNow + Duration::millis(700), {}};
  const objects::QueueStatus status = queue_status({}, used, QueueKind::LocalQueue, 5, kNow);
  EXPECT_EQ(status.consumed,
            (objects::ConsumedUsage{{{"cpu", ExactQuantity{1'171'572'875}}}, kNow}));
  EXPECT_EQ(queue_status(status, used, QueueKind::LocalQueue, 5, kLater), status);
}

TEST(QueueStatus, WhatWasConsumedGoesWithTheSharing) {
  admission::QueueView used = view();
  used.consumed = {{{"cpu", ExactQuantity{1}}}, kNow, {}};
  const objects::QueueStatus before = queue_status({}, used, QueueKind::LocalQueue, 5, kNow);
  admission::QueueView off = view();
  off.active.active = false;  // its ClusterQueue is not there; it may come back
  EXPECT_TRUE(queue_status(before, off, QueueKind::LocalQueue, 5, kNow).consumed);
  off.active.active = true;
  const objects::QueueStatus after = queue_status(before, off, QueueKind::LocalQueue, 5, kNow);
  EXPECT_FALSE(after.consumed);
  EXPECT_FALSE(after.weighted_share);
}

TEST(Finalizers, PutOnWhileItLivesAndTakenOffWhenNobodyUsesIt) {
  objects::ObjectMeta meta;
  meta.key.name = "q";
  meta.resource_version = "7";
  meta.finalizers = {"other"};
  const auto on = finalizer_change(objects::kinds::kClusterQueue, meta, false);
  ASSERT_TRUE(on);
  EXPECT_EQ(on->finalizers, (std::vector<std::string>{"other", kOurs}));
  EXPECT_EQ(on->resource_version, "7");

  meta.finalizers = on->finalizers;
  EXPECT_FALSE(finalizer_change(objects::kinds::kClusterQueue, meta, false));
  meta.deleted = kNow;
  EXPECT_FALSE(finalizer_change(objects::kinds::kClusterQueue, meta, true));
  const auto off = finalizer_change(objects::kinds::kClusterQueue, meta, false);
  ASSERT_TRUE(off);
  EXPECT_EQ(off->finalizers, std::vector<std::string>{"other"});
}

objects::Workload owned() {
  objects::Workload workload;
  workload.meta.key = {"team", "w"};
  workload.meta.finalizers = {kOurs};
  workload.meta.owners = {{.kind = "Job", .name = "j", .uid = "u", .controller = true}};
  workload.priority = 1;
  return workload;
}

std::vector<std::string> written(const WorkloadView& seen) {
  std::vector<std::string> texts;
  for (const Write& write : reconcile(seen, ReconcileSettings{}, kNow).writes) {
    texts.push_back(describe(write));
  }
  return texts;
}

TEST(WorkloadReconciler, AnOrphanIsFinishedAndLetGo) {
  WorkloadView seen{owned(), true, std::nullopt};
  EXPECT_EQ(written(seen), std::vector<std::string>{
                               "apply status of Workload team/w as kueue-job-controller-Finished"});
  seen.workload.meta.deleted = kNow;
  EXPECT_EQ(written(seen), std::vector<std::string>{"set finalizers of Workload team/w"});
}

TEST(WorkloadReconciler, WhatItsOwnerHoldsIsLeftToTheOwner) {
  WorkloadView seen{owned(), false, std::nullopt};
  seen.workload.meta.deleted = kNow;
  EXPECT_TRUE(written(seen).empty());
}

TEST(WorkloadReconciler, FollowsTheValueOfItsClass) {
  WorkloadView seen{owned(), false, 1};
  EXPECT_TRUE(written(seen).empty());
  seen.class_value = 5;
  const Plan plan = reconcile(seen, ReconcileSettings{}, kNow);
  ASSERT_EQ(plan.writes.size(), 1u);
  EXPECT_EQ(std::get<PatchWorkloadSpec>(plan.writes[0]).change.priority, 5);
}

TEST(WorkloadReconciler, CarriesOutADeactivation) {
  WorkloadView seen{owned(), false, std::nullopt};
  objects::set_condition(seen.workload.status.conditions,
                         {.type = "DeactivationTarget", .status = objects::ConditionStatus::True},
                         kNow);
  const Plan plan = reconcile(seen, ReconcileSettings{}, kNow);
  ASSERT_EQ(plan.writes.size(), 1u);
  EXPECT_EQ(std::get<PatchWorkloadSpec>(plan.writes[0]).change.active, false);
}

}  // namespace
}  // namespace quorate::controller
