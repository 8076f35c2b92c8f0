#include "src/jobs/template_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/objects/encode.h"

namespace quorate::jobs {
namespace {

TEST(WorkloadTemplate, LabelsOfTheJobControllerAreLeftOut) {
  const auto source = objects::parse_template(
      R"({"metadata":{"creationTimestamp":null,"labels":{"app":"x","controller-uid":"1",
          "job-name":"j","batch.kubernetes.io/controller-uid":"1"}},
          "spec":{"containers":[{"name":"a"}],"restartPolicy":"Never"}})");
  ASSERT_TRUE(source);
  const auto made = workload_template(*source);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made->json, R"({"metadata":{"labels":{"app":"x"}},)"
                         R"("spec":{"containers":[{"name":"a"}],"restartPolicy":"Never"}})");
}

TEST(WorkloadTemplate, OfEqualEnvironmentNamesTheLastCounts) {
  const auto source = objects::parse_template(
      R"({"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"},
          {"name":"Y","value":"2"},{"name":"X","value":"3"}]}],
          "initContainers":[{"name":"i","env":[{"name":"Z","value":"1"},{"name":"Z","value":"2"}]}]}})");
  ASSERT_TRUE(source);
  const auto made = workload_template(*source);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made->json,
            R"({"spec":{"containers":[{"env":[{"name":"Y","value":"2"},{"name":"X","value":"3"}],)"
            R"("name":"a"}],"initContainers":[{"env":[{"name":"Z","value":"2"}],"name":"i"}]}})");
}

TEST(ShapeText, ReadsBackAsTheSameShape) {
  PodTemplate pod;
  pod.containers = {{.name = "main",
                     .requests = {{"cpu", Quantity{1500}},
                                  {"example.com/gpu", Quantity{4}},
                                  {"memory", Quantity{1 << 30}}},
                     .limits = {{"example.com/gpu", Quantity{4}}},
                     .host_ports = {{.protocol = "TCP", .port = 80}}}};
  pod.init_containers = {{.name = "side", .requests = {{"cpu", Quantity{100}}}, .sidecar = true}};
  pod.node_selector = {{"zone", "a"}};
  pod.node_affinity.required = {{.match_expressions = {{"gpu", Requirement::Op::In, {"x", "y"}}}}};
  pod.node_affinity.preferred = {
      {10, {.match_expressions = {{"ssd", Requirement::Op::Exists, {}}}}}};
  pod.tolerations = {
      {.key = "gpu", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 5}};
  pod.priority_class = "high";
  pod.priority = 7;
  pod.preemption_policy = "Never";
  pod.scheduler_name = "quorate-scheduler";
  pod.runtime_class = "gvisor";
  pod.overhead = {{"cpu", Quantity{10}}};
  pod.host_network = true;
  pod.pod_requests = ResourceList{{"cpu", Quantity{2000}}};
  pod.pod_limits = ResourceList{{"cpu", Quantity{3000}}};
  const auto back = objects::parse_template(shape_text(pod));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back->parsed, pod) << shape_text(*back->parsed);
}

TEST(ShapeText, NamesAndGroupsAreNoPartOfIt) {
  PodTemplate a;
  a.containers = {{.name = "main"}};
  PodTemplate b = a;
  b.labels = {{"pod", "b"}};
  b.scheduling_group = "g";
  EXPECT_EQ(shape_text(a), shape_text(b));
  b.node_selector = {{"zone", "a"}};
  EXPECT_NE(shape_text(a), shape_text(b));
}

}  // namespace
}  // namespace quorate::jobs
