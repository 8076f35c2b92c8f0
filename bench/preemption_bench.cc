// One cycle of the admission core in which a workload has to find its victims among many: queues of
// one cohort that all borrow, and an owner who wants its quota back. Half of the candidates have to
// go; all of them are looked at, twice in flavor assignment (cpu and memory) and once for the
// whole. Then the same with a topology: quota is free, but no rack is.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>

#include "admission/admission.h"

namespace quorate::admission {
namespace {

constexpr Time kStart = Time::from_seconds(1'000'000);

ClusterQueueSpec queue(const std::string& name, std::int64_t cores) {
  ClusterQueueSpec spec;
  spec.name = name;
  spec.uid = "uid-" + name;
  spec.cohort = "all";
  spec.namespace_selector = LabelSelector{};
  spec.reclaim_within_cohort = PreemptionPolicy::Any;
  spec.resource_groups = {
      {{"cpu", "memory"},
       {{"f",
         {{"cpu", Quantity{cores * 1000}, {}, {}}, {"memory", Quantity{cores << 30}, {}, {}}}}}}};
  return spec;
}

WorkloadSpec workload(const std::string& name, const std::string& queue, std::int64_t cores) {
  auto pod = std::make_shared<PodTemplate>();
  pod->containers.push_back({"main",
                             {{"cpu", Quantity{cores * 1000}}, {"memory", Quantity{cores << 30}}},
                             {},
                             false,
                             {}});
  WorkloadSpec spec;
  spec.key = {"team", name};
  spec.uid = "uid-" + name;
  spec.queue_name = queue;
  spec.created = kStart;
  spec.pod_sets.push_back({"main", 1, {}, pod, {}});
  return spec;
}

void find_victims(benchmark::State& state) {
  const int holders = static_cast<int>(state.range(0)), queues = holders / 10;
  Journal journal;
  Admitter admitter(journal);
  admitter.apply(NamespaceSpec{"team", {}});
  admitter.apply(FlavorSpec{"f"});
  const auto add = [&](const ClusterQueueSpec& spec) {
    admitter.apply(spec);
    admitter.apply(LocalQueueSpec{{"team", spec.name}, "uid-lq-" + spec.name, spec.name});
  };
  add(queue("owner", holders));
  for (int q = 0; q < queues; ++q) add(queue("guest-" + std::to_string(q), 0));
  for (int i = 0; i < holders; ++i) {
    const std::string guest = "guest-" + std::to_string(i % queues);
    WorkloadSpec spec = workload("held-" + std::to_string(i), guest, 1);
    spec.admission =
        Admission{guest,
                  {{"main",
                    {{"cpu", "f"}, {"memory", "f"}},
                    {{"cpu", Quantity{1000}}, {"memory", Quantity{std::int64_t{1} << 30}}},
                    1,
                    {}}}};
    for (const char* type : {"QuotaReserved", "Admitted"}) {
      spec.conditions.push_back(
          {type, ConditionView::Status::True, type, "", kStart + Duration::seconds(i)});
    }
    admitter.apply(spec);
  }
  admitter.cycle(kStart);
  admitter.apply(workload("owner-job", "owner", holders / 2));
  std::size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Journal own;
    Admitter fork(admitter, own);
    state.ResumeTiming();
    decided = fork.cycle(kStart + Duration::seconds(10'000)).size();
    benchmark::DoNotOptimize(decided);
  }
  state.counters["victims"] = static_cast<double>(decided - 1);
}

// Hosts of 8 gpus in racks of 16; 700 of them are taken, each by a workload of its own, the others
// are too small. Whoever wants a whole rack has to look at nearly all, since the oldest victims are
// spread over all racks.
void find_rack(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0)), holders = std::min(nodes, 700);
  constexpr int kRack = 16;
  Journal journal;
  cluster::Model model;
  Admitter admitter(journal);
  admitter.set_cluster(&model);
  admitter.apply(NamespaceSpec{"team", {}});
  admitter.apply(TopologySpec{"racks", {"block", "rack", topology::kHostname}});
  admitter.apply(FlavorSpec{"f", {}, {}, {}, "racks"});
  ClusterQueueSpec spec = queue("q", 1'000'000);
  spec.within_cluster_queue = PreemptionPolicy::LowerPriority;
  admitter.apply(spec);
  admitter.apply(LocalQueueSpec{{"team", "q"}, "uid-lq-q", "q"});
  const auto host = [](int i) { return "node-" + std::to_string(i); };
  for (int i = 0; i < nodes; ++i) {
    cluster::NodeSpec node;
    node.name = host(i);
    node.labels = {{"block", "b" + std::to_string(i / 320)},
                   {"rack", "r" + std::to_string(i / kRack)},
                   {topology::kHostname, node.name}};
    node.allocatable = {{"cpu", Quantity{i < holders ? 64'000 : 32'000}},
                        {"memory", Quantity{std::int64_t{1} << 40}},
                        {"pods", Quantity{110}}};
    admitter.observe(model.apply(journal, node));
  }
  for (int i = 0; i < holders; ++i) {
    WorkloadSpec held = workload("held-" + std::to_string(i), "q", 64);
    PodSetAssignment pods{"main",
                          {{"cpu", "f"}, {"memory", "f"}},
                          {{"cpu", Quantity{64'000}}, {"memory", Quantity{std::int64_t{64} << 30}}},
                          1,
                          {}};
    pods.topology = TopologyAssignment{{topology::kHostname}, {{{host(i)}, 1}}};
    held.admission = Admission{"q", {pods}};
    for (const char* type : {"QuotaReserved", "Admitted"}) {
      held.conditions.push_back({type, ConditionView::Status::True, type, "",
                                 kStart + Duration::seconds(i % kRack * holders + i)});
    }
    admitter.apply(held);
  }
  admitter.cycle(kStart);
  WorkloadSpec wide = workload("wide", "q", 64);
  wide.priority = 1;
  wide.pod_sets.front().count = kRack;
  wide.pod_sets.front().topology = TopologyRequest{};
  wide.pod_sets.front().topology->required_level = "rack";
  admitter.apply(wide);
  std::size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Journal own;
    cluster::Model nodes_of_fork = model;
    Admitter fork(admitter, own);
    fork.set_cluster(&nodes_of_fork);
    state.ResumeTiming();
    decided = fork.cycle(kStart + Duration::seconds(100'000)).size();
    benchmark::DoNotOptimize(decided);
  }
  state.counters["victims"] = static_cast<double>(decided - 1);
}
BENCHMARK(find_rack)->Arg(640)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK(find_victims)->Arg(100)->Arg(700)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quorate::admission

BENCHMARK_MAIN();
