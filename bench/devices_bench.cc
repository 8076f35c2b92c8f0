// What a pod with a claim costs: 500 nodes with eight devices each, one claim per pod, from the
// events of its arrival to its bind; and a search that has to end by its budget.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "src/cluster/model.h"
#include "src/devices/cel_selector.h"
#include "src/devices/model.h"
#include "src/scheduler/scheduler.h"

namespace quorate::scheduler {
namespace {

constexpr int kNodes = 500;
constexpr int kDevices = 8;

dra::Attribute text_value(std::string text) {
  return {dra::Attribute::Type::Text, false, {}, {std::move(text)}};
}

dra::ClaimSpec one_gpu() {
  dra::Alternative way;
  way.device_class = "gpu";
  way.selectors = {R"(device.attributes["gpu.example.com"].model == "h100")"};
  return {{{"gpu", false, {way}}}, {}, {}};
}

struct State {
  State() {
    auto owned = std::make_unique<devices::Model>(devices::compile_cel);
    devices = owned.get();
    model.attach(std::move(owned));
    devices->apply(
        model, journal,
        devices::ClassObject{"gpu", {}, {{R"(device.driver == "gpu.example.com")"}, {}, ""}});
    for (int n = 0; n < kNodes; ++n) add_node(n);
  }

  void add_node(int number) {
    cluster::NodeSpec node;
    node.name = "node-" + std::to_string(1000 + number);
    node.labels = {{"kubernetes.io/hostname", node.name}};
    node.allocatable = {{"cpu", Quantity{64000}}, {"pods", Quantity{110}}};
    devices::SliceObject slice{node.name + "-gpus", {}};
    slice.spec.driver = "gpu.example.com";
    slice.spec.pool = node.name;
    slice.spec.node_name = node.name;
    for (int d = 0; d < kDevices; ++d) {
      dra::Device& device = slice.spec.devices.emplace_back();
      device.name = "gpu-" + std::to_string(d);
      device.attributes["model"] = text_value("h100");
      device.attributes["resource.kubernetes.io/pcieRoot"] =
          text_value("pci0000:" + std::to_string(d / 4));
    }
    scheduler.observe(model, model.apply(journal, std::move(node)));
    devices->apply(model, journal, std::move(slice));
  }

  // A pod and its claim arrive.
  void add_pod(const dra::ClaimSpec& wanted) {
    const std::string name = "p" + std::to_string(pods++);
    devices::ClaimObject object;
    object.key = {"ns", name + "-claim"};
    object.uid = "uid-" + name + "-claim";
    object.owner_kind = "Pod";
    object.owner_name = name;
    object.owner_uid = "uid-" + name;
    object.spec = wanted;
    devices->apply(model, journal, std::move(object));
    cluster::PodSpec pod;
    pod.key = {"ns", name};
    pod.uid = "uid-" + name;
    pod.spec = like;
    pod.claim_names["gpu"] = name + "-claim";
    scheduler.observe(model, journal, model.apply(journal, std::move(pod)));
  }

  std::int64_t step() {
    std::int64_t bound = 0;
    for (const Decision& decision : scheduler.step(model, journal, now, 1 << 20)) {
      bound += std::holds_alternative<Bind>(decision) ? 1 : 0;
    }
    return bound;
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) add_pod(claim);
    step();
  }

  static std::shared_ptr<const PodTemplate> make_template() {
    auto pod = std::make_shared<PodTemplate>();
    pod->scheduler_name = "quorate-scheduler";
    pod->resource_claims = {{"gpu", "", "one-gpu"}};
    return pod;
  }

  cluster::Model model;
  Journal journal;
  Scheduler scheduler;
  devices::Model* devices = nullptr;
  dra::ClaimSpec claim = one_gpu();
  std::shared_ptr<const PodTemplate> like = make_template();
  int pods = 0;
  Time now = Time::from_seconds(1000);
};

// The argument: how many of the 4,000 devices are in use before.
void one_claim_per_pod(benchmark::State& run) {
  constexpr int kBatch = 200;
  const int used = static_cast<int>(run.range(0));
  std::int64_t decided = 0;
  for (auto _ : run) {
    run.PauseTiming();
    auto state = std::make_unique<State>();
    state->fill(used);
    run.ResumeTiming();
    for (int i = 0; i < kBatch; ++i) state->add_pod(state->claim);
    benchmark::DoNotOptimize(state->step());
    decided += kBatch;
    run.PauseTiming();
    state.reset();
    run.ResumeTiming();
  }
  run.counters["pods/s"] =
      benchmark::Counter(static_cast<double>(decided), benchmark::Counter::kIsRate);
}
BENCHMARK(one_claim_per_pod)->Arg(0)->Arg(2000)->Arg(4000)->Unit(benchmark::kMillisecond);

// Ten requests that no four roots can satisfy together: hopeless, found out by the budget.
void a_search_that_ends_by_its_budget(benchmark::State& run) {
  auto state = std::make_unique<State>();
  dra::ClaimSpec spec;
  for (int r = 0; r < 3; ++r) {
    dra::Alternative way;
    way.device_class = "gpu";
    way.count = 3;
    const std::string name = "r" + std::to_string(r);
    spec.requests.push_back({name, false, {way}});
    spec.constraints.push_back({{name}, "resource.kubernetes.io/pcieRoot", ""});
  }
  for (auto _ : run) {
    state->add_pod(spec);
    benchmark::DoNotOptimize(state->step());
  }
}
BENCHMARK(a_search_that_ends_by_its_budget)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace quorate::scheduler

BENCHMARK_MAIN();
