// What one gang costs: placed on a large cluster, and proven impossible on a small one.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "src/cluster/model.h"
#include "src/scheduler/framework.h"
#include "src/scheduler/gang_planner.h"
#include "src/scheduler/scheduler.h"

namespace quorate::scheduler {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

std::shared_ptr<const PodTemplate> pod_template(std::int64_t cpu, std::int64_t memory) {
  auto pod = std::make_shared<PodTemplate>();
  pod->containers = {
      {.name = "main", .requests = {{"cpu", Quantity{cpu}}, {"memory", Quantity{memory}}}}};
  pod->scheduler_name = "quorate-scheduler";
  return pod;
}

struct State {
  cluster::Model model;
  Journal journal;
  Scheduler scheduler;

  void add_node(int number, std::int64_t cpu, std::int64_t memory) {
    cluster::NodeSpec node;
    node.name = "node-" + std::to_string(100000 + number);
    node.labels = {{"kubernetes.io/hostname", node.name},
                   {"zone", "z" + std::to_string(number % 3)},
                   {"rack", "r" + std::to_string(number / 40)}};
    node.allocatable = {
        {"cpu", Quantity{cpu}}, {"memory", Quantity{memory}}, {"pods", Quantity{110}}};
    scheduler.observe(model, model.apply(journal, std::move(node)));
  }

  cluster::PodSpec add_pod(const std::string& name, const std::string& group,
                           std::shared_ptr<const PodTemplate> like, const std::string& node = "") {
    cluster::PodSpec pod;
    pod.key = {"ns", name};
    pod.uid = "uid-" + name;
    pod.requests = pod_requests(*like);
    pod.spec = std::move(like);
    pod.group = group;
    pod.node = node;
    scheduler.observe(model, journal, model.apply(journal, pod));
    return pod;
  }
};

// From the third member's arrival to the binds, everything included; the cluster fills up
// meanwhile.
void gang_of_three_on_5000_nodes(benchmark::State& run) {
  auto state = std::make_unique<State>();
  for (int i = 0; i < 5000; ++i) state->add_node(i, 64000, 256 * kGi);
  const auto like = pod_template(500, kGi);
  Time now = Time::from_seconds(1);
  state->scheduler.step(state->model, state->journal, now, 1);
  std::int64_t gang = 0;
  std::int64_t bound = 0;
  for (auto _ : run) {
    const std::string name = "gang-" + std::to_string(gang++);
    PodGroupSpec group;
    group.key = {"ns", name};
    group.uid = "uid-" + name;
    group.min_count = 3;
    state->scheduler.apply(group);
    for (int i = 0; i < 3; ++i) state->add_pod(name + "-" + std::to_string(i), name, like);
    const auto decisions = state->scheduler.step(state->model, state->journal, now, 1000);
    for (const Decision& decision : decisions) {
      const auto* bind = std::get_if<Bind>(&decision);
      if (bind == nullptr) continue;
      ++bound;
      state->scheduler.bind_written(state->model, state->journal, bind->pod, bind->pod_uid, "",
                                    BindResult::Bound, "");
    }
  }
  if (bound != 3 * gang) run.SkipWithError("not every gang was bound");
}
BENCHMARK(gang_of_three_on_5000_nodes)->Unit(benchmark::kMicrosecond);

struct Planning {
  State state;
  Framework framework{Profile{}};
  std::vector<std::unique_ptr<cluster::Demand>> demands;
  std::vector<PodView> views;

  void member(std::int64_t cpu) {
    const auto like = pod_template(cpu, kGi);
    demands.push_back(
        std::make_unique<cluster::Demand>(state.model.demand(like, pod_requests(*like))));
    views.push_back({demands.back().get()});
  }
  GroupPlan plan() {
    return plan_gang({framework,
                      state.model,
                      state.journal,
                      views,
                      0,
                      static_cast<std::int32_t>(views.size()),
                      state.model.nodes(),
                      {},
                      Config{}.search_budget});
  }
};

// Identical members: nine places for ten.
void ten_identical_impossible_on_500_nodes(benchmark::State& run) {
  auto planning = std::make_unique<Planning>();
  for (int i = 0; i < 500; ++i) planning->state.add_node(i, i < 9 ? 8000 : 4000, 64 * kGi);
  for (int i = 0; i < 10; ++i) planning->member(6000);
  for (auto _ : run) {
    if (planning->plan().outcome != GroupPlan::Outcome::Impossible) run.SkipWithError("not proven");
  }
}
BENCHMARK(ten_identical_impossible_on_500_nodes)->Unit(benchmark::kMicrosecond);

// Ten different ones of which no two share a node and nine nodes are large enough: no sum and no
// count of one kind shows it, so the search runs until it is exhausted or its budget ends.
void ten_different_impossible_on_500_nodes(benchmark::State& run) {
  auto planning = std::make_unique<Planning>();
  for (int i = 0; i < 500; ++i) planning->state.add_node(i, i < 9 ? 8000 + i : 4000, 64 * kGi);
  for (int i = 0; i < 10; ++i) planning->member(6000 + i);
  for (auto _ : run) {
    if (planning->plan().outcome == GroupPlan::Outcome::Placed) run.SkipWithError("placed");
  }
}
BENCHMARK(ten_different_impossible_on_500_nodes)->Unit(benchmark::kMicrosecond);

void fork_of_10000_nodes_and_50000_pods(benchmark::State& run) {
  auto state = std::make_unique<State>();
  for (int i = 0; i < 10000; ++i) state->add_node(i, 64000, 256 * kGi);
  const auto like = pod_template(500, kGi);
  for (int i = 0; i < 50000; ++i) {
    state->add_pod("pod-" + std::to_string(i), "", like,
                   "node-" + std::to_string(100000 + i % 10000));
  }
  for (auto _ : run) {
    const cluster::Model fork = state->model;
    benchmark::DoNotOptimize(fork.pod_count());
  }
}
BENCHMARK(fork_of_10000_nodes_and_50000_pods)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quorate::scheduler

BENCHMARK_MAIN();
