// Placement of one workload in topologies of 640 to 60,000 nodes.

#include <benchmark/benchmark.h>

#include "topology/placement.h"

namespace quorate::topology {
namespace {

// Blocks of 20 racks of 16 hosts with 8 gpus each, partly used.
Tree hosts(std::int64_t nodes) {
  Tree tree("t", {"block", "rack", kHostname}, {});
  for (std::int64_t i = 0; i < nodes; ++i) {
    auto spec = std::make_shared<cluster::NodeSpec>();
    spec->name = "node-" + std::to_string(i);
    spec->labels = {{"block", "b" + std::to_string(i / 320)},
                    {"rack", "r" + std::to_string(i / 16)},
                    {kHostname, spec->name}};
    spec->allocatable = {{"cpu", Quantity{128'000}},
                         {"memory", Quantity{std::int64_t{1} << 40}},
                         {"nvidia.com/gpu", Quantity{8}},
                         {"pods", Quantity{110}}};
    const ResourceList foreign{{"cpu", Quantity{1000}}, {"nvidia.com/gpu", Quantity{i * 7 % 9}}};
    tree.put_node(std::move(spec), static_cast<std::uint32_t>(i / 16), foreign);
  }
  tree.settle();
  return tree;
}

Ask ask_for(Tree& tree, std::int64_t pods) {
  Ask ask;
  ask.pods = pods;
  ask.pod = tree.amounts({{"cpu", Quantity{8000}},
                          {"memory", Quantity{std::int64_t{64} << 30}},
                          {"nvidia.com/gpu", Quantity{1}}});
  return ask;
}

void measure(benchmark::State& state, const Wish& wish, std::int64_t pods) {
  Tree tree = hosts(state.range(0));
  Ask ask = ask_for(tree, pods);
  ask.wish = wish;
  for (auto _ : state) benchmark::DoNotOptimize(place(tree, ask, {}));
}

void required_rack(benchmark::State& state) { measure(state, {"rack", "", false, {}}, 48); }
void preferred_block(benchmark::State& state) { measure(state, {"", "block", false, {}}, 4000); }
void unconstrained(benchmark::State& state) { measure(state, {"", "", true, {}}, 500); }
void sliced(benchmark::State& state) {
  measure(state, {"block", "", false, {{"rack", 32}, {kHostname, 4}}}, 320);
}
void impossible(benchmark::State& state) { measure(state, {"rack", "", false, {}}, 129); }

// A node that fails and comes back, then a placement.
void node_flap(benchmark::State& state) {
  Tree tree = hosts(state.range(0));
  Ask ask = ask_for(tree, 48);
  ask.wish.required = "rack";
  auto down = std::make_shared<cluster::NodeSpec>(tree.sample(7));
  const auto up = std::make_shared<cluster::NodeSpec>(*down);
  down->ready = false;
  for (auto _ : state) {
    tree.put_node(down, 0, {});
    benchmark::DoNotOptimize(place(tree, ask, {}));
    tree.put_node(up, 0, {});
    benchmark::DoNotOptimize(place(tree, ask, {}));
  }
}

void build_tree(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(hosts(state.range(0)));
}

#define SIZES Arg(640)->Arg(2000)->Arg(10000)->Arg(60000)->Unit(benchmark::kMicrosecond)
BENCHMARK(required_rack)->SIZES;
BENCHMARK(preferred_block)->SIZES;
BENCHMARK(unconstrained)->SIZES;
BENCHMARK(sliced)->SIZES;
BENCHMARK(impossible)->SIZES;
BENCHMARK(node_flap)->SIZES;
BENCHMARK(build_tree)->SIZES;
#undef SIZES

}  // namespace
}  // namespace quorate::topology

BENCHMARK_MAIN();
