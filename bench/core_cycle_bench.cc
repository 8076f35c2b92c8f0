// The admission core alone: 1,000 ClusterQueues in 100 cohorts, 50 workloads each, three sizes and
// priorities. Everything counts: compiling objects, cycles, confirming what was admitted, and the
// end of each workload that makes room for the next.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "admission/admission.h"

namespace quorate::admission {
namespace {

constexpr int kQueues = 1000;
constexpr int kPerQueue = 50;
constexpr Time kStart = Time::from_seconds(1'000'000);

ClusterQueueSpec queue(int i) {
  ClusterQueueSpec spec;
  spec.name = "queue-" + std::to_string(i);
  spec.uid = "uid-" + spec.name;
  spec.cohort = "cohort-" + std::to_string(i / 10);
  spec.namespace_selector = LabelSelector{};
  const quota::ResourceQuota cpu{"cpu", Quantity{20'000}, Limit{Quantity{100'000}}, {}};
  const quota::ResourceQuota memory{"memory", Quantity{std::int64_t{64} << 30}, {}, {}};
  spec.resource_groups = {
      {{"cpu", "memory"}, {{"spot", {cpu, memory}}, {"on-demand", {cpu, memory}}}}};
  return spec;
}

std::shared_ptr<const PodTemplate> pod(int cores) {
  auto made = std::make_shared<PodTemplate>();
  ContainerResources container;
  container.name = "main";
  container.requests = {{"cpu", Quantity{cores * 1000}},
                        {"memory", Quantity{std::int64_t{cores} << 30}}};
  made->containers.push_back(container);
  return made;
}

WorkloadSpec workload(int queue, int i) {
  static const std::shared_ptr<const PodTemplate> kPods[] = {pod(1), pod(5), pod(20)};
  const int kind = i % 10 == 0 ? 2 : i % 3 == 0 ? 1 : 0;
  WorkloadSpec spec;
  spec.key = {"team-" + std::to_string(queue), "job-sample-" + std::to_string(i) + "-4f2a9"};
  spec.uid = "0f5f9c7e-3b1d-4c55-9b1e-" + std::to_string(100'000'000'000 + queue * 1000 + i);
  spec.generation = 1;
  spec.queue_name = "main";
  spec.priority = kind * 50;
  spec.created = kStart + Duration::millis(i * 100 + queue);
  PodSetSpec pods;
  pods.name = "main";
  pods.count = 1;
  // The API hands every object a template of its own.
  auto own = std::make_shared<PodTemplate>(*kPods[kind]);
  own->labels = {{"batch.kubernetes.io/job-name", spec.key.name}};
  pods.pod = own;
  spec.pod_sets.push_back(pods);
  return spec;
}

// With `fair`, capacity is shared fairly over one tree of all cohorts.
void set_up(Admitter& admitter, bool fair = false) {
  if (fair) {
    Config config;
    config.fair_sharing = true;
    admitter.set_config(config);
    for (int c = 0; c < kQueues / 10; ++c) {
      CohortSpec cohort;
      cohort.name = "cohort-" + std::to_string(c);
      cohort.parent = "root";
      admitter.apply(cohort);
    }
  }
  for (const char* flavor : {"spot", "on-demand"}) admitter.apply(FlavorSpec{flavor});
  for (int q = 0; q < kQueues; ++q) {
    const std::string ns = "team-" + std::to_string(q);
    admitter.apply(NamespaceSpec{ns, {}});
    admitter.apply(queue(q));
    admitter.apply(LocalQueueSpec{{ns, "main"}, "uid-" + ns, "queue-" + std::to_string(q)});
  }
}

void BM_CoreCycle(benchmark::State& state) {
  std::vector<WorkloadSpec> specs;
  for (int i = 0; i < kPerQueue; ++i) {
    for (int q = 0; q < kQueues; ++q) specs.push_back(workload(q, i));
  }
  std::int64_t cycles = 0, holds = 0;
  for (auto _ : state) {
    Journal journal;
    Admitter admitter(journal);
    set_up(admitter, state.range(0) == 1);
    std::map<std::pair<std::string, std::string>, const WorkloadSpec*> by_key;
    for (const WorkloadSpec& spec : specs) {
      admitter.apply(spec);
      by_key[{spec.key.ns, spec.key.name}] = &spec;
    }
    Time now = kStart + Duration::seconds(1000);
    std::size_t admitted = 0;
    std::deque<std::pair<ObjectKey, std::string>> running;
    while (admitted < specs.size()) {
      for (const Decision& decision : admitter.cycle(now)) {
        if (std::holds_alternative<Hold>(decision)) ++holds;
        const auto* admit = std::get_if<Admit>(&decision);
        if (admit == nullptr) continue;
        ++admitted;
        WorkloadSpec seen = *by_key.at({admit->workload.ns, admit->workload.name});
        seen.admission = admit->admission;
        seen.conditions = {{"QuotaReserved", ConditionView::Status::True, "QuotaReserved", "", now},
                           {"Admitted", ConditionView::Status::True, "Admitted", "", now}};
        admitter.workload_written(seen.key, seen.uid, true, false);
        admitter.apply(seen);
        running.push_back({seen.key, seen.uid});
      }
      ++cycles;
      if (!admitter.busy()) {
        // The older half ends; what it gives back is offered at once, and time goes on to the next
        // batch of moves.
        for (std::size_t n = running.size() / 2 + 1; n > 0 && !running.empty(); --n) {
          admitter.workload_gone(running.front().first, running.front().second);
          running.pop_front();
        }
        now = now + Duration::seconds(2);
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * kQueues * kPerQueue);
  state.counters["cycles"] = static_cast<double>(cycles) / static_cast<double>(state.iterations());
  state.counters["holds"] = static_cast<double>(holds) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_CoreCycle)->ArgName("fair")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

// Bytes per workload that waits for quota, its status written once, and the time of a fork.
void BM_PendingAndFork(benchmark::State& state) {
  Journal journal;
  Admitter admitter(journal);
  set_up(admitter);
  admitter.cycle(kStart);
  admitter.cycle(kStart + Duration::seconds(2));
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < kPerQueue; ++i) {
    for (int q = 0; q < kQueues; ++q) {
      WorkloadSpec spec = workload(q, i);
      // None fits, and no two of a queue are equal.
      auto big = std::make_shared<PodTemplate>(*spec.pod_sets[0].pod);
      big->containers[0].requests["cpu"] = Quantity{10'000'000 + i};
      spec.pod_sets[0].pod = big;
      admitter.apply(spec);
    }
  }
  for (int i = 0; admitter.busy() && i < 1000; ++i) {
    for (const Decision& decision : admitter.cycle(kStart + Duration::seconds(3))) {
      const Hold& hold = std::get<Hold>(decision);
      int q = 0, n = 0;
      std::sscanf(hold.workload.ns.c_str(), "team-%d", &q);
      std::sscanf(hold.workload.name.c_str(), "job-sample-%d", &n);
      WorkloadSpec spec = workload(q, n);
      auto big = std::make_shared<PodTemplate>(*spec.pod_sets[0].pod);
      big->containers[0].requests["cpu"] = Quantity{10'000'000 + n};
      spec.pod_sets[0].pod = big;
      spec.conditions = {
          {"QuotaReserved", ConditionView::Status::False, hold.reason, hold.message, kStart}};
      admitter.apply(spec);
    }
  }
  const std::size_t after = mallinfo2().uordblks;
  for (auto _ : state) {
    Journal other;
    Admitter fork(admitter, other);
    benchmark::DoNotOptimize(fork);
  }
  state.counters["bytes_per_workload"] =
      static_cast<double>(after - before) / (kQueues * kPerQueue);
}
BENCHMARK(BM_PendingAndFork)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quorate::admission

BENCHMARK_MAIN();
