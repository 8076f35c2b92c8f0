// How the cost of a cycle grows: with queues, with workloads that wait, with the depth of the tree;
// and what a trial of quota costs to undo. Times are of one cycle; growth_curves.py plots them.

#include <benchmark/benchmark.h>

#include <string>

#include "admission/admission.h"
#include "quota/cohort_tree.h"

namespace quorate::admission {
namespace {

constexpr Time kStart = Time::from_seconds(1'000'000);

quota::ResourceGroup cpu(std::int64_t cores) {
  return {{"cpu"}, {{"f", {{"cpu", Quantity{cores * 1000}, {}, {}}}}}};
}

// `queues` ClusterQueues below the last of `levels` nested cohorts, each of them full, with
// `waiting` workloads of different sizes.
class Load {
 public:
  Load(int queues, int waiting, int levels) : admitter_(journal_) {
    admitter_.apply(FlavorSpec{"f"});
    admitter_.apply(NamespaceSpec{"ns", {}});
    for (int level = 0; level < levels; ++level) {
      CohortSpec cohort;
      cohort.name = "level-" + std::to_string(level);
      if (level > 0) cohort.parent = "level-" + std::to_string(level - 1);
      admitter_.apply(cohort);
    }
    for (int q = 0; q < queues; ++q) {
      const std::string name = "queue-" + std::to_string(q);
      ClusterQueueSpec spec;
      spec.name = name;
      spec.namespace_selector = LabelSelector{};
      if (levels > 0) spec.cohort = "level-" + std::to_string(levels - 1);
      spec.resource_groups = {cpu(10)};
      admitter_.apply(spec);
      admitter_.apply(LocalQueueSpec{{"ns", name}, "uid-" + name, name});
      submit(name, "runs-" + name, 10, kStart);
    }
    settle();
    for (int i = 0; i < waiting; ++i) {
      for (int q = 0; q < queues; ++q) {
        const std::string name = "queue-" + std::to_string(q);
        submit(name, "waits-" + std::to_string(i) + "-" + name, 1 + i % 7,
               kStart + Duration::seconds(1 + i));
      }
    }
    settle();
  }

  // One workload ends, and comes again: a cycle that admits somebody else.
  std::size_t turn() {
    const std::string name = "queue-" + std::to_string(next_++ % 10);
    submit(name, "more-" + std::to_string(next_), 3, now_);
    return admitter_.cycle(now_).size();
  }

  // All heads are looked at once more.
  std::size_t whole_cycle() {
    admitter_.capacity_changed();
    flavor_ = !flavor_;
    FlavorSpec spec{"f"};
    if (flavor_) spec.node_labels["turn"] = "1";
    admitter_.apply(spec);
    now_ = now_ + Duration::seconds(2);
    admitter_.cycle(now_);
    now_ = now_ + Duration::seconds(2);
    return admitter_.cycle(now_).size();
  }

 private:
  void submit(const std::string& queue, const std::string& name, int cores, Time created) {
    WorkloadSpec spec;
    spec.key = {"ns", name};
    spec.uid = "uid-" + name;
    spec.generation = 1;
    spec.queue_name = queue;
    spec.created = created;
    auto pod = std::make_shared<PodTemplate>();
    pod->containers.emplace_back().requests["cpu"] = Quantity{cores * 1000};
    spec.pod_sets.push_back({"main", 1, {}, pod, {}});
    admitter_.apply(spec);
  }
  void settle() {
    while (admitter_.busy()) admitter_.cycle(now_);
  }

  Journal journal_;
  Admitter admitter_;
  Time now_ = kStart + Duration::seconds(10'000);
  int next_ = 0;
  bool flavor_ = false;
};

void BM_CycleByQueues(benchmark::State& state) {
  Load load(static_cast<int>(state.range(0)), 20, 1);
  for (auto _ : state) benchmark::DoNotOptimize(load.whole_cycle());
}
BENCHMARK(BM_CycleByQueues)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMicrosecond);

void BM_CycleByWorkloads(benchmark::State& state) {
  Load load(16, static_cast<int>(state.range(0)), 1);
  for (auto _ : state) benchmark::DoNotOptimize(load.turn());
}
BENCHMARK(BM_CycleByWorkloads)
    ->RangeMultiplier(4)
    ->Range(16, 4096)
    ->Iterations(200)
    ->Unit(benchmark::kMicrosecond);

void BM_CycleByDepth(benchmark::State& state) {
  Load load(64, 20, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(load.whole_cycle());
}
BENCHMARK(BM_CycleByDepth)->DenseRange(1, 10, 3)->Unit(benchmark::kMicrosecond);

// Charges so many queues of a tree of 10 levels and takes it back.
void BM_Undo(benchmark::State& state) {
  Journal journal;
  quota::Names names;
  quota::CohortTree tree(journal);
  std::vector<quota::NodeId> queues;
  for (int level = 1; level < 10; ++level) {
    tree.put_cohort("c" + std::to_string(level), "c" + std::to_string(level - 1), {}, names);
  }
  for (int q = 0; q < 1000; ++q) {
    queues.push_back(tree.put_cluster_queue("q" + std::to_string(q), "c9", {cpu(1)}, names));
  }
  tree.settle();
  const quota::FlavorResource fr = names.pair("f", "cpu");
  for (auto _ : state) {
    Transaction trial(journal);
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      tree.charge(queues[static_cast<std::size_t>(i)], fr, Quantity{500});
    }
  }
}
BENCHMARK(BM_Undo)->RangeMultiplier(10)->Range(1, 1000)->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace quorate::admission

BENCHMARK_MAIN();
