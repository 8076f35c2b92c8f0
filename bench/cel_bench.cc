// CEL selectors: what compiling one and looking at one device takes.

#include <benchmark/benchmark.h>

#include <string>

#include "src/base/check.h"
#include "src/cel/selector.h"

namespace quorate::cel {
namespace {

constexpr std::string_view kSelectors[] = {
    // The class selector of nearly every driver.
    "device.driver == \"gpu.example.com\"",
    // A model with enough memory.
    "device.driver == \"gpu.example.com\" && "
    "device.attributes[\"gpu.example.com\"].model == \"a100\" && "
    "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0",
    // Bound, optional, versions and lists.
    "cel.bind(dra, device.attributes[\"gpu.example.com\"], "
    "dra.?healthy.orValue(false) && dra.driverVersion.isGreaterThan(semver(\"550.9.0\")) && "
    "[\"h100\", \"a100\"].exists(m, m == dra.model))",
};

Device gpu() {
  Device device("gpu.example.com");
  for (const auto& [name, value] : std::initializer_list<std::pair<std::string, AttributeValue>>{
           {"architecture", std::string("Ampere")},
           {"brand", std::string("Nvidia")},
           {"driverVersion", Version{"550.54.15"}},
           {"healthy", true},
           {"index", std::int64_t{3}},
           {"model", std::string("a100")},
           {"type", std::string("gpu")},
           {"uuid", std::string("GPU-8a1b2c3d")},
           {"resource.kubernetes.io/pcieRoot", std::string("pci0000:17")}}) {
    check(device.add_attribute(name, value).has_value(), "an attribute is good");
  }
  device.add_capacity("memory", *parse_exact_quantity("40Gi"));
  device.add_capacity("multiprocessors", *parse_exact_quantity("108"));
  return device;
}

void evaluate(benchmark::State& state) {
  const std::string_view expression = kSelectors[state.range(0)];
  const Outcome<Selector> selector = Selector::compile(expression);
  check(selector.has_value(), "the selector compiles");
  const Device device = gpu();
  Scratch scratch;
  for (auto _ : state) {
    const Outcome<bool> matches = selector->matches(device, scratch);
    check(matches.has_value() && *matches, "the device is selected");
  }
}
BENCHMARK(evaluate)->DenseRange(0, 2)->ArgName("selector")->Unit(benchmark::kNanosecond);

void compile(benchmark::State& state) {
  const std::string_view expression = kSelectors[state.range(0)];
  (void)selector_environment();
  for (auto _ : state) benchmark::DoNotOptimize(Selector::compile(expression).has_value());
}
BENCHMARK(compile)->DenseRange(0, 2)->ArgName("selector")->Unit(benchmark::kMicrosecond);

void describe_device(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(gpu().value());
}
BENCHMARK(describe_device)->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace quorate::cel

BENCHMARK_MAIN();
