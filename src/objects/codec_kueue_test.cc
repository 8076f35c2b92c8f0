#include <gmock/gmock.h>

#include "src/objects/codec.h"
#include "src/objects/encode.h"
#include "src/objects/flavors.h"
#include "src/objects/queues.h"
#include "src/objects/workload.h"

namespace quorate::objects {
namespace {

template <class T>
std::string fault_of(std::string_view text) {
  const Outcome<T> decoded = decode_json<T>(text);
  return decoded ? "none" : decoded.error().message;
}

template <class T>
T good(std::string_view text) {
  const Outcome<T> decoded = decode_json<T>(text);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded.value_or(T{});
}

TEST(ClusterQueueJson, ReadsEveryField) {
  const auto queue = good<ClusterQueue>(R"({
    "apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{"name":"team"},
    "spec":{
      "cohortName":"root","queueingStrategy":"StrictFIFO","stopPolicy":"HoldAndDrain",
      "namespaceSelector":{"matchLabels":{"a":"b"},
        "matchExpressions":[{"key":"k","operator":"NotIn","values":["x","y"]}]},
      "resourceGroups":[{"coveredResources":["cpu","memory"],"flavors":[{"name":"f","resources":[
        {"name":"cpu","nominalQuota":"1500m","borrowingLimit":2,"lendingLimit":"0.5"},
        {"name":"memory","nominalQuota":"1Gi"}]}]}],
      "flavorFungibility":{"whenCanBorrow":"TryNextFlavor","whenCanPreempt":"TryNextFlavor",
        "preference":"PreemptionOverBorrowing"},
      "preemption":{"withinClusterQueue":"LowerOrNewerEqualPriority","reclaimWithinCohort":"Any",
        "borrowWithinCohort":{"policy":"LowerPriority","maxPriorityThreshold":-5}},
      "admissionChecksStrategy":{"admissionChecks":[{"name":"c","onFlavors":["f"]},{"name":"d"}]},
      "fairSharing":{"weight":"250m"},
      "admissionScope":{"admissionMode":"UsageBasedAdmissionFairSharing"},
      "concurrentAdmissionPolicy":{"migration":{"mode":"TryPreferredFlavors",
        "constraints":{"lastAcceptableFlavorName":"f"}}}},
    "status":{"pendingWorkloads":3,"fairSharing":{"weightedShare":9223372036854775807}}})");
  const ClusterQueue want{
      .meta = {.key = {"", "team"}},
      .resource_groups = {{.covered_resources = {"cpu", "memory"},
                           .flavors = {{"f",
                                        {{"cpu", Quantity{1500}, Quantity{2000}, Quantity{500}},
                                         {"memory", Quantity{1 << 30}, {}, {}}}}}}},
      .cohort = "root",
      .strategy = QueueingStrategy::StrictFIFO,
      .namespace_selector = LabelSelector{{{"a", Requirement::Op::In, {"b"}},
                                           {"k", Requirement::Op::NotIn, {"x", "y"}}}},
      .fungibility = {FlavorSearch::TryNextFlavor, FlavorSearch::TryNextFlavor,
                      FungibilityPreference::PreemptionOverBorrowing},
      .preemption = {PreemptionPolicy::LowerOrNewerEqualPriority, PreemptionPolicy::Any,
                     PreemptionPolicy::LowerPriority, -5},
      .admission_checks = {{"c", {"f"}}, {"d", {}}},
      .stop = StopPolicy::HoldAndDrain,
      .weight = 250'000'000,
      .admission_mode = AdmissionMode::UsageBasedAdmissionFairSharing,
      .concurrent_admission = ConcurrentAdmission{MigrationMode::TryPreferredFlavors, true, "f"},
      .status = {.pending = 3, .weighted_share = 9223372036854775807}};
  EXPECT_EQ(queue, want);
}

TEST(ClusterQueueJson, DefaultsWhatIsLeftOut) {
  EXPECT_EQ(good<ClusterQueue>(R"({"metadata":{"name":"q"}})"),
            (ClusterQueue{.meta = {.key = {"", "q"}}}));
  // Absent matches no namespace, empty matches all: they must stay apart.
  EXPECT_FALSE(good<ClusterQueue>(R"({"spec":{"namespaceSelector":null}})").namespace_selector);
  EXPECT_EQ(good<ClusterQueue>(R"({"spec":{"namespaceSelector":{}}})").namespace_selector,
            LabelSelector{});
}

TEST(ClusterQueueJson, ReadsTheOldVersion) {
  const auto queue = good<ClusterQueue>(R"({"apiVersion":"kueue.x-k8s.io/v1beta1",
    "spec":{"cohort":"c","admissionChecks":["a","b"],
            "admissionChecksStrategy":{"admissionChecks":[{"name":"x"}]},
            "flavorFungibility":{"whenCanBorrow":"Borrow","whenCanPreempt":"Preempt"}}})");
  EXPECT_EQ(queue.cohort, "c");
  EXPECT_EQ(queue.admission_checks, (std::vector<AdmissionCheckRule>{{"a", {}}, {"b", {}}}));
  EXPECT_EQ(queue.fungibility.when_can_preempt, FlavorSearch::MayStopSearch);
}

TEST(KueueJson, FaultsNameTheField) {
  EXPECT_EQ(
      fault_of<ClusterQueue>(R"({"spec":{"resourceGroups":[{"flavors":[{"name":"a",
      "resources":[]},{"name":"b","resources":[{"name":"cpu","nominalQuota":"ten"}]}]}]}})")
          .substr(0, 83),
      "spec.resourceGroups[0].flavors[1].resources[0].nominalQuota: Invalid value: \"ten\": ");
  EXPECT_EQ(
      fault_of<ClusterQueue>(
          R"({"spec":{"resourceGroups":[{"flavors":[{"name":"a","resources":[{"name":"x"}]}]}]}})"),
      "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: Required value");
  EXPECT_EQ(fault_of<LocalQueue>(R"({"spec":{"stopPolicy":"Halt"}})"),
            "spec.stopPolicy: Unsupported value: \"Halt\": supported values: \"None\", \"Hold\", "
            "\"HoldAndDrain\"");
  EXPECT_EQ(
      fault_of<ClusterQueue>(R"({"spec":{"flavorFungibility":{"whenCanBorrow":"Borrow"}}})"),
      "spec.flavorFungibility.whenCanBorrow: Unsupported value: \"Borrow\": supported values: "
      "\"MayStopSearch\", \"TryNextFlavor\"");
  EXPECT_EQ(fault_of<Cohort>(R"({"spec":[]})"), "spec: Invalid value: []: must be an object");
  EXPECT_EQ(fault_of<WorkloadPriorityClass>("{}"), "value: Required value");
  EXPECT_EQ(fault_of<Workload>(R"({"spec":{"podSets":[{"name":"main"}]}})"),
            "spec.podSets[0].template: Required value");
  EXPECT_EQ(fault_of<Workload>(R"({"spec":{"podSets":[{"template":{},"count":3000000000}]}})"),
            "spec.podSets[0].count: Invalid value: 3000000000: must be a 32-bit integer");
  EXPECT_EQ(fault_of<Workload>("[]"), "must be an object");
}

TEST(FlavorJson, Reads) {
  const auto flavor = good<ResourceFlavor>(R"({"metadata":{"name":"f"},"spec":{
    "nodeLabels":{"l":"v"},"topologyName":"t","nodeTaints":[{"key":"k","value":"v","effect":"NoSchedule"}],
    "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":3}]}})");
  const ResourceFlavor want{.meta = {.key = {"", "f"}},
                            .node_labels = {{"l", "v"}},
                            .node_taints = {{"k", "v", "NoSchedule"}},
                            .tolerations = {{"k", "Exists", "", "NoExecute", 3}},
                            .topology = "t"};
  EXPECT_EQ(flavor, want);
  EXPECT_EQ(good<Topology>(R"({"spec":{"levels":[{"nodeLabel":"a"},{"nodeLabel":"b"}]}})").levels,
            (std::vector<std::string>{"a", "b"}));
}

Workload full_workload() {
  Workload workload;
  workload.meta = {.key = {"ns", "w"},
                   .labels = {{"kueue.x-k8s.io/job-uid", "u"}},
                   .owners = {{"batch/v1", "Job", "j", "u", true, true}},
                   .finalizers = {"kueue.x-k8s.io/resource-in-use"}};
  workload.active = false;
  workload.queue_name = "q";
  workload.priority = -1;
  workload.priority_class = PriorityClassRef{"scheduling.k8s.io", "PriorityClass", "high"};
  workload.maximum_execution_seconds = 60;
  workload.preemption_gates = {"kueue.x-k8s.io/multikueue"};
  PodSet set{.name = "workers", .count = 4, .min_count = 2};
  set.pod_template = *parse_template(
      R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"metadata":{"labels":{"a":"b"}}})");
  set.topology = TopologyRequest{.required = "rack",
                                 .unconstrained = false,
                                 .pod_index_label = "idx",
                                 .sub_group_index_label = "sub",
                                 .sub_group_count = 2,
                                 .pod_set_group_name = "g",
                                 .slice_required_topology = "block",
                                 .slice_size = 2,
                                 .slice_constraints = {{"rack", 2}}};
  workload.pod_sets = {set};
  const Time t = Time::from_seconds(1'700'000'000);
  WorkloadStatus& status = workload.status;
  status.conditions = {{"QuotaReserved", ConditionStatus::True, "QuotaReserved", "m", 3, t}};
  status.admission = Admission{
      "cq",
      {{.name = "workers",
        .flavors = {{"cpu", "f"}},
        .usage = {{"cpu", Quantity{4000}}},
        .count = 4,
        .topology = TopologyAssignment{{"rack", "host"}, {{{"r1", "h-1"}, 1}, {{"r1", "h-22"}, 3}}},
        .delayed_topology_request = "Ready"}}};
  status.admission_checks = {
      {.name = "c",
       .state = CheckState::Retry,
       .message = "",
       .last_transition = t,
       .requeue_after_seconds = 5,
       .retry_count = 1,
       .pod_set_updates = {
           {"workers", {{"l", "1"}}, {{"a", "2"}}, {{"n", "3"}}, {{"k", "Exists", "", "", {}}}}}}};
  status.requeue = RequeueState{2, t};
  status.reclaimable_pods = {{"workers", 1}};
  status.resource_requests = {{"workers", {{"cpu", Quantity{4000}}}}};
  status.accumulated_past_execution_seconds = 9;
  status.evictions = {{"Preempted", "", 2}};
  status.unhealthy_nodes = {"n1"};
  status.nominated_cluster_names = {"c1", "c2"};
  status.preemption_gates = {{"kueue.x-k8s.io/multikueue", true, t}};
  return workload;
}

TEST(WorkloadJson, DecodesWhatItEncodes) {
  const Workload workload = full_workload();
  const std::string text = encode_json(workload, WithStatus::Yes);
  EXPECT_EQ(good<Workload>(text), workload);
  EXPECT_EQ(encode_json(good<Workload>(text), WithStatus::Yes), text);
}

TEST(WorkloadJson, ApplyAndPatchHoldTheWholeStatus) {
  const Workload workload = full_workload();
  const auto applied =
      good<Workload>(workload_status_apply(workload.meta.key, "u1", "77", workload.status));
  EXPECT_EQ(applied.status, workload.status);
  EXPECT_EQ(applied.meta.resource_version, "77");
  EXPECT_TRUE(applied.pod_sets.empty());
  EXPECT_EQ(good<Workload>(workload_status_patch("", workload.status)).status, workload.status);
  EXPECT_EQ(workload_status_apply({"n", "w"}, "", "", {}),
            R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",)"
            R"("metadata":{"name":"w","namespace":"n"},"status":{}})");
  EXPECT_THAT(workload_status_patch("5", {}), testing::HasSubstr(R"("admission":null)"));
}

TEST(WorkloadJson, SpecPatchNamesOnlyWhatChanges) {
  EXPECT_EQ(workload_spec_patch("5", {.active = false}),
            R"({"metadata":{"resourceVersion":"5"},"spec":{"active":false}})");
  EXPECT_EQ(workload_spec_patch("", {.queue_name = "", .priority = 3}),
            R"({"spec":{"priority":3,"queueName":null}})");
}

TEST(WorkloadJson, ReadsTheOldVersion) {
  const auto workload = good<Workload>(R"({"apiVersion":"kueue.x-k8s.io/v1beta1",
    "spec":{"priorityClassName":"p","priorityClassSource":"kueue.x-k8s.io/workloadpriorityclass",
            "priority":1},
    "status":{"accumulatedPastExexcutionTimeSeconds":4,"admission":{"podSetAssignments":[
      {"topologyAssignment":{"levels":["h"],"domains":[{"values":["a"],"count":2}]}}]}}})");
  EXPECT_EQ(workload.priority_class,
            (PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass", "p"}));
  EXPECT_EQ(workload.status.accumulated_past_execution_seconds, 4);
  EXPECT_EQ(workload.status.admission->pod_sets[0].topology->domains,
            (std::vector<TopologyDomain>{{{"a"}, 2}}));
}

std::string assignment(std::string_view slices) {
  return R"({"status":{"admission":{"podSetAssignments":[{"topologyAssignment":{"levels":["l"],"slices":)" +
         std::string(slices) + "}}]}}}";
}

TEST(TopologyAssignmentJson, AcceptsAnyLegalSlicing) {
  const auto workload = good<Workload>(assignment(
      R"([{"domainCount":2,"podCounts":{"universal":3},"valuesPerLevel":[{"individual":{"prefix":"n-","roots":["1","2"],"suffix":"x"}}]},
          {"domainCount":1,"podCounts":{"individual":[5]},"valuesPerLevel":[{"universal":"z"}]}])"));
  EXPECT_EQ(workload.status.admission->pod_sets[0].topology->domains,
            (std::vector<TopologyDomain>{{{"n-1x"}, 3}, {{"n-2x"}, 3}, {{"z"}, 5}}));
}

TEST(TopologyAssignmentJson, RefusesIllegalSlices) {
  const char* bad[] = {
      R"([{"domainCount":2,"podCounts":{"universal":3},"valuesPerLevel":[]}])",
      R"([{"domainCount":2,"podCounts":{},"valuesPerLevel":[{"universal":"a"}]}])",
      R"([{"domainCount":2,"podCounts":{"individual":[1]},"valuesPerLevel":[{"universal":"a"}]}])",
      R"([{"domainCount":2,"podCounts":{"universal":1},"valuesPerLevel":[{"individual":{"roots":["a"]}}]}])",
      R"([{"domainCount":2,"podCounts":{"universal":1},"valuesPerLevel":[{}]}])",
      R"([{"domainCount":2000000000,"podCounts":{"universal":1},"valuesPerLevel":[{"universal":"a"}]}])",
      R"([{"domainCount":-1,"podCounts":{"universal":1},"valuesPerLevel":[{"universal":"a"}]}])"};
  for (const char* slices : bad) {
    EXPECT_THAT(
        fault_of<Workload>(assignment(slices)),
        testing::StartsWith("status.admission.podSetAssignments[0].topologyAssignment.slices[0]"))
        << slices;
  }
}

TEST(TopologyAssignmentJson, PullsOutCommonParts) {
  Workload workload;
  workload.status.admission = Admission{
      "q", {{.topology = TopologyAssignment{{"host"}, {{{"aXa"}, 1}, {{"aa"}, 1}, {{"aYa"}, 1}}}}}};
  const std::string text = encode_json(workload, WithStatus::Yes);
  // "aa" is the shortest: prefix and suffix may not share its letters.
  EXPECT_THAT(text,
              testing::HasSubstr(
                  R"("slices":[{"domainCount":3,"podCounts":{"universal":1},"valuesPerLevel":)"
                  R"([{"individual":{"prefix":"a","roots":["X","","Y"],"suffix":"a"}}]}])"));
  EXPECT_EQ(good<Workload>(text).status, workload.status);
}

TEST(QueueStatusPatch, SaysTheWholeStatus) {
  QueueStatus status{.usage = {{"f", {{"cpu", Quantity{1500}, Quantity{500}}}}},
                     .pending = 1,
                     .weighted_share = 7};
  EXPECT_EQ(
      cluster_queue_status_patch("9", status),
      R"({"metadata":{"resourceVersion":"9"},"status":{"admittedWorkloads":0,"conditions":[],)"
      R"("fairSharing":{"weightedShare":7},"flavorsReservation":[],"flavorsUsage":[{"name":"f",)"
      R"("resources":[{"borrowed":"500m","name":"cpu","total":"1500m"}]}],)"
      R"("pendingWorkloads":1,"reservingWorkloads":0}})");
  status.weighted_share.reset();
  EXPECT_THAT(cluster_queue_status_patch("", status), testing::HasSubstr(R"("fairSharing":null)"));
  EXPECT_THAT(local_queue_status_patch("", status),
              testing::AllOf(testing::Not(testing::HasSubstr("borrowed")),
                             testing::HasSubstr(R"("fairSharing":null)")));
  EXPECT_EQ(good<ClusterQueue>(cluster_queue_status_patch("", status)).status, status);
}

TEST(QueueStatusPatch, ALocalQueueSaysWhatItConsumedToTheBillionth) {
  QueueStatus status;
  status.consumed = {{{"cpu", *parse_exact_quantity("1171572875n")},
                      {"memory", *parse_exact_quantity("314491699.005987495")}},
                     Time::from_seconds(0)};
  const std::string text = local_queue_status_patch("", status);
  EXPECT_THAT(text, testing::HasSubstr(
                        R"("fairSharing":{"admissionFairSharingStatus":{"consumedResources":)"
                        R"({"cpu":"1171572875n","memory":"314491699005987495n"},)"
                        R"("lastUpdate":"1970-01-01T00:00:00Z"},"weightedShare":0})"));
  EXPECT_EQ(good<LocalQueue>(text).status.consumed, status.consumed);
}

TEST(CohortStatusPatch, SaysTheShareOrThatThereIsNone) {
  EXPECT_EQ(
      cohort_status_patch("3", 112),
      R"({"metadata":{"resourceVersion":"3"},"status":{"fairSharing":{"weightedShare":112}}})");
  EXPECT_EQ(cohort_status_patch("3", std::nullopt),
            R"({"metadata":{"resourceVersion":"3"},"status":{"fairSharing":null}})");
}

}  // namespace
}  // namespace quorate::objects
