#include <gmock/gmock.h>

#include "src/objects/codec.h"
#include "src/objects/core_kinds.h"
#include "src/objects/encode.h"
#include "src/objects/job.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"

namespace quorate::objects {
namespace {

template <class T>
T good(std::string_view text) {
  const Outcome<T> decoded = decode_json<T>(text);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded.value_or(T{});
}
template <class T>
std::string fault_of(std::string_view text) {
  const Outcome<T> decoded = decode_json<T>(text);
  return decoded ? "none" : decoded.error().message;
}

TEST(PodJson, HostPortsFollowTheNetwork) {
  const auto on_host = good<Pod>(
      R"({"spec":{"hostNetwork":true,"containers":[{"ports":[{"containerPort":80},{"containerPort":1,"hostPort":2,"protocol":"UDP","hostIP":"::1"}]}]}})");
  EXPECT_EQ(on_host.spec->containers[0].host_ports,
            (std::vector<HostPort>{{"", "TCP", 80}, {"::1", "UDP", 2}}));
  const auto apart = good<Pod>(R"({"spec":{"containers":[{"ports":[{"containerPort":80}]}]}})");
  EXPECT_TRUE(apart.spec->containers[0].host_ports.empty());
}

TEST(PodJson, KnowsItsGroup) {
  EXPECT_EQ(group_of(good<Pod>(R"({"spec":{"schedulingGroup":{"podGroupName":"g"}}})")), "g");
  EXPECT_EQ(group_of(good<Pod>(R"({"metadata":{"labels":{"scheduling.x-k8s.io/pod-group":"h"}}})")),
            "h");
  EXPECT_EQ(group_of(Pod{}), "");
}

TEST(PodJson, FaultsNameTheField) {
  EXPECT_THAT(
      fault_of<Pod>(R"({"spec":{"containers":[{},{"resources":{"requests":{"x.io/g":"1q"}}}]}})"),
      testing::StartsWith(
          "spec.containers[1].resources.requests[x.io/g]: Invalid value: \"1q\": "));
  EXPECT_EQ(
      fault_of<Pod>(R"({"spec":{"tolerations":[{"tolerationSeconds":"1"}]}})"),
      "spec.tolerations[0].tolerationSeconds: Invalid value: \"1\": must be a 64-bit integer");
}

TEST(JobJson, Reads) {
  const auto job = good<Job>(R"({"metadata":{"name":"j","namespace":"n"},"spec":{"suspend":true,
    "parallelism":4,"completions":8,"completionMode":"Indexed","backoffLimit":3,"managedBy":"x",
    "scheduling":{},"template":{"spec":{"z":null,"schedulerName":"s","containers":[]},
    "metadata":{"creationTimestamp":null,"labels":{"a":"b"}}}},
    "status":{"active":1,"ready":2,"succeeded":3,"failed":4,"startTime":"2026-01-02T03:04:05Z",
    "completedIndexes":"0-2","uncountedTerminatedPods":{"succeeded":["u1","u2"],"failed":["u3"]},
    "conditions":[{"type":"Complete","status":"True"}]}})");
  EXPECT_TRUE(job.suspend && job.indexed && job.has_scheduling_block);
  EXPECT_EQ(pod_count(job), 4);
  EXPECT_EQ(*job.pod_template.json,
            R"({"metadata":{"labels":{"a":"b"}},"spec":{"containers":[],"schedulerName":"s"}})");
  EXPECT_EQ(job.pod_template.parsed->scheduler_name, "s");
  EXPECT_EQ(job.pod_template.parsed->labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(job.status.uncounted_succeeded, 2);
  EXPECT_EQ(job.status.uncounted_failed, 1);
  EXPECT_EQ(job.status.started, Time::from_seconds(1767323045));
  EXPECT_TRUE(is_true(job.status.conditions, "Complete"));
}

TEST(JobJson, CountsPodsAndIndexes) {
  EXPECT_EQ(pod_count(Job{}), 1);
  EXPECT_EQ(pod_count(Job{.parallelism = 5, .completions = 2}), 2);
  EXPECT_EQ(pod_count(Job{.completions = 9}), 1);
  EXPECT_EQ(index_count("", 5), 0);
  EXPECT_EQ(index_count("0-2,4", 5), 4);
  EXPECT_EQ(index_count("0-9,12", 5), 5);
  EXPECT_EQ(index_count("x,3,5-4,-1,1-", 9), 1);
  EXPECT_EQ(index_count("0-2147483647,0-2147483647", 2147483647), 2147483647);
}

TEST(JobPatch, WritesOnlyDifferences) {
  const auto job =
      good<Job>(R"({"metadata":{"annotations":{"keep":"1","kueue.x-k8s.io/stopping":"true"}},
    "spec":{"suspend":true,"parallelism":4,"template":{"metadata":{"labels":{"a":"1","b":"2"}},
    "spec":{"nodeSelector":{"old":"x"},"tolerations":[{"key":"k"}]}}}})");
  EXPECT_EQ(job_patch(job, "7", {.suspend = true, .parallelism = 4}), "{}");
  JobChange change;
  change.suspend = false;
  change.parallelism = 3;
  change.annotations = Labels{{"keep", "1"}};
  change.template_labels = Labels{{"a", "1"}, {"b", "3"}, {"c", "4"}};
  change.node_selector = Labels{{"new", "y"}};
  change.tolerations = std::vector<Toleration>{{.key = "k"}, {.key = "t", .op = "Exists"}};
  EXPECT_EQ(
      job_patch(job, "7", change),
      R"({"metadata":{"annotations":{"kueue.x-k8s.io/stopping":null},"resourceVersion":"7"},)"
      R"("spec":{"parallelism":3,"suspend":false,"template":{"metadata":{"labels":{"b":"3","c":"4"}},)"
      R"("spec":{"nodeSelector":{"new":"y","old":null},)"
      R"("tolerations":[{"key":"k"},{"key":"t","operator":"Exists"}]}}}})");
  EXPECT_EQ(job_clear_start_patch("1"),
            R"({"metadata":{"resourceVersion":"1"},"status":{"startTime":null}})");
}

PodGroup group_in(PodGroupApi api) {
  PodGroup group;
  group.meta.key = {"n", "g"};
  group.api = api;
  group.min_count = 3;
  group.topology_keys = {"rack"};
  group.disrupt_together = true;
  group.conditions = {{.type = "PodGroupInitiallyScheduled",
                       .status = ConditionStatus::True,
                       .reason = "Scheduled",
                       .last_transition = Time::from_seconds(5)}};
  return group;
}

TEST(PodGroupJson, EveryVersionRoundTrips) {
  for (const PodGroupApi api :
       {PodGroupApi::V1beta1, PodGroupApi::V1alpha3, PodGroupApi::V1alpha2}) {
    PodGroup group = group_in(api);
    group.priority_class = "p";
    group.priority = 5;
    group.preemption_policy = "Never";
    group.workload_name = "w";
    group.template_name = "t";
    if (api != PodGroupApi::V1alpha2) group.parent = "c";
    EXPECT_EQ(good<PodGroup>(encode_json(group, WithStatus::Yes)), group);
  }
  PodGroup fallback = group_in(PodGroupApi::Fallback);
  fallback.min_resources = {{"cpu", Quantity{1}}};
  fallback.schedule_timeout_seconds = 60;
  fallback.phase = "Pending";
  PodGroup want = fallback;
  want.meta.annotations = {{"quorate.dev/disruption-mode", "all"},
                           {"quorate.dev/topology-key", "rack"}};
  EXPECT_EQ(good<PodGroup>(encode_json(fallback, WithStatus::Yes)), want);
}

TEST(PodGroupJson, PolicyIsOneOfTwo) {
  const auto policy = [](std::string_view text) {
    return R"({"apiVersion":"scheduling.k8s.io/v1beta1","spec":{"schedulingPolicy":)" +
           std::string(text) + "}}";
  };
  EXPECT_FALSE(good<PodGroup>(policy(R"({"basic":{}})")).min_count);
  EXPECT_EQ(good<PodGroup>(policy(R"({"gang":{"minCount":2},"basic":null})")).min_count, 2);
  EXPECT_EQ(fault_of<PodGroup>(policy(R"({"gang":{"minCount":2},"basic":{}})")),
            "spec.schedulingPolicy: Invalid value: must specify exactly one of: `basic`, `gang`");
  EXPECT_EQ(
      fault_of<PodGroup>(policy(R"({"gang":{"minCount":-1}})")),
      "spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1");
}

TEST(Lists, BadItemsDoNotHurtTheirNeighbours) {
  std::vector<std::string> seen;
  const auto meta = decode_list_json<PodGroup>(
      R"({"kind":"PodGroupList","apiVersion":"scheduling.k8s.io/v1alpha2",
          "metadata":{"resourceVersion":"12","continue":"c","remainingItemCount":4},
          "items":[{"metadata":{"name":"a","namespace":"n"},"spec":{"disruptionMode":"PodGroup"}},
                   {"metadata":{"name":"b","namespace":"n","uid":"u","resourceVersion":"3"},"spec":7},
                   {"metadata":{"name":"c"},"apiVersion":"scheduling.x-k8s.io/v1alpha1"}]})",
      [&](Decoded<PodGroup> item) {
        seen.push_back(item.key.text() + " " +
                       (item.object
                            ? (item.object->disrupt_together ? "together" : "single")
                            : item.uid + item.resource_version + item.object.error().message));
      });
  ASSERT_TRUE(meta) << meta.error().message;
  EXPECT_EQ(*meta, (ListMeta{"12", "c", 4}));
  EXPECT_EQ(seen,
            (std::vector<std::string>{
                "n/a together", "n/b u3spec: Invalid value: 7: must be an object", "c single"}));
}

TEST(Watch, JsonEvents) {
  const auto added = decode_watch_json<Node>(
      R"({"type":"ADDED","object":{"metadata":{"name":"n1","resourceVersion":"4"},"spec":{"unschedulable":true}}})");
  ASSERT_TRUE(added);
  EXPECT_EQ(added->type, WatchType::Added);
  EXPECT_TRUE(added->decoded.object->unschedulable);
  const auto bookmark = decode_watch_json<Node>(
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}})");
  EXPECT_EQ(bookmark->decoded.resource_version, "9");
  EXPECT_TRUE(bookmark->initial_events_end);
  const auto failed = decode_watch_json<Node>(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})");
  EXPECT_EQ(failed->status, (ApiStatus{410, "Expired", "too old", 0}));
  EXPECT_FALSE(decode_watch_json<Node>(R"({"type":"WHAT","object":{}})"));
  EXPECT_FALSE(decode_watch_json<Node>(R"({"type":"ADDED"})"));
  EXPECT_FALSE(decode_watch_json<Node>("nonsense"));
  const auto bad = decode_watch_json<Node>(
      R"({"type":"MODIFIED","object":{"metadata":{"name":"n2"},"spec":[]}})");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->decoded.key.name, "n2");
  EXPECT_FALSE(bad->decoded.object);
}

TEST(Bodies, SmallOnes) {
  EXPECT_EQ(
      encode_binding({"ns", "p"}, "u", "n1"),
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"ns","uid":"u"},)"
      R"("target":{"apiVersion":"v1","kind":"Node","name":"n1"}})");
  EXPECT_EQ(
      pod_condition_patch("u", {{.type = "PodScheduled", .status = ConditionStatus::False}}, ""),
      R"({"metadata":{"uid":"u"},"status":{"conditions":[{"lastTransitionTime":)"
      R"("1970-01-01T00:00:00Z","message":"","reason":"","status":"False","type":"PodScheduled"}],)"
      R"("nominatedNodeName":null}})");
  EXPECT_EQ(encode_delete_options("u", 0, "Background"),
            R"({"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u"},"propagationPolicy":"Background"})");
  EXPECT_EQ(finalizers_patch("3", {}), R"({"metadata":{"finalizers":[],"resourceVersion":"3"}})");
  EXPECT_FALSE(parse_template("[]"));
  EXPECT_FALSE(parse_template(R"({"spec":{"containers":1}})"));
}

TEST(SmallKinds, Read) {
  EXPECT_EQ(good<PriorityClass>(R"({"value":-3,"globalDefault":true,"preemptionPolicy":"Never"})"),
            (PriorityClass{{}, -3, true, "Never"}));
  const auto range = good<LimitRange>(
      R"({"spec":{"limits":[{"type":"Container","default":{"cpu":"2"},"defaultRequest":{"cpu":"1"},"max":{"cpu":"4"},"min":{"cpu":"100m"}}]}})");
  EXPECT_EQ(range.limits, (std::vector<LimitRangeItem>{{"Container",
                                                        {{"cpu", Quantity{4000}}},
                                                        {{"cpu", Quantity{100}}},
                                                        {{"cpu", Quantity{2000}}},
                                                        {{"cpu", Quantity{1000}}}}}));
  EXPECT_EQ(
      good<RuntimeClass>(R"({"overhead":{"podFixed":{"memory":"1Ki"}},"handler":"kata"})").overhead,
      (ResourceList{{"memory", Quantity{1024}}}));
}

}  // namespace
}  // namespace quorate::objects
