#include "src/translate/translate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/objects/codec.h"

namespace quorate::translate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The tests read real documents, so that what is checked is the whole way from the API to the
// engine.
template <class T>
T read(std::string_view json) {
  Outcome<T> object = objects::decode_json<T>(json);
  EXPECT_TRUE(object) << object.error().message;
  return object ? *std::move(object) : T{};
}

TEST(TranslateNode, CarriesWhatDecidesAboutPods) {
  const auto spec = to_spec(read<objects::Node>(R"({
    "apiVersion":"v1","kind":"Node",
    "metadata":{"name":"n1","uid":"u1","labels":{"zone":"a"}},
    "spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]},
    "status":{"capacity":{"cpu":"9"},"allocatable":{"cpu":"8","memory":"1Gi","nvidia.com/gpu":"8"},
              "conditions":[{"type":"Ready","status":"True"}]}})"));
  EXPECT_EQ(spec, (cluster::NodeSpec{"n1",
                                     "u1",
                                     {{"zone", "a"}},
                                     {{"k", "v", "NoSchedule"}},
                                     true,
                                     true,
                                     {{"cpu", Quantity{8000}},
                                      {"memory", Quantity{1 << 30}},
                                      {"nvidia.com/gpu", Quantity{8}}}}));
}

TEST(TranslateNode, IsReadyOnlyIfItSaysSo) {
  for (const char* conditions : {"[]", R"([{"type":"Ready","status":"False"}])",
                                 R"([{"type":"Ready","status":"Unknown"}])"}) {
    const std::string json = std::string(R"({"apiVersion":"v1","kind":"Node",
      "metadata":{"name":"n"},"status":{"conditions":)") +
                             conditions + "}}";
    EXPECT_FALSE(to_spec(read<objects::Node>(json)).ready) << conditions;
  }
}

TEST(TranslatePod, CarriesRequestsGroupAndState) {
  const auto spec = to_spec(read<objects::Pod>(R"({
    "apiVersion":"v1","kind":"Pod",
    "metadata":{"namespace":"ns","name":"p","uid":"u","creationTimestamp":"1970-01-01T00:00:07Z",
                "deletionTimestamp":"1970-01-01T00:00:09Z",
                "labels":{"scheduling.x-k8s.io/pod-group":"g"}},
    "spec":{"nodeName":"n1","schedulerName":"quorate-scheduler",
            "containers":[{"name":"a","resources":{"requests":{"cpu":"500m"}}},
                          {"name":"b","resources":{"requests":{"cpu":"1"}}}],
            "initContainers":[{"name":"i","resources":{"requests":{"cpu":"200m","memory":"5"}}}]},
    "status":{"phase":"Pending","nominatedNodeName":"n2",
              "conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",
                             "message":"0/1"}]}})"));
  EXPECT_EQ(spec.key, (ObjectKey{"ns", "p"}));
  EXPECT_EQ(spec.uid, "u");
  EXPECT_EQ(spec.requests, (ResourceList{{"cpu", Quantity{1500}}, {"memory", Quantity{5}}}));
  EXPECT_EQ(spec.spec->scheduler_name, "quorate-scheduler");
  EXPECT_EQ(spec.node, "n1");
  EXPECT_EQ(spec.nominated_node, "n2");
  EXPECT_EQ(spec.phase, cluster::PodPhase::Pending);
  EXPECT_TRUE(spec.terminating);
  EXPECT_EQ(spec.created, Time::from_seconds(7));
  EXPECT_EQ(spec.group, "g");
  EXPECT_EQ(spec.unschedulable_reason, "Unschedulable");
  EXPECT_EQ(spec.unschedulable_message, "0/1");
}

TEST(TranslateQueue, AnAnnotationSaysWhetherPlacesAreProven) {
  objects::ClusterQueue queue;
  queue.meta.key.name = "q";
  EXPECT_EQ(to_spec(queue).prove_placement, std::nullopt);
  std::string& text = queue.meta.annotations["quorate.dev/placement-verification"];
  text = "Disabled";
  EXPECT_EQ(to_spec(queue).prove_placement, false);
  text = "Enabled";
  EXPECT_EQ(to_spec(queue).prove_placement, true);
  text = "off";
  EXPECT_EQ(to_spec(queue).defect,
            "metadata.annotations[quorate.dev/placement-verification]: Unsupported value: \"off\": "
            "supported values: \"Disabled\", \"Enabled\"");
}

TEST(TranslatePod, TheNativeLinkComesBeforeTheLabel) {
  const auto spec = to_spec(read<objects::Pod>(R"({
    "apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"p","labels":{"scheduling.x-k8s.io/pod-group":"fallback"}},
    "spec":{"schedulingGroup":{"podGroupName":"native"},"containers":[]}})"));
  EXPECT_EQ(spec.group, "native");
}

TEST(TranslatePod, SaysWhichWorkloadItIsOf) {
  const auto spec = to_spec(read<objects::Pod>(R"({
    "apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"p","annotations":{"kueue.x-k8s.io/workload":"job-a","other":"x"},
                "labels":{"kueue.x-k8s.io/podset":"main","app":"x"}},
    "spec":{"schedulerName":"s","containers":[]}})"));
  EXPECT_EQ(spec.spec->annotations, (Labels{{"kueue.x-k8s.io/workload", "job-a"}}));
  EXPECT_EQ(spec.spec->labels, (Labels{{"kueue.x-k8s.io/podset", "main"}}));
  EXPECT_EQ(spec.spec->scheduler_name, "s");
}

TEST(TranslatePod, OneThatIsNotHeardOfKeepsItsNode) {
  objects::Pod pod;
  pod.phase = objects::PodPhase::Unknown;
  EXPECT_FALSE(to_spec(pod).finished());
}

TEST(TranslateClusterQueue, CarriesTheWholeSpec) {
  const auto spec = to_spec(read<objects::ClusterQueue>(R"({
    "apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue",
    "metadata":{"name":"q","uid":"u","generation":3},
    "spec":{"cohortName":"c","queueingStrategy":"StrictFIFO","stopPolicy":"Hold",
      "namespaceSelector":{"matchLabels":{"team":"x"}},
      "flavorFungibility":{"whenCanBorrow":"TryNextFlavor","whenCanPreempt":"MayStopSearch"},
      "preemption":{"withinClusterQueue":"LowerPriority","reclaimWithinCohort":"Any",
        "borrowWithinCohort":{"policy":"LowerPriority","maxPriorityThreshold":5}},
      "fairSharing":{"weight":"250m"},
      "admissionScope":{"admissionMode":"UsageBasedAdmissionFairSharing"},
      "admissionChecksStrategy":{"admissionChecks":[{"name":"check","onFlavors":["spot"]}]},
      "resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"spot","resources":[
        {"name":"cpu","nominalQuota":"4","borrowingLimit":"1500m","lendingLimit":"0"}]}]}]}})"));
  admission::ClusterQueueSpec want;
  want.name = "q";
  want.uid = "u";
  want.generation = 3;
  want.cohort = "c";
  want.resource_groups = {
      {{"cpu"}, {{"spot", {{"cpu", Quantity{4000}, Limit{Quantity{1500}}, Limit{Quantity{0}}}}}}}};
  want.namespace_selector = LabelSelector{{{"team", Requirement::Op::In, {"x"}}}};
  want.strategy = admission::QueueingStrategy::StrictFifo;
  want.stop_policy = admission::StopPolicy::Hold;
  want.when_can_borrow = admission::FungibilityPolicy::TryNextFlavor;
  want.when_can_preempt = admission::FungibilityPolicy::MayStopSearch;
  want.within_cluster_queue = admission::PreemptionPolicy::LowerPriority;
  want.reclaim_within_cohort = admission::PreemptionPolicy::Any;
  want.borrow_within_cohort = {admission::PreemptionPolicy::LowerPriority, 5};
  want.fair_weight = 250'000'000;
  want.by_usage = true;
  want.admission_checks = {{"check", {"spot"}}};
  EXPECT_EQ(spec, want) << spec.defect;
}

objects::ClusterQueue queue_of(const std::string& resource, Quantity nominal) {
  objects::ClusterQueue queue;
  queue.meta.key.name = "q";
  queue.resource_groups = {{{resource}, {{"f", {{resource, nominal}}}}}};
  return queue;
}

TEST(TranslateClusterQueue, QuotaAtTheEndOfTheRangeIsUnlimited) {
  const auto nominal = [](const std::string& resource, std::int64_t units) {
    const auto spec = to_spec(queue_of(resource, Quantity{units}));
    return spec.resource_groups.at(0).flavors.at(0).resources.at(0).nominal;
  };
  // floor((2^63 - 1) / 1000) cores
  EXPECT_EQ(nominal("cpu", 9223372036854775000), Quantity::max());
  EXPECT_EQ(nominal("cpu", 9223372036854774999), Quantity{9223372036854774999});
  EXPECT_EQ(nominal("gpu", 9223372036854775000), Quantity{9223372036854775000});
}

TEST(TranslateClusterQueue, AFaultIsADefectThatNamesTheField) {
  const auto spec = to_spec(queue_of("cpu", Quantity{-1}));
  EXPECT_THAT(spec.defect,
              testing::StartsWith("spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"));
  EXPECT_THAT(spec.resource_groups, IsEmpty());

  const auto unreadable = unreadable_cluster_queue("q", "u", "spec.cohortName: not a string");
  EXPECT_EQ(unreadable.name, "q");
  EXPECT_EQ(unreadable.defect, "spec.cohortName: not a string");
}

TEST(TranslateClusterQueue, NoSelectorAndAnEmptyOneDiffer) {
  objects::ClusterQueue queue;
  queue.meta.key.name = "q";
  EXPECT_FALSE(to_spec(queue).namespace_selector.has_value());
  queue.namespace_selector.emplace();
  EXPECT_TRUE(to_spec(queue).namespace_selector.has_value());
}

TEST(TranslateClusterQueue, AWeightIsExact) {
  objects::ClusterQueue queue;
  queue.meta.key.name = "q";
  queue.weight = 2;  // 2n
  EXPECT_EQ(to_spec(queue).fair_weight, 2);
  queue.weight = 0;
  EXPECT_EQ(to_spec(queue).fair_weight, 0);
}

TEST(TranslateCohort, ANegativeWeightIsReportedAndCountsAsZero) {
  objects::Cohort cohort;
  cohort.meta.key.name = "c";
  cohort.weight = -1;
  Defects defects;
  EXPECT_EQ(to_spec(cohort, &defects).fair_weight, 0);
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0].path, "spec.fairSharing.weight");
}

TEST(TranslateCohort, NegativeQuotaIsReportedAndOwnsNothing) {
  objects::Cohort cohort;
  cohort.meta.key.name = "c";
  cohort.parent = "root";
  cohort.resource_groups = {{{"cpu"}, {{"f", {{"cpu", Quantity{4}}}}}}};
  Defects defects;
  EXPECT_EQ(to_spec(cohort, &defects).resource_groups.size(), 1u);
  EXPECT_THAT(defects, IsEmpty());
  cohort.resource_groups[0].flavors[0].resources[0].lending_limit = Quantity{-1};
  const auto spec = to_spec(cohort, &defects);
  EXPECT_EQ(spec.parent, "root");
  EXPECT_THAT(spec.resource_groups, IsEmpty());
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0].path, "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit");
}

TEST(TranslateWorkload, CarriesSpecAndStatus) {
  const auto spec = to_spec(read<objects::Workload>(R"({
    "apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",
    "metadata":{"namespace":"ns","name":"w","uid":"u","generation":2,
      "creationTimestamp":"1970-01-01T00:00:07Z",
      "annotations":{"kueue.x-k8s.io/priority-boost":"-3",
                     "kueue.x-k8s.io/admission-gated-by":"example.com/gate"},
      "ownerReferences":[
        {"apiVersion":"v1","kind":"Pod","name":"other","uid":"o"},
        {"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","name":"g","uid":"gu",
         "controller":true}]},
    "spec":{"queueName":"lq","priority":10,"active":false,
      "podSets":[{"name":"main","count":4,"minCount":2,
        "topologyRequest":{"required":"rack"},
        "template":{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}}]},
    "status":{
      "conditions":[{"type":"QuotaReserved","status":"True","reason":"QuotaReserved","message":"m",
                     "lastTransitionTime":"1970-01-01T00:00:08Z"}],
      "admission":{"clusterQueue":"q","podSetAssignments":[
        {"name":"main","flavors":{"cpu":"spot"},"resourceUsage":{"cpu":"4"}}]},
      "admissionChecks":[{"name":"check","state":"Retry","message":"",
        "lastTransitionTime":"1970-01-01T00:00:09Z","requeueAfterSeconds":30}],
      "reclaimablePods":[{"name":"main","count":1}],
      "requeueState":{"count":2,"requeueAt":"1970-01-01T00:01:00Z"}}})"));
  EXPECT_EQ(spec.key, (ObjectKey{"ns", "w"}));
  EXPECT_EQ(spec.queue_name, "lq");
  EXPECT_EQ(spec.priority, 10);
  EXPECT_EQ(spec.priority_boost, -3);
  EXPECT_EQ(spec.created, Time::from_seconds(7));
  EXPECT_FALSE(spec.active);
  EXPECT_TRUE(spec.gated);
  ASSERT_EQ(spec.pod_sets.size(), 1u);
  EXPECT_EQ(spec.pod_sets[0].count, 4);
  EXPECT_EQ(spec.pod_sets[0].min_count, 2);
  EXPECT_EQ(spec.pod_sets[0].topology->required_level, "rack");
  EXPECT_EQ(pod_requests(*spec.pod_sets[0].pod), (ResourceList{{"cpu", Quantity{1000}}}));
  // The count is left out: it is that of the pod set.
  EXPECT_EQ(spec.admission,
            (admission::Admission{
                "q", {{"main", {{"cpu", "spot"}}, {{"cpu", Quantity{4000}}}, 4, std::nullopt}}}));
  EXPECT_THAT(spec.conditions, ElementsAre(admission::ConditionView{
                                   "QuotaReserved", admission::ConditionView::Status::True,
                                   "QuotaReserved", "m", Time::from_seconds(8)}));
  EXPECT_THAT(spec.checks, ElementsAre(admission::CheckStatus{"check", admission::CheckState::Retry,
                                                              Time::from_seconds(9), 30}));
  EXPECT_EQ(spec.reclaimable_pods, (std::map<std::string, std::int32_t>{{"main", 1}}));
  EXPECT_EQ(spec.requeue_at, Time::from_seconds(60));
  EXPECT_EQ(spec.requeue_count, 2);
  EXPECT_EQ(spec.owner_kind, "PodGroup");
  EXPECT_EQ(spec.owner_name, "g");
  EXPECT_EQ(spec.owner_uid, "gu");
}

TEST(TranslateWorkload, AnAdmissionWithoutItsConditionDoesNotCount) {
  objects::Workload workload;
  workload.status.admission = objects::Admission{"q", {}};
  EXPECT_FALSE(to_spec(workload).admission.has_value());
  workload.status.conditions = {{"QuotaReserved", objects::ConditionStatus::False}};
  EXPECT_FALSE(to_spec(workload).admission.has_value());
  workload.status.conditions = {{"QuotaReserved", objects::ConditionStatus::True}};
  EXPECT_TRUE(to_spec(workload).admission.has_value());
}

TEST(TranslateWorkload, BadFieldsAreReportedByPath) {
  objects::Workload workload;
  workload.meta.annotations = {{"kueue.x-k8s.io/priority-boost", "much"}};
  workload.pod_sets.resize(2);
  workload.pod_sets[1].count = -4;
  Defects defects;
  const auto spec = to_spec(workload, &defects);
  EXPECT_EQ(spec.priority_boost, 0);
  EXPECT_EQ(spec.pod_sets[1].count, 0);
  EXPECT_THAT(defects, ElementsAre(Defect{"metadata.annotations[kueue.x-k8s.io/priority-boost]",
                                          "\"much\" is not a 32-bit integer; taken as 0"},
                                   Defect{"spec.podSets[1].count", "-4 is negative; taken as 0"}));
}

TEST(TranslatePodGroup, NativeAndFallbackAreOneThing) {
  const auto native = to_spec(read<objects::PodGroup>(R"({
    "apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",
    "metadata":{"namespace":"ns","name":"g","uid":"u",
                "labels":{"kueue.x-k8s.io/queue-name":"lq"}},
    "spec":{"schedulingPolicy":{"gang":{"minCount":4}},"priority":7},
    "status":{"conditions":[{"type":"PodGroupInitiallyScheduled","status":"False",
                             "reason":"Unschedulable","message":"m"}]}})"));
  EXPECT_TRUE(native.native);
  EXPECT_TRUE(native.gang);
  EXPECT_EQ(native.min_count, 4);
  EXPECT_EQ(native.priority, 7);
  EXPECT_TRUE(native.needs_admission);
  EXPECT_FALSE(native.initially_scheduled);
  EXPECT_EQ(native.condition_reason, "Unschedulable");

  const auto fallback = to_spec(read<objects::PodGroup>(R"({
    "apiVersion":"scheduling.x-k8s.io/v1alpha1","kind":"PodGroup",
    "metadata":{"namespace":"ns","name":"g"},"spec":{"minMember":3}})"));
  EXPECT_FALSE(fallback.native);
  EXPECT_TRUE(fallback.gang);
  EXPECT_EQ(fallback.min_count, 3);
  EXPECT_EQ(fallback.priority, std::nullopt);
  EXPECT_FALSE(fallback.needs_admission);
}

TEST(TranslatePodGroup, ABasicPolicyIsNoGang) {
  const auto spec = to_spec(read<objects::PodGroup>(R"({
    "apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","metadata":{"name":"g"},
    "spec":{"schedulingPolicy":{"basic":{}}}})"));
  EXPECT_FALSE(spec.gang);
  EXPECT_EQ(spec.min_count, 1);
}

TEST(TranslateOthers, CarryWhatAdmissionReads) {
  objects::LimitRange range;
  range.meta.key = {"ns", "lr"};
  range.limits = {{"Container", {{"cpu", Quantity{1}}}, {}, {}, {{"cpu", Quantity{2}}}},
                  {"PersistentVolumeClaim", {{"storage", Quantity{9}}}, {}, {}, {}},
                  {"Pod", {}, {{"cpu", Quantity{3}}}, {}, {}}};
  EXPECT_EQ(to_spec(range), (admission::LimitRangeSpec{
                                {"ns", "lr"},
                                {{false, {{"cpu", Quantity{1}}}, {}, {}, {{"cpu", Quantity{2}}}},
                                 {true, {}, {{"cpu", Quantity{3}}}, {}, {}}}}));

  objects::AdmissionCheck check;
  check.meta.key.name = "check";
  check.controller_name = "example.com/c";
  EXPECT_FALSE(to_spec(check).active);
  check.conditions = {{"Active", objects::ConditionStatus::True}};
  EXPECT_EQ(to_spec(check), (admission::AdmissionCheckSpec{"check", "example.com/c", true}));

  objects::LocalQueue queue;
  queue.meta.key = {"ns", "lq"};
  queue.cluster_queue = "q";
  queue.stop = objects::StopPolicy::HoldAndDrain;
  queue.meta.deleted = Time{};
  EXPECT_EQ(to_spec(queue), (admission::LocalQueueSpec{{"ns", "lq"},
                                                       "",
                                                       "q",
                                                       admission::StopPolicy::HoldAndDrain,
                                                       fairshare::kWeightOne,
                                                       true}));

  objects::ResourceFlavor flavor;
  flavor.meta.key.name = "spot";
  flavor.node_labels = {{"pool", "spot"}};
  flavor.node_taints = {{"spot", "", "NoSchedule"}};
  flavor.tolerations = {{"spot", "Exists"}};
  flavor.topology = "racks";
  EXPECT_EQ(to_spec(flavor), (admission::FlavorSpec{"spot",
                                                    {{"pool", "spot"}},
                                                    {{"spot", "", "NoSchedule"}},
                                                    {{"spot", "Exists"}},
                                                    "racks"}));
}

}  // namespace
}  // namespace quorate::translate
