// Any text is an expression or a list of issues; an expression evaluates within its limits, to the
// same value and cost each time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/check.h"
#include "src/cel/program.h"
#include "src/cel/selector.h"

namespace {

quorate::cel::Device sample() {
  quorate::cel::Device device("gpu.example.com");
  (void)device.add_attribute("model", std::string("a100"));
  (void)device.add_attribute("index", std::int64_t{3});
  (void)device.add_attribute("ints", std::vector<std::int64_t>{1, 2});
  (void)device.add_attribute("version", quorate::cel::Version{"1.2.3"});
  device.add_capacity("memory", *quorate::parse_exact_quantity("40Gi"));
  return device;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quorate;
  using namespace quorate::cel;
  constexpr std::size_t kLongest = 4096;
  constexpr std::uint64_t kCostLimit = 20'000;
  if (size > kLongest) return 0;
  static const Device device = sample();
  static Scratch scratch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Outcome<Compiled> compiled = compile_and_estimate(selector_environment(), text);
  if (!compiled) {
    check(!compiled.error().message.empty(), "a refusal says why");
    return 0;
  }
  const Value input = device.value();
  const Evaluated first = compiled->program.evaluate({&input, 1}, scratch, kCostLimit);
  const std::string value = to_string(first.value);
  const Evaluated second = compiled->program.evaluate({&input, 1}, scratch, kCostLimit);
  check(value == to_string(second.value), "an evaluation repeats itself");
  check(first.cost == second.cost, "and so does its cost");
  return 0;
}
