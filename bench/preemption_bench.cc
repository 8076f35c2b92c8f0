// One cycle of the admission core in which a workload has to find its victims among many: queues of
// one cohort that all borrow, and an owner who wants its quota back. Half of the candidates have to
// go; all of them are looked at, twice in flavor assignment (cpu and memory) and once for the
// whole.

#include <benchmark/benchmark.h>

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
BENCHMARK(find_victims)->Arg(100)->Arg(700)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quorate::admission

BENCHMARK_MAIN();
