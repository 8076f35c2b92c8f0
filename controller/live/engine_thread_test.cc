#include "controller/live/engine_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "controller/metrics/families.h"

namespace quorate::controller {
namespace {

// A queue with `gpus` of one flavor, open to every namespace.
void post_queues(EngineThread& engine, std::int64_t gpus) {
  engine.post(engine::Configured{});
  admission::NamespaceSpec ns;
  ns.name = "team";
  engine.post(ns);
  admission::FlavorSpec flavor;
  flavor.name = "a100";
  engine.post(flavor);
  admission::ClusterQueueSpec queue;
  queue.name = "cluster";
  queue.namespace_selector = LabelSelector{};
  queue.resource_groups = {
      {.covered_resources = {"gpu"},
       .flavors = {
           {.flavor = "a100", .resources = {{.resource = "gpu", .nominal = Quantity{gpus}}}}}}};
  engine.post(queue);
  admission::LocalQueueSpec local;
  local.key = {"team", "main"};
  local.cluster_queue = "cluster";
  engine.post(local);
}

admission::WorkloadSpec workload(const std::string& name) {
  admission::WorkloadSpec spec;
  spec.key = {"team", name};
  spec.uid = "uid-" + name;
  spec.queue_name = "main";
  PodTemplate pod;
  pod.containers = {{.name = "c", .requests = {{"gpu", Quantity{1}}}}};
  admission::PodSetSpec pods;
  pods.name = "main";
  pods.count = 1;
  pods.pod = std::make_shared<const PodTemplate>(pod);
  spec.pod_sets = {pods};
  return spec;
}

struct Collected {
  Mutex mutex;
  CondVar arrived;
  std::vector<std::string> admitted GUARDED_BY(mutex);

  void take(std::vector<engine::Decision> decisions) {
    MutexLock lock(mutex);
    for (const engine::Decision& decision : decisions) {
      const auto* admission = std::get_if<admission::Decision>(&decision);
      if (admission == nullptr) continue;
      if (const auto* admit = std::get_if<admission::Admit>(admission)) {
        admitted.push_back(admit->workload.name);
      }
    }
    arrived.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    MutexLock lock(mutex);
    while (admitted.size() < count) arrived.wait(mutex);
    return admitted;
  }
};

class EngineThreadTest : public ::testing::Test {
 protected:
  MetricRegistry metrics{metric_families()};
  Collected collected;
  EngineThread engine{engine::Roles{.admission = true, .scheduler = false},
                      {[this](const engine::Engine&, std::vector<engine::Decision> decisions) {
                         collected.take(std::move(decisions));
                       },
                       {}},
                      metrics};
};

TEST_F(EngineThreadTest, EventsOfManyThreadsAreDecidedOnOne) {
  post_queues(engine, 100);
  std::vector<std::thread> posters;
  for (int thread = 0; thread < 4; ++thread) {
    posters.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        engine.post(workload("w" + std::to_string(thread) + "-" + std::to_string(i)));
      }
    });
  }
  engine.post(engine::Synced{});
  engine.lead();
  for (std::thread& poster : posters) poster.join();
  const std::vector<std::string> admitted = collected.wait_for(100);
  EXPECT_EQ(std::set<std::string>(admitted.begin(), admitted.end()).size(), 100u);
}

TEST_F(EngineThreadTest, AStandbyKeepsUpAndDecidesNothing) {
  post_queues(engine, 1);
  engine.post(workload("w"));
  engine.post(engine::Synced{});
  std::vector<std::string> queues;
  // Questions are answered after what was posted before.
  ASSERT_TRUE(engine.ask(
      [&](const engine::Engine& state) { queues = state.admission_views().cluster_queues(); }));
  EXPECT_THAT(queues, ::testing::ElementsAre("cluster"));
  {
    MutexLock lock(collected.mutex);
    EXPECT_TRUE(collected.admitted.empty());
  }
  engine.lead();
  EXPECT_THAT(collected.wait_for(1), ::testing::ElementsAre("w"));
}

TEST_F(EngineThreadTest, StopEndsItAndQuestionsGetNoAnswer) {
  post_queues(engine, 1);
  engine.stop();
  EXPECT_FALSE(engine.ask([](const engine::Engine&) { FAIL() << "asked after the end"; }));
  engine.post(workload("w"));
}

}  // namespace
}  // namespace quorate::controller
