#include "controller/reconcile/job_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/reconcile/testing.h"
#include "src/jobs/workload_name.h"
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

const std::string kWorkloadKey = "team/" + jobs::workload_name("Job", "batch", "train", "job-uid");

void end_job(objects::Job& job, const std::string& type, const std::string& message) {
  job.status.active = 0;
  job.status.conditions.push_back(
      {.type = type, .status = ConditionStatus::True, .message = message});
}

// The Job controller has seen the suspension and all pods are gone.
void wind_down(objects::Job& job) {
  job.status.active = 0;
  objects::set_condition(job.status.conditions,
                         {.type = "Suspended", .status = ConditionStatus::True}, kNow);
}

// A world whose Job was admitted and runs.
World running(std::int32_t count = 1) {
  World world;
  world.job = gpu_job(count);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  world.settle_job();
  world.job.status.active = count;
  world.job.status.started = kNow;
  return world;
}

TEST(JobReconciler, ASuspendedJobGetsAWorkload) {
  World world;
  world.job = gpu_job(3);
  world.job.meta.labels["team"] = "red";
  world.settings.label_keys_to_copy = {"team"};
  world.priority = jobs::Priority{
      7, objects::PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass", "high"}};
  EXPECT_THAT(world.settle_job(), ElementsAre("create Workload " + kWorkloadKey,
                                              "event CreatedWorkload on team/train"));
  const objects::Workload& workload = world.only_workload();
  EXPECT_EQ(workload.queue_name, "main");
  EXPECT_EQ(workload.priority, 7);
  EXPECT_EQ(workload.priority_class->name, "high");
  EXPECT_EQ(workload.meta.finalizers, std::vector<std::string>{"kueue.x-k8s.io/resource-in-use"});
  EXPECT_EQ(workload.meta.labels, (Labels{{"kueue.x-k8s.io/job-uid", "job-uid"}, {"team", "red"}}));
  ASSERT_EQ(workload.meta.owners.size(), 1u);
  EXPECT_EQ(workload.meta.owners[0], (objects::OwnerReference{.api_version = "batch/v1",
                                                              .kind = "Job",
                                                              .name = "train",
                                                              .uid = "job-uid",
                                                              .controller = true,
                                                              .block_owner_deletion = true}));
  ASSERT_EQ(workload.pod_sets.size(), 1u);
  EXPECT_EQ(workload.pod_sets[0].name, "main");
  EXPECT_EQ(workload.pod_sets[0].count, 3);
  EXPECT_EQ(workload.pod_sets[0].min_count, std::nullopt);
  EXPECT_EQ(workload.pod_sets[0].topology->pod_index_label,
            "batch.kubernetes.io/job-completion-index");
}

TEST(JobReconciler, WhoeverIsNotManagedIsLeftAlone) {
  World world;
  world.job.meta.labels.clear();
  world.job.suspend = false;
  EXPECT_THAT(world.settle_job(), IsEmpty());
  world.settings.manage_jobs_without_queue_name = true;
  EXPECT_FALSE(world.settle_job().empty());

  World elsewhere;
  elsewhere.namespace_selected = false;
  EXPECT_THAT(elsewhere.settle_job(), IsEmpty());
}

TEST(JobReconciler, AJobThatSlippedPastTheWebhookIsSuspendedFirst) {
  World world;
  world.job.suspend = false;
  world.job.status.active = 1;
  world.job.status.started = kNow;
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Stopped on team/train"));
  EXPECT_TRUE(world.job.suspend);

  wind_down(world.job);
  EXPECT_THAT(
      world.settle_job(),
      ElementsAre("clear start time of Job team/train", "patch Job team/train",
                  "create Workload " + kWorkloadKey, "event CreatedWorkload on team/train"));
  EXPECT_THAT(world.job.meta.annotations, IsEmpty());
}

TEST(JobReconciler, PodsWithPlacesStartGated) {
  World world;
  world.settle_job();
  admission::Admit decision = admit(world.only_workload());
  decision.admission.pod_sets[0].topology = {{"rack"}, {{{"r1"}, 1}}};
  world.decide(decision);
  world.settle_job();
  const PodTemplate& pod = *world.job.pod_template.parsed;
  EXPECT_THAT(pod.scheduling_gates, ElementsAre("kueue.x-k8s.io/topology"));
  EXPECT_EQ(pod.annotations.at("kueue.x-k8s.io/podset-unconstrained-topology"), "true");
  EXPECT_EQ(pod.annotations.at("kueue.x-k8s.io/workload"), world.only_workload().meta.key.name);

  world.decide(evict(world.only_workload(), "Preempted", "somebody came"));
  world.settle_job();
  wind_down(world.job);
  world.settle_job();
  EXPECT_THAT(world.job.pod_template.parsed->scheduling_gates, IsEmpty());
  EXPECT_THAT(world.job.pod_template.parsed->annotations, IsEmpty());
}

TEST(JobReconciler, ATemplateThatAsksForPlacesIsNotMarkedAgain) {
  World world;
  PodTemplate asks = gpu_pod();
  asks.annotations[std::string(names::kRequiredTopology)] = "rack";
  world.job.pod_template = source_of(asks);
  world.settle_job();
  admission::Admit decision = admit(world.only_workload());
  decision.admission.pod_sets[0].topology = {{"rack"}, {{{"r1"}, 1}}};
  world.decide(decision);
  world.settle_job();
  EXPECT_FALSE(world.job.pod_template.parsed->annotations.contains(names::kUnconstrainedTopology));
}

TEST(JobReconciler, AdmissionInjectsTheFlavorAndStarts) {
  World world;
  world.flavors["a100"] =
      flavor("a100", {{"gpu", "a100"}}, {{.key = "gpu", .op = "Exists", .effect = "NoSchedule"}});
  world.settle_job();
  EXPECT_THAT(world.settle_job(), IsEmpty());  // it waits
  world.decide(admit(world.only_workload()));
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Started on team/train"));

  EXPECT_FALSE(world.job.suspend);
  const PodTemplate& pod = *world.job.pod_template.parsed;
  EXPECT_EQ(pod.node_selector, (Labels{{"gpu", "a100"}}));
  ASSERT_EQ(pod.tolerations.size(), 1u);
  EXPECT_EQ(pod.tolerations[0].key, "gpu");
  EXPECT_EQ(pod.labels, (Labels{{"kueue.x-k8s.io/cluster-queue-name", "cluster"},
                                {"kueue.x-k8s.io/local-queue-name", "main"},
                                {"kueue.x-k8s.io/podset", "main"}}));
  EXPECT_EQ(pod.annotations.at("kueue.x-k8s.io/workload"), world.only_workload().meta.key.name);
}

TEST(JobReconciler, AGangsGroupIsThereBeforeTheJobStarts) {
  World world;
  world.job = gpu_job(4);
  PodTemplate pod = gpu_pod();
  pod.scheduling_group = "train";
  world.job.pod_template = source_of(pod);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  EXPECT_THAT(world.settle_job(), ElementsAre("create PodGroup team/train", "patch Job team/train",
                                              "event Started on team/train"));
  ASSERT_EQ(world.groups.size(), 1u);
  EXPECT_EQ(world.groups[0].min_count, 4);
  EXPECT_EQ(world.groups[0].api, objects::PodGroupApi::V1beta1);
  EXPECT_EQ(objects::controller_of(world.groups[0].meta)->uid, "job-uid");
}

TEST(JobReconciler, WithoutNativeGroupsTheLabelNamesTheGroup) {
  World world;
  world.job = gpu_job(2);
  PodTemplate pod = gpu_pod();
  pod.labels[std::string(names::kFallbackPodGroup)] = "train";
  world.job.pod_template = source_of(pod);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  world.settle_job();
  ASSERT_EQ(world.groups.size(), 1u);
  EXPECT_EQ(world.groups[0].api, objects::PodGroupApi::Fallback);
}

TEST(JobReconciler, AGroupOfSomebodyElseBlocksTheStart) {
  World world;
  PodTemplate pod = gpu_pod();
  pod.scheduling_group = "train";
  world.job.pod_template = source_of(pod);
  objects::PodGroup foreign;
  foreign.meta.key = {"team", "train"};
  foreign.meta.owners = {{.kind = "Job", .name = "other", .uid = "other-uid", .controller = true}};
  world.groups = {foreign};
  world.settle_job();
  world.decide(admit(world.only_workload()));
  JobView view;
  view.job = world.job;
  view.workloads = world.workloads;
  view.flavors = world.flavors;
  view.groups = world.groups;
  const Plan plan = reconcile(view, world.settings, kNow);
  ASSERT_EQ(plan.writes.size(), 1u);
  EXPECT_EQ(describe(plan.writes[0]), "event PodGroupConflict on team/train");

  // A namesake's predecessor just has to be collected.
  view.groups[0].meta.owners[0].name = "train";
  EXPECT_TRUE(reconcile(view, world.settings, kNow).writes.empty());
}

TEST(JobReconciler, AMissingFlavorIsWaitedFor) {
  World world;
  world.settle_job();
  world.decide(admit(world.only_workload()));
  world.flavors.clear();
  EXPECT_THAT(world.settle_job(), IsEmpty());
  world.flavors["a100"] = flavor("a100");
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Started on team/train"));
}

TEST(JobReconciler, AConflictingSelectorFinishesTheWorkload) {
  World world;
  PodTemplate pod = gpu_pod();
  pod.node_selector = {{"gpu", "h100"}};
  world.job.pod_template = source_of(pod);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  EXPECT_THAT(world.settle_job(), ElementsAre("apply status of Workload " + kWorkloadKey +
                                              " as kueue-job-controller-Finished"));
  const objects::Condition* finished =
      objects::find_condition(world.only_workload().status.conditions, conditions::kFinished);
  EXPECT_EQ(finished->reason, "FailedToStart");
  EXPECT_THAT(finished->message, ::testing::HasSubstr("\"h100\" and \"a100\""));
}

TEST(JobReconciler, TheEndOfTheJobFinishesTheWorkload) {
  for (const auto& [type, reason] :
       {std::pair{"Complete", "Succeeded"}, std::pair{"Failed", "Failed"}}) {
    World world = running();
    end_job(world.job, type, "so it ended");
    EXPECT_THAT(world.settle_job(), ElementsAre("apply status of Workload " + kWorkloadKey +
                                                    " as kueue-job-controller-Finished",
                                                "event FinishedWorkload on team/train"));
    const objects::Condition* finished =
        objects::find_condition(world.only_workload().status.conditions, conditions::kFinished);
    EXPECT_EQ(finished->reason, reason);
    EXPECT_EQ(finished->message, "so it ended");
  }
}

TEST(JobReconciler, EvictionStopsTheJobAndThenGivesTheQuotaBack) {
  World world = running();
  world.decide(evict(world.only_workload(), "ClusterQueueStopped", "The ClusterQueue is stopped"));
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Stopped on team/train"));
  EXPECT_TRUE(is_true(world.only_workload().status.conditions, conditions::kQuotaReserved));
  EXPECT_THAT(world.settle_job(), IsEmpty());  // a pod is still there

  wind_down(world.job);
  EXPECT_THAT(world.settle_job(),
              ElementsAre("clear start time of Job team/train",
                          "release quota of Workload " + kWorkloadKey, "patch Job team/train"));
  const auto& status = world.only_workload().status;
  EXPECT_FALSE(is_true(status.conditions, conditions::kQuotaReserved));
  EXPECT_FALSE(status.admission);
  EXPECT_EQ(objects::find_condition(status.conditions, conditions::kRequeued)->reason,
            "ClusterQueueStopped");
  // The template is what it was, so that the next admission finds no conflict.
  EXPECT_THAT(world.job.pod_template.parsed->node_selector, IsEmpty());
  EXPECT_THAT(world.job.pod_template.parsed->labels, IsEmpty());
  EXPECT_THAT(world.job.meta.annotations, IsEmpty());

  world.decide(admit(world.only_workload()));
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Started on team/train"));
}

TEST(JobReconciler, PartialAdmissionRunsFewerPodsAndIsRestored) {
  World world;
  world.job = gpu_job(4);
  world.job.meta.annotations[std::string(names::kJobMinParallelism)] = "2";
  world.settle_job();
  EXPECT_EQ(world.only_workload().pod_sets[0].min_count, 2);
  world.decide(admit(world.only_workload(), 2));
  world.settle_job();
  EXPECT_EQ(world.job.parallelism, 2);
  EXPECT_EQ(world.job.completions, 4);
  EXPECT_THAT(world.settle_job(), IsEmpty());

  world.job.status.active = 2;
  world.job.status.started = kNow;
  world.decide(evict(world.only_workload(), "Preempted", "Preempted"));
  world.settle_job();
  wind_down(world.job);
  world.settle_job();
  EXPECT_EQ(world.job.parallelism, 4);
  EXPECT_THAT(world.settle_job(), IsEmpty());
  EXPECT_EQ(world.workloads.size(), 1u);
}

TEST(JobReconciler, ARunningJobWithoutAdmissionIsStopped) {
  World world;
  world.settle_job();
  world.job.suspend = false;
  world.job.status.active = 1;
  world.job.status.started = kNow;
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Stopped on team/train"));
}

TEST(JobReconciler, TheQueueMayChangeWhileNothingIsReserved) {
  World world;
  world.settle_job();
  world.job.meta.labels[std::string(names::kQueueName)] = "other";
  EXPECT_THAT(world.settle_job(), ElementsAre("patch Workload " + kWorkloadKey));
  EXPECT_EQ(world.only_workload().queue_name, "other");

  world.decide(admit(world.only_workload()));
  world.settle_job();
  world.job.meta.labels[std::string(names::kQueueName)] = "third";
  EXPECT_THAT(world.settle_job(), IsEmpty());
}

TEST(JobReconciler, AWorkloadThatTheUserDeletesTakesTheJobDownWithIt) {
  World world = running();
  world.only_workload().meta.deleted = kNow;
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Stopped on team/train"));
  ASSERT_EQ(world.workloads.size(), 1u);  // its quota is held as long as pods run

  wind_down(world.job);
  world.settle_job();
  ASSERT_EQ(world.workloads.size(), 1u);
  EXPECT_FALSE(world.only_workload().meta.deleted);  // a new one: the Job is queued again
  EXPECT_EQ(world.only_workload().meta.uid, "workload-uid-2");
}

TEST(JobReconciler, MoreParallelismWhileItWaitsChangesTheWorkload) {
  World world;
  world.settle_job();
  world.job.parallelism = 3;
  world.job.completions = 3;
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Workload " + kWorkloadKey, "event UpdatedWorkload on team/train"));
  EXPECT_EQ(world.only_workload().pod_sets[0].count, 3);
}

TEST(JobReconciler, MoreParallelismWhileItRunsQueuesItAgain) {
  World world = running(2);
  world.job.parallelism = 3;
  world.job.completions = 3;
  EXPECT_THAT(world.settle_job(),
              ElementsAre("patch Job team/train", "event Stopped on team/train"));
  wind_down(world.job);
  world.settle_job();
  EXPECT_EQ(world.only_workload().pod_sets[0].count, 3);
  EXPECT_FALSE(is_true(world.only_workload().status.conditions, conditions::kQuotaReserved));
  EXPECT_EQ(world.job.parallelism, 3);
}

TEST(JobReconciler, ADeletedJobLetsItsWorkloadGo) {
  World world = running();
  world.job.meta.deleted = kNow;
  EXPECT_THAT(world.settle_job(), IsEmpty());
  world.only_workload().meta.deleted = kNow;  // the garbage collector
  EXPECT_THAT(world.settle_job(), ElementsAre("set finalizers of Workload " + kWorkloadKey));
  EXPECT_TRUE(world.workloads.empty());
}

TEST(JobReconciler, PodsThatEndedGiveTheirQuotaBackButNotTheLast) {
  World world = running(4);
  world.job.status.succeeded = 1;  // parallelism 4, 3 left to complete: 1 is free
  EXPECT_THAT(world.settle_job(), ElementsAre("apply status of Workload " + kWorkloadKey +
                                              " as kueue-reclaimable-pods"));
  EXPECT_EQ(world.only_workload().status.reclaimable_pods,
            (std::vector<objects::ReclaimablePod>{{"main", 1}}));
  world.job.status.succeeded = 4;
  EXPECT_THAT(world.settle_job(), IsEmpty());  // the Job's end says the same
}

// A world whose Job of three pods runs as a gang.
World running_gang() {
  World world;
  world.job = gpu_job(3);
  PodTemplate pod = gpu_pod();
  pod.scheduling_group = "train";
  world.job.pod_template = source_of(pod);
  world.settings.reclaimable_pods = false;
  world.settle_job();
  world.decide(admit(world.only_workload()));
  world.settle_job();
  world.job.status = {.active = 3, .ready = 3, .started = kNow};
  return world;
}

TEST(JobReconciler, TheGangsMinimumIsWhatIsLeftOnceAPodWaitsForOthers) {
  World world = running_gang();
  world.job.status = {.active = 2, .ready = 2, .succeeded = 1, .started = kNow};
  EXPECT_THAT(world.settle_job(), IsEmpty());  // nobody waits: a write for each end would be waste
  world.job.status.ready = 1;                  // one was lost, its successor is not on a node
  EXPECT_THAT(world.settle_job(), ElementsAre("set minimum of PodGroup team/train"));
  EXPECT_EQ(world.groups[0].min_count, 2);
}

TEST(JobReconciler, TheLastPodsOfAJobWithMoreCompletionsAreAGangOfTheirOwn) {
  World world = running_gang();
  world.job.completions = 5;
  world.job.status = {.active = 3, .ready = 0, .succeeded = 2, .started = kNow};
  EXPECT_THAT(world.settle_job(), IsEmpty());  // 3 run, 3 are left
  world.job.status = {.active = 2, .ready = 0, .succeeded = 3, .started = kNow};
  EXPECT_THAT(world.settle_job(), ElementsAre("set minimum of PodGroup team/train"));
  EXPECT_EQ(world.groups[0].min_count, 2);
  // A set back: an index that was taken as done runs again.
  world.job.status.succeeded = 2;
  world.job.status.ready = 2;
  EXPECT_THAT(world.settle_job(), ElementsAre("set minimum of PodGroup team/train"));
  EXPECT_EQ(world.groups[0].min_count, 3);
}

TEST(JobReconciler, AGangThatStartsAgainHasTheMinimumOfWhatIsLeft) {
  World world = running_gang();
  world.job.status = {.active = 2, .ready = 2, .succeeded = 1, .started = kNow};
  world.decide(evict(world.only_workload(), "Preempted", "room for others"));
  world.settle_job();
  wind_down(world.job);
  world.settle_job();
  world.decide(admit(world.only_workload()));
  EXPECT_THAT(world.settle_job(),
              ElementsAre("set minimum of PodGroup team/train", "patch Job team/train",
                          "event Started on team/train"));
  EXPECT_EQ(world.groups[0].min_count, 2);
  EXPECT_FALSE(world.job.suspend);
}

TEST(JobReconciler, ReadinessIsRecordedOnlyWhereItIsAskedFor) {
  World world = running(2);
  world.job.status.ready = 2;
  EXPECT_THAT(world.settle_job(), IsEmpty());
  world.settings.wait_for_pods_ready = true;
  EXPECT_THAT(world.settle_job(), ElementsAre("apply status of Workload " + kWorkloadKey +
                                              " as kueue-job-controller-PodsReady"));
  const auto reason = [&] {
    return objects::find_condition(world.only_workload().status.conditions, conditions::kPodsReady)
        ->reason;
  };
  EXPECT_EQ(reason(), "Started");
  world.job.status.ready = 1;
  world.settle_job();
  EXPECT_EQ(reason(), "WaitForRecovery");
  world.job.status.ready = 2;
  world.settle_job();
  EXPECT_EQ(reason(), "Recovered");
}

TEST(JobReconciler, ReadinessOfAnEarlierAdmissionIsTakenBack) {
  World world = running(2);
  world.settings.wait_for_pods_ready = true;
  world.job.status.ready = 2;
  world.settle_job();
  world.decide(evict(world.only_workload(), "ClusterQueueStopped", "The ClusterQueue is stopped"));
  world.settle_job();
  const objects::Condition* ready =
      objects::find_condition(world.only_workload().status.conditions, conditions::kPodsReady);
  EXPECT_EQ(ready->status, objects::ConditionStatus::False);
  EXPECT_EQ(ready->reason, "WaitForStart");
  EXPECT_EQ(ready->message, "Not all pods are ready or succeeded");
}

TEST(JobReconciler, AMissingPriorityClassIsSaidOnTheJob) {
  World world;
  world.job.meta.labels[std::string(names::kPriorityClass)] = "rush";
  world.priority = error(Errc::NotFound, "WorkloadPriorityClass \"rush\" not found");
  JobView view;
  view.job = world.job;
  view.priority = world.priority;
  const Plan plan = reconcile(view, world.settings, kNow);
  ASSERT_EQ(plan.writes.size(), 1u);
  EXPECT_EQ(describe(plan.writes[0]), "event WorkloadPriorityClassNotFound on team/train");
}

TEST(JobReconciler, TheAdmissionGateFollowsTheJob) {
  World world;
  world.job.meta.annotations[std::string(names::kAdmissionGatedBy)] = "example.com/ok";
  world.settle_job();
  EXPECT_EQ(world.only_workload().meta.annotations.at("kueue.x-k8s.io/admission-gated-by"),
            "example.com/ok");
  world.job.meta.annotations.clear();
  world.settle_job();
  EXPECT_TRUE(world.only_workload().meta.annotations.empty());
}

// The budget of an admitted one-pod Job: create, (admission's own) status, start, finish; and one
// more with a gang.
TEST(JobReconciler, WritesOfAJobFromQueueToEnd) {
  World world;
  PodTemplate pod = gpu_pod();
  pod.scheduling_group = "train";
  world.job.pod_template = source_of(pod);
  std::vector<std::string> all = world.settle_job();
  const auto append = [&](std::vector<std::string> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  world.decide(admit(world.only_workload()));
  append(world.settle_job());
  world.job.status.active = 1;
  world.job.status.ready = 1;
  append(world.settle_job());
  world.job.status.ready = 0;
  world.job.status.succeeded = 1;
  append(world.settle_job());
  end_job(world.job, "Complete", "done");
  append(world.settle_job());
  std::erase_if(all, [](const std::string& write) { return write.starts_with("event "); });
  EXPECT_THAT(all, ElementsAre("create Workload " + kWorkloadKey, "create PodGroup team/train",
                               "patch Job team/train",
                               "apply status of Workload " + kWorkloadKey +
                                   " as kueue-job-controller-Finished"));
}

}  // namespace
}  // namespace quorate::controller
