#include "src/jobs/job_workload.h"

#include <gmock/gmock.h>

#include "src/jobs/workload_name.h"
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

TEST(WorkloadName, IsTheOneThatExistingInstallationsUse) {
  // printf 'Job\nbatch\ntrain\n6e2a' | sha1sum begins with 68598
  const std::string name = workload_name("Job", "batch", "train", "6e2a");
  EXPECT_EQ(name, "job-train-68598");
  EXPECT_NE(name, workload_name("Job", "batch", "train", "6e2b"));
}

TEST(WorkloadName, IsCutToItsLimitAndKeepsTheHash) {
  const std::string name = workload_name("Job", "batch", std::string(300, 'x'), "u", 63);
  EXPECT_EQ(name.size(), 63u);
  EXPECT_EQ(name[57], '-');
}

TEST(JobWorkload, CarriesQueueCountAndOwner) {
  const Outcome<objects::Workload> made =
      workload_of(job(R"({"name":"train","namespace":"team","uid":"u1",
              "labels":{"kueue.x-k8s.io/queue-name":"q","kueue.x-k8s.io/max-exec-time-seconds":"90"}})",
                      kTwoPods),
                  {}, {});
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
    const auto made = workload_of(job(metadata + text + "\"}}", kTwoPods), {}, {});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->pod_sets[0].min_count, want) << text;
  }
}

TEST(JobWorkload, PriorityComesFromTheLabelThenThePodsThenTheDefault) {
  PriorityClasses classes;
  classes.workload = {{"rush", 50}};
  classes.pod = {{"high", 9}, {"usual", 3}};
  classes.pod_default = "usual";
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

TEST(JobWorkload, OfSeveralDefaultClassesTheSmallestCounts) {
  std::map<ObjectKey, objects::PriorityClass> pods;
  for (const auto& [name, value] : {std::pair{"a", 7}, {"b", 2}, {"c", 2}}) {
    pods[{"", name}] = {.value = value, .global_default = true};
  }
  EXPECT_EQ(priority_classes({}, pods).pod_default, "b");
}

}  // namespace
}  // namespace quorate::jobs
