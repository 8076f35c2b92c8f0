#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/exact_quantity.h"
#include "src/base/outcome.h"
#include "src/cel/arena.h"
#include "src/cel/environment.h"
#include "src/cel/program.h"
#include "src/cel/value.h"

// CEL as Dynamic Resource Allocation uses it: expressions over one variable, `device`
// (KEP-4381; k8s.io/dynamic-resource-allocation/cel).
namespace quorate::cel {

inline constexpr std::size_t kSelectorMaxBytes = 10'240;
inline constexpr std::uint64_t kSelectorMaxCost = 1'000'000;

// Which expressions are understood.
struct SelectorOptions {
  bool list_attributes = true;  // DRAListTypeAttributes: lists, and x.includes(v)
  bool allow_multiple = true;   // DRAConsumableCapacity: device.allowMultipleAllocations
};
// What the scheduler understands in stored objects, whatever gates the API server has on.
inline constexpr SelectorOptions kStoredSelectors{};
// What a 1.37 API server with its default gates accepts in new ones.
inline constexpr SelectorOptions kNewSelectors{.list_attributes = false, .allow_multiple = true};

// The environment of selectors; one is made for each set of options and lives for ever.
const Environment& selector_environment(SelectorOptions options = kStoredSelectors);

// A version attribute, as text: "1.2.3".
struct Version {
  std::string text;
};
using AttributeValue =
    std::variant<std::int64_t, bool, std::string, Version, std::vector<std::int64_t>,
                 std::vector<bool>, std::vector<std::string>, std::vector<Version>>;

// A device as selectors see it. Made once for a device, then looked at by any number of selectors
// and threads. Names without a domain are filed under the driver.
class Device {
 public:
  // The names and values are copied.
  explicit Device(std::string_view driver, bool allow_multiple_allocations = false);
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  // `name` is "domain/id" or "id". A second value of the same domain and id replaces the first.
  // Errors: Invalid - a version that is no semantic version; nothing is added.
  Outcome<void> add_attribute(std::string_view name, const AttributeValue& value);
  void add_capacity(std::string_view name, ExactQuantity value);

  // The value of the variable `device`.
  const Value& value() const { return value_; }

 private:
  class Object;
  std::unique_ptr<Object> object_;
  Value value_;
};

// A compiled selector. Immutable; threads share it, each with a Scratch of its own.
class Selector {
 public:
  // Errors: Invalid - "compilation failed: ERROR: <input>:1:8: …", or the type is not bool: "must
  // evaluate to bool or the unknown type, not string".
  static Outcome<Selector> compile(std::string_view expression,
                                   SelectorOptions options = kStoredSelectors);

  // Whether the device is selected.
  // Errors: Invalid - the runtime error, "no such key: model"; or a result that is not bool.
  Outcome<bool> matches(const Device& device, Scratch& scratch,
                        std::uint64_t cost_limit = kSelectorMaxCost) const;

  // The most that an evaluation can cost, by which the API server refuses a selector ("too complex,
  // exceeds cost limit") when it is above kSelectorMaxCost.
  std::uint64_t max_cost() const { return max_cost_; }
  const Program& program() const { return program_; }

 private:
  Selector(Program program, std::uint64_t max_cost)
      : program_(std::move(program)), max_cost_(max_cost) {}
  Program program_;
  std::uint64_t max_cost_;
};

// A runtime error's text with the hint that kube-scheduler adds where a key is missing.
std::string with_hint(std::string message);

}  // namespace quorate::cel
