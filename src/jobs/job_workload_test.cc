#include "src/jobs/job_workload.h"

#include <gmock/gmock.h>

#include "src/objects/codec.h"

namespace quorate::jobs {
namespace {

objects::Job job(std::string_view metadata, std::string_view spec) {
  const std::string text = R"({"apiVersion":"batch/v1","kind":"Job","metadata":)" +
                           std::string(metadata) + R"(,"spec":)" + std::string(spec) + "}";
  const Outcome<objects::Job> read = objects::decode_json<objects::Job>(text);
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(objects::Job{});
}

constexpr std::string_view kTwoPods =
    R"({"parallelism":2,"completions":6,"template":{"spec":{"containers":[{"name":"c",
        "resources":{"requests":{"cpu":"1"}}}]}}})";

TEST(JobWorkload, CarriesQueueCountAndOwner) {
  const Outcome<objects::Workload> made =
      workload_of(job(R"({"name":"train","namespace":"team","uid":"u1",
              "labels":{"kueue.x-k8s.io/queue-name":"q","kueue.x-k8s.io/max-exec-time-seconds":"90"}})",
                      kTwoPods),
                  Priority{}, {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->queue_name, "q");
  EXPECT_EQ(made->maximum_execution_seconds, 90);
  ASSERT_EQ(made->pod_sets.size(), 1u);
  EXPECT_EQ(made->pod_sets[0].count, 2);  // min(parallelism 2, completions 6)
  ASSERT_EQ(made->meta.owners.size(), 1u);
  EXPECT_EQ(made->meta.owners[0].name, "train");
  EXPECT_TRUE(made->meta.owners[0].controller);
  EXPECT_EQ(made->priority, 0);
}

TEST(JobWorkload, MinimumParallelismIsKeptWithinTheCount) {
  const std::string metadata =
      R"({"name":"j","namespace":"n","annotations":{"kueue.x-k8s.io/job-min-parallelism":")";
  for (const auto& [text, want] : std::vector<std::pair<std::string, std::optional<std::int32_t>>>{
           {"1", 1}, {"2", 2}, {"3", std::nullopt}, {"0", std::nullopt}, {"x", std::nullopt}}) {
    const auto made = workload_of(job(metadata + text + "\"}}", kTwoPods), Priority{}, {});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->pod_sets[0].min_count, want) << text;
  }
}

TEST(JobWorkload, PriorityComesFromTheLabelThenThePodsThenTheDefault) {
  PriorityClasses classes;
  classes.workload["rush"].value = 50;
  for (const auto& [name, value] : {std::pair{"high", 9}, {"usual", 3}}) {
    classes.pod[name] = {.value = value, .global_default = value == 3};
    classes.pod[name].meta.key.name = name;
  }
  const auto labelled = workload_of(
      job(R"({"name":"j","labels":{"kueue.x-k8s.io/priority-class":"rush"}})", kTwoPods), classes,
      {});
  EXPECT_EQ(labelled->priority, 50);
  EXPECT_EQ(labelled->priority_class->kind, "WorkloadPriorityClass");
  const auto by_pods = workload_of(
      job(R"({"name":"j"})", R"({"template":{"spec":{"priorityClassName":"high"}}})"), classes, {});
  EXPECT_EQ(by_pods->priority, 9);
  const auto by_default = workload_of(job(R"({"name":"j"})", kTwoPods), classes, {});
  EXPECT_EQ(by_default->priority, 3);
  const auto missing = workload_of(
      job(R"({"name":"j","labels":{"kueue.x-k8s.io/priority-class":"none"}})", kTwoPods), classes,
      {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "WorkloadPriorityClass \"none\" not found");
}

TEST(JobWorkload, WhatIsNotUnderstoodIsSaid) {
  const auto said = [](const std::string& labels, const std::string& annotations) {
    return ignored_parts(
        job(R"({"name":"j","labels":{)" + labels + R"(},"annotations":{)" + annotations + "}}",
            kTwoPods),
        {});
  };
  EXPECT_THAT(said(R"("kueue.x-k8s.io/max-exec-time-seconds":"90")",
                   R"("kueue.x-k8s.io/job-min-parallelism":"1")"),
              testing::IsEmpty());
  EXPECT_THAT(said(R"("kueue.x-k8s.io/max-exec-time-seconds":"1h")",
                   R"("kueue.x-k8s.io/job-min-parallelism":"3")"),
              testing::ElementsAre(
                  "annotation kueue.x-k8s.io/job-min-parallelism is ignored: \"3\" is not at most "
                  "the number of pods, which is 2",
                  "label kueue.x-k8s.io/max-exec-time-seconds is ignored: \"1h\" is not a positive "
                  "32-bit integer"));
  EXPECT_THAT(said("", R"("kueue.x-k8s.io/job-min-parallelism":"-1")"), testing::SizeIs(1));
}

TEST(JobWorkload, AnElasticJobHasNoMinimumAndOneNameForEachSize) {
  const std::string metadata =
      R"({"name":"j","namespace":"n","uid":"u","annotations":{"kueue.x-k8s.io/elastic-job":"true",
          "kueue.x-k8s.io/job-min-parallelism":"1"},"generation":)";
  const auto first = workload_of(job(metadata + "1}", kTwoPods), Priority{}, {});
  const auto second = workload_of(job(metadata + "2}", kTwoPods), Priority{}, {});
  EXPECT_EQ(first->pod_sets[0].min_count, std::nullopt);
  EXPECT_NE(first->meta.key.name, second->meta.key.name);
  DerivationSettings off;
  off.elastic_jobs = false;
  const auto plain = workload_of(job(metadata + "1}", kTwoPods), Priority{}, off);
  EXPECT_EQ(plain->pod_sets[0].min_count, 1);
  EXPECT_TRUE(plain->meta.annotations.empty());
}

}  // namespace
}  // namespace quorate::jobs
