// The single operations and the traces.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/objects/json.h"
#include "src/simulate/op_trace.h"
#include "src/simulate/testing/run_text.h"
#include "src/simulate/trace.h"

namespace quorate::simulate {
namespace {

using objects::Json;
using objects::JsonDocument;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Ran;
using testing::run_text;

// --- admission-review ---

Ran review(const std::string& text) {
  Options options;
  options.op = "admission-review";
  return run_text(text, options);
}

TEST(AdmissionReview, JudgesTheCreationOfEachObject) {
  const Ran ran = review(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: good}\nspec: "
      "{}\n---\n"
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: bad}\n"
      "spec: {tolerations: [{key: a b, operator: Exists}]}\n");
  ASSERT_EQ(ran.status, kRan) << ran.err;
  JsonDocument document;
  ASSERT_TRUE(document.parse(ran.out));
  std::vector<std::string> verdicts;
  document.root()["reviews"].each([&](Json each) {
    const Json response = each["response"];
    verdicts.push_back(each["object"].text() + " " +
                       (response["allowed"].boolean() ? "yes" : "no") + " " +
                       std::to_string(response["status"]["code"].int64()));
  });
  EXPECT_THAT(verdicts, ElementsAre("ClusterQueue good yes 200", "ResourceFlavor bad no 403"));
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          R"("patch":[{"op":"add","path":"/metadata/finalizers","value":["kueue.x-k8s.io/resource-in-use"]}])"));
  EXPECT_THAT(ran.out, HasSubstr("spec.tolerations[0].key: Invalid value"));
}

TEST(AdmissionReview, TakesReviewsAsTheyAreSent) {
  const Ran ran = review(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"7","operation":"UPDATE",
          "object":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w","namespace":"n"},
                    "spec":{"podSets":[{"name":"main","count":1,"template":{}}]},"status":{"clusterName":"x"}},
          "oldObject":{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w","namespace":"n"},
                    "spec":{"podSets":[{"name":"main","count":1,"template":{}}]}}}})");
  ASSERT_EQ(ran.status, kRan) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(R"("uid":"7","allowed":false)"));
  EXPECT_THAT(ran.out, HasSubstr("status.clusterName"));
}

TEST(AdmissionReview, JobsAreSuspendedWhereAQueueTakesThem) {
  const std::string job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: team, labels: "
      "{kueue.x-k8s.io/queue-name: q}}\n"
      "spec: {template: {spec: {containers: [{name: c}]}}}\n";
  EXPECT_THAT(review(job).out, HasSubstr(R"({"op":"add","path":"/spec/suspend","value":true})"));
  EXPECT_THAT(review(job + "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
                           "metadata: {name: default, namespace: team}\n")
                  .status,
              kRan);
}

// --- place ---

std::string node(const std::string& name, const std::string& cpu) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: " + cpu + ", memory: 8Gi, pods: 10}}\n";
}

std::string pod(const std::string& name, const std::string& cpu, const std::string& group = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: team}\nspec: {" +
         (group.empty() ? "" : "schedulingGroup: {podGroupName: " + group + "}, ") +
         "containers: [{name: c, resources: {requests: {cpu: " + cpu + "}}}]}\n";
}

Ran place(const std::string& text) {
  Options options;
  options.op = "place";
  return run_text(text, options);
}

TEST(Place, SaysWhereEachPodGoesAndWhyNot) {
  const Ran ran = place(node("n1", "2") + node("n2", "4") + pod("big", "4") + pod("huge", "9"));
  ASSERT_EQ(ran.status, kRan) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(R"({"pod":"team/big","node":"n2"})"));
  EXPECT_THAT(
      ran.out,
      HasSubstr(
          R"("pod":"team/huge","reason":"Unschedulable","message":"0/2 nodes are available)"));
}

TEST(Place, AGangIsPlacedWholeOrNotAtAll) {
  const std::string group =
      "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: "
      "team}\n"
      "spec: {schedulingPolicy: {gang: {minCount: 3}}}\n";
  const std::string gang = group + pod("a", "2", "g") + pod("b", "2", "g") + pod("c", "2", "g");
  const Ran fits = place(node("n1", "4") + node("n2", "2") + gang);
  EXPECT_THAT(fits.out, HasSubstr(R"("group":"team/g","scheduled":true)")) << fits.out;
  const Ran none = place(node("n1", "4") + gang);
  EXPECT_THAT(none.out, HasSubstr(R"("placed":[])")) << none.out;
  EXPECT_THAT(none.out, HasSubstr(R"("group":"team/g","scheduled":false)"));
}

// --- traces ---

constexpr const char* kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,16384,2,T4\nn2,8000,16384,4,A10\nn3,4000,8192,2,"
    "T4\n";
constexpr const char* kPodsHead =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_"
    "time,scheduled_time\n";

Outcome<Trace> openb(const std::string& pods, const std::string& nodes = kNodes) {
  std::istringstream node_list(nodes), pod_list(kPodsHead + pods);
  return read_openb(node_list, pod_list, {});
}

TEST(OpenbTrace, MakesFlavorsOfModelsAndQueuesOfClasses) {
  const Outcome<Trace> trace = openb(
      "p2,1000,1024,1,460,,LS,Running,20,60,20\n"
      "p1,2000,2048,2,1000,T4|A10,BE,Running,10,40,10\n"
      "p3,2000,2048,1,1000,,BE,Failed,50,50,50\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->objects.of<objects::ResourceFlavor>().size(), 2u);
  EXPECT_EQ(trace->objects.of<objects::ClusterQueue>().size(), 2u);
  const objects::Cohort& cohort = trace->objects.of<objects::Cohort>().begin()->second;
  const objects::FlavorQuotas& t4 = cohort.resource_groups[0].flavors[1];
  EXPECT_EQ(t4.name, "t4");
  EXPECT_EQ(t4.resources[2].nominal, Quantity{4});       // 2 + 2 GPUs
  EXPECT_EQ(t4.resources[0].nominal, Quantity{12'000});  // 8 + 4 cores
  ASSERT_EQ(trace->arrivals.size(), 2u);
  EXPECT_EQ(trace->arrivals[0].workload.meta.key.name, "p1");
  EXPECT_EQ(trace->arrivals[0].runtime, Duration::seconds(30));
  EXPECT_THAT(trace->notes, ElementsAre("1 pods without a runtime left out",
                                        "1 pods that asked for a part of a GPU take one"));
}

TEST(OpenbTrace, BadTablesAreNamedWithTheirLine) {
  EXPECT_THAT(openb("p,x,1,1,1,,LS,R,0,1,0\n").error().message,
              HasSubstr("pods: line 2: cpu_milli: must be a whole number, not \"x\""));
  EXPECT_THAT(openb("p,1,1\n").error().message, HasSubstr("pods: line 2: 3 cells instead of 11"));
  EXPECT_THAT(openb("", "sn,cpu\n").error().message,
              HasSubstr("nodes: line 1: column \"cpu_milli\" is missing"));
  EXPECT_THAT(openb("", "").error().message, HasSubstr("no line with the names of the columns"));
  EXPECT_THAT(openb("\"p,1\n").error().message, HasSubstr("a quote is not closed"));
}

TEST(PhillyTrace, DividesTheGpusByTheirUse) {
  std::istringstream jobs(
      "timestamp,duration,num_gpus,gpu_time,cluster\n"
      "2017-10-09 07:01:55,300.0,1,300.0,aa\n"
      "2017-10-09 06:00:00,100.0,1,100.0,bb\n"
      "2017-10-09 06:00:00,0,1,0,bb\n");
  const Outcome<Trace> trace = read_philly(jobs, {.gpus = 8});
  ASSERT_TRUE(trace) << trace.error().message;
  const auto& queues = trace->objects.of<objects::ClusterQueue>();
  // 300 and 100 GPU seconds: 6 and 2 of 8.
  EXPECT_EQ(queues.at({"", "vc-aa"}).resource_groups[0].flavors[0].resources[0].nominal,
            Quantity{6});
  EXPECT_EQ(queues.at({"", "vc-bb"}).resource_groups[0].flavors[0].resources[0].nominal,
            Quantity{2});
  ASSERT_EQ(trace->arrivals.size(), 2u);
  EXPECT_EQ(trace->arrivals[0].workload.queue_name, "vc-bb");  // came an hour earlier
  EXPECT_EQ(trace->arrivals[0].workload.meta.key.name, "job-000002");
}

constexpr const char* kShape = R"(
cohorts:
- className: cohort
  count: 2
  queuesSets:
  - className: cq
    count: 3
    nominalQuota: 20
    borrowingLimit: 100
    reclaimWithinCohort: Any
    withinClusterQueue: LowerPriority
    workloadsSets:
    - {count: 4, creationIntervalMs: 100, workloads: [{className: small, runtimeMs: 200, priority: 50, request: 1}]}
    - {count: 2, creationIntervalMs: 500, workloads: [{className: large, runtimeMs: 1000, priority: 200, request: 20}]}
)";

TEST(PerformanceTrace, MakesQueuesOfSetsAndLetsWorkloadsComeAtTheirInterval) {
  std::istringstream file(kShape);
  const Outcome<Trace> trace = read_performance(file);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto& queues = trace->objects.of<objects::ClusterQueue>();
  EXPECT_EQ(queues.size(), 6u);
  const objects::ClusterQueue& last = queues.at({"", "cohort-2-cq-3"});
  EXPECT_EQ(last.cohort, "cohort-2");
  EXPECT_EQ(last.resource_groups[0].flavors[0].resources[0].borrowing_limit, Quantity{100'000});
  EXPECT_EQ(last.preemption.within_cluster_queue, objects::PreemptionPolicy::LowerPriority);
  ASSERT_EQ(trace->arrivals.size(), 36u);
  const Arrival& arrival = trace->arrivals.back();
  EXPECT_EQ(arrival.workload.meta.key.name, "cohort-2-cq-3-2-large-00002");
  EXPECT_EQ(arrival.at - trace->arrivals.front().at, Duration::millis(900));  // 1000 - 100
  EXPECT_EQ(arrival.runtime, Duration::seconds(1));
  EXPECT_EQ(arrival.workload.priority, 200);
}

TEST(PerformanceTrace, NodesAreTheLeavesOfTheTopology) {
  std::istringstream file(
      "topology: {name: t, levels: [{name: rack, count: 2, nodeLabel: example.com/rack}, {name: "
      "node, "
      "count: 3, nodeLabel: kubernetes.io/hostname, capacity: {cpu: 8}}]}\n"
      "resourceFlavor: {name: tas, nodeLabel: example.com/pool}\n"
      "cohorts: [{queuesSets: [{nominalQuota: 48, workloadsSets: [{count: 1, workloads: [{request: "
      "1, podCount: 4, tasConstraint: required, tasLevel: example.com/rack}]}]}]}]\n");
  const Outcome<Trace> trace = read_performance(file);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto& nodes = trace->objects.of<objects::Node>();
  ASSERT_EQ(nodes.size(), 6u);
  const objects::Node& node = nodes.at({"", "node-4"});
  EXPECT_EQ(node.meta.labels.at("example.com/rack"), "rack-2");
  EXPECT_EQ(node.meta.labels.at("example.com/pool"), "tas");
  EXPECT_EQ(node.allocatable.at("cpu"), Quantity{8000});
  const objects::PodSet& set = trace->arrivals.front().workload.pod_sets.front();
  EXPECT_EQ(set.count, 4);
  EXPECT_EQ(set.topology->required, "example.com/rack");
}

TEST(PerformanceTrace, BadFilesAreNamedWithTheirField) {
  const auto fault = [](const std::string& text) {
    std::istringstream file(text);
    return read_performance(file).error().message;
  };
  EXPECT_EQ(fault("a: 1\n"), "cohorts: no workloads in it");
  EXPECT_THAT(fault("cohorts: [{count: -1}]\n"), HasSubstr("cohorts[0].count: Invalid value: -1"));
  EXPECT_THAT(fault("cohorts: [{queuesSets: [{nominalQuota: 1, withinClusterQueue: Some}]}]\n"),
              HasSubstr("cohorts[0].queuesSets[0].withinClusterQueue: Unsupported value"));
  EXPECT_THAT(fault("cohorts: [\n"), HasSubstr("invalid YAML"));
}

TEST(MakespanBound, IsTheWorkThatIsLeftOrTheLastJob) {
  const auto bound = [](const std::string& sets) {
    std::istringstream file("cohorts: [{queuesSets: [{nominalQuota: 10, workloadsSets: [" + sets +
                            "]}]}]\n");
    return makespan_bound(*read_performance(file));
  };
  // 4 * 10 cpu * 2 s on 10 cpu, all but the first 1, 2 and 3 s later: 8 s from the first on.
  EXPECT_EQ(
      bound("{count: 4, creationIntervalMs: 1000, workloads: [{request: 10, runtimeMs: 2000}]}"),
      Duration::seconds(8));
  // With a tenth of the work the last one, 3 s later, ends last.
  EXPECT_EQ(
      bound("{count: 4, creationIntervalMs: 1000, workloads: [{request: 1, runtimeMs: 2000}]}"),
      Duration::seconds(5));
}

TEST(MakespanBound, NoRunEndsEarlier) {
  std::istringstream file(kShape);
  const std::string path = ::testing::TempDir() + "quorate-shape.yaml";
  std::ofstream(path) << kShape;
  std::istringstream in;
  std::ostringstream out, err;
  ASSERT_EQ(op_trace({.format = "kueue-performance", .files = {path}}, {},
                     {.in = in, .out = out, .err = err}),
            kRan)
      << err.str();
  std::filesystem::remove(path);
  JsonDocument document;
  ASSERT_TRUE(document.parse(out.str()));
  const Json root = document.root();
  EXPECT_EQ(root["waiting"].int64(), 0);
  // The large ones, 0.4 s after the first arrival: 3 * 2 * 20 cpu * 1 s on 60 cpu take 2 s more.
  EXPECT_DOUBLE_EQ(*root["boundSeconds"].maybe_number(), 2.4);
  EXPECT_GE(*root["seconds"].maybe_number(), *root["boundSeconds"].maybe_number());
}

}  // namespace
}  // namespace quorate::simulate
