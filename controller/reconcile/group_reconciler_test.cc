#include "controller/reconcile/group_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using objects::is_true;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace quorate::controller::testing;

constexpr Time kJustNow = Time::from_seconds(1'800'000'000);

// A queued group of `minimum` with that many members.
World gang(std::int32_t minimum) {
  World world;
  objects::PodGroup group;
  group.meta.key = world.group_key;
  group.meta.uid = "group-uid";
  group.meta.labels["kueue.x-k8s.io/queue-name"] = "main";
  group.min_count = minimum;
  world.group = group;
  for (std::int32_t i = 0; i < minimum; ++i) {
    world.pods.push_back(member("m" + std::to_string(i), "gang"));
  }
  return world;
}

World admitted(std::int32_t minimum) {
  World world = gang(minimum);
  world.settle_group();
  world.decide(admit(world.only_workload()));
  return world;
}

void run(World& world) {
  for (objects::Pod& pod : world.pods) {
    pod.node_name = "node";
    pod.phase = objects::PodPhase::Running;
  }
}

void end(objects::Pod& pod, objects::PodPhase phase = objects::PodPhase::Succeeded) {
  pod.phase = phase;
}

TEST(GroupReconciler, AWorkloadIsDerivedOnceTheMembersAreThere) {
  World world = gang(3);
  const objects::Pod last = world.pods.back();
  world.pods.pop_back();
  EXPECT_THAT(world.settle_group(), IsEmpty());
  world.pods.push_back(last);
  EXPECT_THAT(world.settle_group(), ElementsAre(StartsWith("create Workload team/podgroup-gang-"),
                                                "event CreatedWorkload on team/gang"));
  const objects::Workload& workload = world.only_workload();
  EXPECT_EQ(workload.queue_name, "main");
  EXPECT_EQ(workload.meta.owners[0].kind, "PodGroup");
  EXPECT_EQ(workload.meta.owners[0].uid, "group-uid");
  ASSERT_EQ(workload.pod_sets.size(), 1u);
  EXPECT_EQ(workload.pod_sets[0].count, 3);
  EXPECT_EQ(workload.pod_sets[0].pod_template.parsed->containers, gpu_pod().containers);
}

TEST(GroupReconciler, MembersThatStillArriveAreWaitedFor) {
  World world = gang(2);
  world.pods.back().meta.created = kJustNow;
  GroupView view;
  view.key = world.group_key;
  view.group = world.group;
  view.pods = world.pods;
  const Plan early = reconcile(view, world.settings, kJustNow);
  EXPECT_TRUE(early.writes.empty());
  EXPECT_EQ(early.look_again, Duration::seconds(1));
  EXPECT_FALSE(reconcile(view, world.settings, kJustNow + Duration::seconds(1)).writes.empty());
}

TEST(GroupReconciler, AGroupWithoutAQueueIsLeftAlone) {
  World world = gang(2);
  world.group->meta.labels.clear();
  EXPECT_THAT(world.settle_group(), IsEmpty());
}

TEST(GroupReconciler, OnePodSetForEachShapeNamedByIt) {
  PodTemplate leader = gpu_pod(0);
  leader.containers[0].requests = {{"cpu", Quantity{2000}}};
  const auto first = group_pod_sets({member("a", "g", leader), member("b", "g"), member("c", "g")});
  const auto shuffled =
      group_pod_sets({member("c", "g"), member("x", "g"), member("z", "g", leader)});
  ASSERT_TRUE(first);
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].count + (*first)[1].count, 3);
  EXPECT_THAT((*first)[0].name, StartsWith("shape-"));
  // Names and pods do not count, only what they ask for.
  EXPECT_EQ(*first, *shuffled);
}

TEST(GroupReconciler, MoreShapesThanAWorkloadHolds) {
  std::vector<objects::Pod> pods;
  for (int i = 1; i <= 19; ++i) pods.push_back(member("p" + std::to_string(i), "g", gpu_pod(i)));
  const auto pod_sets = group_pod_sets(pods);
  ASSERT_FALSE(pod_sets);
  EXPECT_EQ(pod_sets.error().message, "pod group can't include more than 18 roles");
}

TEST(GroupReconciler, AdmissionAsksForNoWrite) {
  World world = admitted(2);
  EXPECT_THAT(world.settle_group(), IsEmpty());
  run(world);
  EXPECT_THAT(world.settle_group(), IsEmpty());
}

TEST(GroupReconciler, TheLastMembersEndFinishesIt) {
  World world = admitted(2);
  run(world);
  end(world.pods[0]);
  EXPECT_THAT(world.settle_group(), IsEmpty());
  end(world.pods[1]);
  EXPECT_THAT(world.settle_group(), ElementsAre(HasSubstr("as kueue-job-controller-Finished"),
                                                "event FinishedWorkload on team/gang"));
  const objects::Condition* finished =
      objects::find_condition(world.only_workload().status.conditions, conditions::kFinished);
  EXPECT_EQ(finished->reason, "Succeeded");
  EXPECT_EQ(finished->message, "Pods succeeded: 2/2.");
}

TEST(GroupReconciler, AFailedMemberMakesItAFailure) {
  World world = admitted(2);
  run(world);
  end(world.pods[0]);
  end(world.pods[1], objects::PodPhase::Failed);
  world.settle_group();
  const objects::Condition* finished =
      objects::find_condition(world.only_workload().status.conditions, conditions::kFinished);
  EXPECT_EQ(finished->reason, "Failed");
  EXPECT_EQ(finished->message, "Pods succeeded: 1/2.");
}

TEST(GroupReconciler, AGoneGroupHoldsItsQuotaWhileMembersRun) {
  World world = admitted(2);
  run(world);
  world.group.reset();
  EXPECT_THAT(world.settle_group(), IsEmpty());
  world.pods.clear();
  EXPECT_THAT(world.settle_group(), ElementsAre(HasSubstr("as kueue-job-controller-Finished")));
  world.only_workload().meta.deleted = kNow;  // the garbage collector
  world.settle_group();
  EXPECT_TRUE(world.workloads.empty());
}

TEST(GroupReconciler, AMemberThatJoinsInTheQueueIsCounted) {
  World world = gang(2);
  world.settle_group();
  world.pods.push_back(member("m2", "gang"));
  EXPECT_THAT(world.settle_group(), ElementsAre(StartsWith("patch Workload")));
  EXPECT_EQ(world.only_workload().pod_sets[0].count, 3);
}

TEST(GroupReconciler, BelowItsMinimumItLeavesTheQueue) {
  World world = gang(3);
  world.settle_group();
  world.pods.pop_back();
  world.settle_group();
  EXPECT_TRUE(world.workloads.empty());
}

TEST(GroupReconciler, AMemberThatJoinsAfterAdmissionQueuesTheGroupAgain) {
  World world = admitted(2);
  world.pods.push_back(member("m2", "gang"));
  world.settle_group();
  EXPECT_EQ(world.only_workload().pod_sets[0].count, 3);
  EXPECT_FALSE(is_true(world.only_workload().status.conditions, conditions::kQuotaReserved));
}

TEST(GroupReconciler, AMemberThatJoinsARunningGroupIsTooMany) {
  World world = admitted(2);
  run(world);
  world.pods.push_back(member("late", "gang", {}, kNow));
  EXPECT_THAT(world.settle_group(),
              ElementsAre("delete Pod team/late", "event ExcessPodDeleted on team/late"));
  EXPECT_EQ(world.pods.size(), 2u);
}

TEST(GroupReconciler, AReplacedMemberIsNotTooMany) {
  World world = admitted(2);
  run(world);
  world.pods[0].meta.deleted = kNow;  // on its way out, and its successor is there
  world.pods.push_back(member("successor", "gang", {}, kNow));
  EXPECT_THAT(world.settle_group(), IsEmpty());
}

TEST(GroupReconciler, EvictionDeletesWhatRunsAndThenGivesTheQuotaBack) {
  World world = admitted(2);
  run(world);
  world.pods[1].node_name.clear();  // not placed yet
  world.decide(evict(world.only_workload(), "Preempted", "Preempted"));
  EXPECT_THAT(world.settle_group(),
              ElementsAre("delete Pod team/m0", HasSubstr("release quota of Workload"),
                          HasSubstr("set finalizers"), HasSubstr("delete Workload"),
                          "event DeletedWorkload on team/gang"));
  EXPECT_EQ(world.pods.size(), 1u);
}

TEST(GroupReconciler, WithoutAnyPodsTheWorkloadGoes) {
  World world = admitted(2);
  world.pods.clear();
  world.settle_group();
  EXPECT_TRUE(world.workloads.empty());
}

TEST(GroupReconciler, AWorkloadThatTheUserDeletesTakesRunningMembersAlong) {
  World world = admitted(2);
  run(world);
  world.only_workload().meta.deleted = kNow;
  const std::vector<std::string> written = world.settle_group();
  EXPECT_THAT(written,
              ElementsAre("delete Pod team/m0", "delete Pod team/m1", HasSubstr("set finalizers")));
  EXPECT_TRUE(world.workloads.empty());
}

TEST(GroupReconciler, TheQueueMayChangeWhileNothingIsReserved) {
  World world = gang(2);
  world.settle_group();
  world.group->meta.labels["kueue.x-k8s.io/queue-name"] = "other";
  world.settle_group();
  EXPECT_EQ(world.only_workload().queue_name, "other");
}

}  // namespace
}  // namespace quorate::controller
