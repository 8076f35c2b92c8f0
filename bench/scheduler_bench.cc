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

// Submits gangs of `size` members and binds what is decided, until `pods` are bound.
std::int64_t bind_in_gangs(State& state, std::int64_t pods, std::int64_t size,
                           const std::shared_ptr<const PodTemplate>& like) {
  const Time now = Time::from_seconds(1);
  std::int64_t bound = 0;
  for (std::int64_t gang = 0; gang < pods / size; ++gang) {
    const std::string name = "gang-" + std::to_string(gang);
    PodGroupSpec group;
    group.key = {"ns", name};
    group.uid = "uid-" + name;
    group.min_count = static_cast<std::int32_t>(size);
    state.scheduler.apply(group);
    for (std::int64_t i = 0; i < size; ++i) {
      state.add_pod(name + "-" + std::to_string(i), name, like);
    }
  }
  while (state.scheduler.busy()) {
    const auto decisions = state.scheduler.step(state.model, state.journal, now, 1000);
    for (const Decision& decision : decisions) {
      const auto* bind = std::get_if<Bind>(&decision);
      if (bind == nullptr) continue;
      ++bound;
      state.scheduler.bind_written(state.model, state.journal, bind->pod, bind->pod_uid, "",
                                   BindResult::Bound, "");
    }
    if (decisions.empty()) break;
  }
  return bound;
}

// All of `pods` pods in gangs of `size` on `nodes` nodes, submitted at once; time per gang and pods
// bound per second.
void pods_in_gangs(benchmark::State& run) {
  const std::int64_t nodes = run.range(0);
  const std::int64_t pods = run.range(1);
  const std::int64_t size = run.range(2);
  const auto like = pod_template(500, kGi);
  for (auto _ : run) {
    run.PauseTiming();
    auto state = std::make_unique<State>();
    for (std::int64_t i = 0; i < nodes; ++i) {
      state->add_node(static_cast<int>(i), 64000, 256 * kGi);
    }
    run.ResumeTiming();
    if (bind_in_gangs(*state, pods, size, like) != pods) run.SkipWithError("not all were bound");
    run.PauseTiming();
    state.reset();
    run.ResumeTiming();
  }
  run.SetItemsProcessed(run.iterations() * pods);
  run.counters["gangs"] = static_cast<double>(pods / size);
}
BENCHMARK(pods_in_gangs)
    ->ArgNames({"nodes", "pods", "size"})
    ->Args({5000, 9000, 3})  // 3,000 gangs of 3
    ->Args({5000, 10000, 1})
    ->Args({5000, 10000, 20})
    ->Args({5000, 10000, 500})
    ->Args({5000, 10000, 10000})
    ->Args({60000, 3000, 3})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

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

// A gang of 8 for which one of 13 racks has to be cleared of pods of lower priority.
void room_made_for_a_gang_on_500_nodes(benchmark::State& run) {
  const auto low = pod_template(60000, kGi);
  const auto like = pod_template(60000, kGi);
  auto high = std::make_shared<PodTemplate>(*like);
  high->priority = 100;
  for (auto _ : run) {
    run.PauseTiming();
    auto state = std::make_unique<State>();
    for (int i = 0; i < 500; ++i) {
      state->add_node(i, 64000, 256 * kGi);
      state->add_pod("low-" + std::to_string(i), "", low, "node-" + std::to_string(100000 + i));
    }
    PodGroupSpec group;
    group.key = {"ns", "g"};
    group.uid = "uid-g";
    group.min_count = 8;
    group.topology_key = "rack";
    state->scheduler.apply(group);
    for (int i = 0; i < 8; ++i) state->add_pod("g-" + std::to_string(i), "g", high);
    run.ResumeTiming();
    const auto decisions =
        state->scheduler.step(state->model, state->journal, Time::from_seconds(1), 10);
    std::int64_t victims = 0;
    for (const Decision& decision : decisions) {
      victims += std::holds_alternative<Evict>(decision) ? 1 : 0;
    }
    if (victims != 8) run.SkipWithError("not eight victims");
  }
}
BENCHMARK(room_made_for_a_gang_on_500_nodes)->Iterations(5)->Unit(benchmark::kMillisecond);

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
