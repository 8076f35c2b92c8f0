#include "controller/reconcile/job_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
namespace names = objects::names;
using objects::ConditionStatus;
using objects::is_true;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace quorate::controller::testing;

void put(objects::Workload& workload, std::string_view type, const std::string& reason = "") {
  objects::set_condition(
      workload.status.conditions,
      {.type = std::string(type), .status = ConditionStatus::True, .reason = reason}, kNow);
}

objects::Workload slice(const std::string& name, std::int32_t seconds, std::int32_t count,
                        const std::string& replaces = "") {
  objects::Workload made;
  made.meta.key = {"team", name};
  made.meta.created = Time::from_seconds(seconds);
  made.pod_sets.resize(1);
  made.pod_sets[0].count = count;
  if (!replaces.empty()) {
    made.meta.annotations[std::string(names::kSliceReplacementFor)] = "team/" + replaces;
  }
  return made;
}

std::string said(const Slices& slices) {
  std::string text = slices.holder != nullptr ? slices.holder->meta.key.name : "-";
  text += slices.next != nullptr ? " next " + slices.next->meta.key.name : "";
  for (const auto& [surplus, replaced] : slices.surplus) {
    text += (replaced ? " replaced " : " out-of-sync ") + surplus->meta.key.name;
  }
  return text;
}

TEST(ChooseSlices, TheHolderAndWhatWaitsToReplaceIt) {
  std::vector<objects::Workload> all = {slice("a", 1, 4), slice("b", 2, 6, "a")};
  put(all[0], conditions::kQuotaReserved);
  EXPECT_EQ(said(choose_slices(all)), "a next b");
}

TEST(ChooseSlices, TheNewestThatHoldsQuotaTakesThePlaceOfOlderOnes) {
  std::vector<objects::Workload> all = {slice("a", 1, 4), slice("b", 2, 6, "a"),
                                        slice("c", 3, 8, "a"), slice("d", 4, 9, "b")};
  put(all[0], conditions::kQuotaReserved);
  put(all[1], conditions::kQuotaReserved);
  EXPECT_EQ(said(choose_slices(all)), "b next d replaced a out-of-sync c");
}

// Creation times are whole seconds, and a Job may grow at once.
TEST(ChooseSlices, WhoReplacesAnotherIsTheNewerOfASecond) {
  std::vector<objects::Workload> all = {slice("a", 1, 6, "b"), slice("b", 1, 4, "c"),
                                        slice("c", 1, 2)};
  for (objects::Workload& one : all) put(one, conditions::kQuotaReserved);
  EXPECT_EQ(said(choose_slices(all)), "a replaced c replaced b");
  all[2] = slice("c", 1, 2, "a");  // a ring, which nobody of ours makes
  EXPECT_FALSE(said(choose_slices(all)).empty());
}

TEST(ChooseSlices, WithNothingReservedTheNewestThatIsNotEvicted) {
  std::vector<objects::Workload> all = {slice("a", 1, 4), slice("b", 2, 6, "a"), slice("c", 3, 5)};
  put(all[2], conditions::kEvicted);
  EXPECT_EQ(said(choose_slices(all)), "b replaced a out-of-sync c");
}

// B041: what it holds is given back once its pods are gone, and not before.
TEST(ChooseSlices, AnEvictedHolderIsStoppedBeforeItsSuccessorCounts) {
  std::vector<objects::Workload> all = {slice("a", 1, 4), slice("b", 2, 8, "a")};
  put(all[0], conditions::kQuotaReserved);
  put(all[0], conditions::kEvicted);
  EXPECT_EQ(said(choose_slices(all)), "a next b");
  objects::remove_condition(all[0].status.conditions, conditions::kQuotaReserved);
  EXPECT_EQ(said(choose_slices(all)), "b replaced a");
}

TEST(ChooseSlices, FinishedOnesDoNotCount) {
  std::vector<objects::Workload> all = {slice("a", 1, 4), slice("b", 2, 6, "a")};
  put(all[0], conditions::kFinished);
  EXPECT_EQ(said(choose_slices(all)), "b");
  put(all[1], conditions::kFinished);
  EXPECT_EQ(said(choose_slices(all)), "-");
}

std::vector<objects::PodSet> sets(std::vector<std::pair<const char*, std::int32_t>> counts) {
  std::vector<objects::PodSet> made;
  for (const auto& [name, count] : counts) {
    made.emplace_back().name = name;
    made.back().count = count;
  }
  return made;
}

TEST(ResizeOf, SL05ToSL07) {
  objects::Workload holder = slice("a", 1, 4);
  holder.pod_sets = sets({{"a", 4}});
  EXPECT_EQ(resize_of(holder, sets({{"a", 6}})), Resize::InPlace);  // SL05: it waits
  put(holder, conditions::kQuotaReserved);
  EXPECT_EQ(resize_of(holder, sets({{"a", 4}})), Resize::None);
  EXPECT_EQ(resize_of(holder, sets({{"a", 3}})), Resize::InPlace);  // SL06
  EXPECT_EQ(resize_of(holder, sets({{"a", 6}})), Resize::NewSlice);
  holder.pod_sets = sets({{"a", 2}, {"b", 4}});
  EXPECT_EQ(resize_of(holder, sets({{"a", 3}, {"b", 3}})), Resize::NewSlice);  // SL07
}

// --- a Job from its first size to its last

constexpr const char* kGate = "kueue.x-k8s.io/elastic-job";

objects::Job elastic_job(std::int32_t count) {
  objects::Job job = gpu_job(count);
  job.meta.annotations[std::string(names::kElasticJob)] = "true";
  job.meta.generation = 1;
  PodTemplate pod = gpu_pod();
  pod.scheduling_gates = {kGate};
  job.pod_template = source_of(pod);
  return job;
}

void scale(objects::Job& job, std::int32_t count) {
  job.parallelism = count;
  job.completions = count;
  ++job.meta.generation;
}

World running(std::int32_t count) {
  World world;
  world.job = elastic_job(count);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  world.settle_job();
  world.job.status.started = kNow;
  return world;
}

objects::Workload& open_slice(World& world, std::int32_t count) {
  for (objects::Workload& one : world.workloads) {
    if (one.pod_sets.front().count == count &&
        !is_true(one.status.conditions, conditions::kFinished)) {
      return one;
    }
  }
  ADD_FAILURE() << "there is no open slice of " << count;
  return world.workloads.front();
}

// Pods of the running Job, as the Job controller makes them; the first `free` are let go already.
void make_pods(World& world, std::int32_t count, std::int32_t free = 0) {
  world.pods.clear();
  for (std::int32_t i = 0; i < count; ++i) {
    objects::Pod pod;
    pod.meta.key = {"team", "train-" + std::to_string(i)};
    pod.meta.uid = "uid-" + std::to_string(i);
    pod.meta.labels[std::string(names::kJobCompletionIndex)] = std::to_string(i);
    PodTemplate spec;
    if (i >= free) spec.scheduling_gates = {kGate};
    pod.spec = std::make_shared<const PodTemplate>(spec);
    world.pods.push_back(pod);
  }
}

TEST(ElasticJob, ItsWorkloadIsNamedAfterItsGeneration) {
  World world;
  world.job = elastic_job(4);
  world.settle_job();
  const objects::Workload first = world.only_workload();
  EXPECT_EQ(first.meta.annotations.at("kueue.x-k8s.io/elastic-job"), "true");
  EXPECT_EQ(first.pod_sets.front().min_count, std::nullopt);
  World later;
  later.job = elastic_job(4);
  ++later.job.meta.generation;
  later.settle_job();
  EXPECT_NE(later.only_workload().meta.key.name, first.meta.key.name);
}

TEST(ElasticJob, SL05WhileItWaitsItsWorkloadFollows) {
  World world;
  world.job = elastic_job(4);
  world.settle_job();
  scale(world.job, 6);
  world.settle_job();
  EXPECT_EQ(world.only_workload().pod_sets.front().count, 6);
}

TEST(ElasticJob, PodsAreLetGoAsFarAsTheSliceReaches) {
  World world = running(2);
  EXPECT_EQ(world.job.pod_template.parsed->annotations.at("kueue.x-k8s.io/workload-slice-name"),
            world.only_workload().meta.key.name);
  make_pods(world, 3);
  EXPECT_THAT(world.settle_job(),
              ElementsAre("ungate Pod team/train-0", "ungate Pod team/train-1"));
}

TEST(ElasticJob, MoreOfItIsANewSliceThatTakesOver) {
  World world = running(2);
  const std::string first = world.only_workload().meta.key.text();
  make_pods(world, 2, 2);
  scale(world.job, 4);
  world.settle_job();
  ASSERT_EQ(world.workloads.size(), 2u);
  EXPECT_FALSE(world.job.suspend);
  objects::Workload& next = open_slice(world, 4);
  EXPECT_EQ(next.meta.annotations.at("kueue.x-k8s.io/workload-slice-replacement-for"), first);
  EXPECT_EQ("team/" + next.meta.annotations.at("kueue.x-k8s.io/workload-slice-name"), first);
  EXPECT_EQ(next.pod_sets.front().pod_template, open_slice(world, 2).pod_sets.front().pod_template);

  make_pods(world, 4, 2);
  EXPECT_THAT(world.settle_job(), IsEmpty()) << "the new pods wait for their slice";
  world.decide(admit(next));
  EXPECT_THAT(world.settle_job(),
              ::testing::IsSupersetOf({"ungate Pod team/train-2", "ungate Pod team/train-3"}));
  EXPECT_TRUE(is_true(world.workloads.front().status.conditions, conditions::kFinished));
  EXPECT_EQ(
      objects::find_condition(world.workloads.front().status.conditions, conditions::kFinished)
          ->reason,
      "WorkloadSliceReplaced");
  EXPECT_FALSE(world.job.suspend);
}

TEST(ElasticJob, SL06LessOfItIsTheSameSliceMadeSmaller) {
  World world = running(6);
  scale(world.job, 4);
  world.settle_job();
  EXPECT_EQ(world.only_workload().pod_sets.front().count, 4);
  EXPECT_FALSE(world.job.suspend);
}

TEST(ElasticJob, BackToWhatItHeldEndsTheSliceThatWaits) {
  World world = running(2);
  scale(world.job, 4);
  world.settle_job();
  scale(world.job, 2);
  world.settle_job();
  const auto& conditions = world.workloads.back().status.conditions;
  const objects::Condition* finished = objects::find_condition(conditions, conditions::kFinished);
  ASSERT_NE(finished, nullptr);
  EXPECT_EQ(finished->reason, "OutOfSync");
  EXPECT_FALSE(is_true(world.workloads.front().status.conditions, conditions::kFinished));
}

TEST(ElasticJob, B041AnEvictionStopsItWithAllItsSlices) {
  World world = running(4);
  scale(world.job, 8);
  world.settle_job();
  world.decide(evict(open_slice(world, 4), "Preempted", "somebody came"));
  world.settle_job();
  EXPECT_TRUE(world.job.suspend);
  world.job.status.active = 0;
  objects::set_condition(world.job.status.conditions,
                         {.type = "Suspended", .status = ConditionStatus::True}, kNow);
  world.settle_job();
  // The one that was evicted is over; the Job waits as a whole, at its new size.
  EXPECT_TRUE(is_true(world.workloads.front().status.conditions, conditions::kFinished));
  world.decide(admit(open_slice(world, 8)));
  world.settle_job();
  EXPECT_FALSE(world.job.suspend);
  EXPECT_EQ(world.job.parallelism, 8);
}

}  // namespace
}  // namespace quorate::controller
