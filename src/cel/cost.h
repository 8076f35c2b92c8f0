#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "src/cel/function.h"
#include "src/cel/value.h"

// What CEL evaluations cost in units, as cel-go and Kubernetes count them. One unit is about what
// reading a variable takes.
namespace quorate::cel {

inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr double kPerCharacter = 0.1;
inline constexpr double kPerPatternCharacter = 0.25;

inline std::uint64_t scaled(std::uint64_t size, double factor) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

// The cost of one call by its rule; an error as an argument or result has size 1.
std::uint64_t call_cost(CostRule rule, std::span<const Value> args, const Value& result);

// The rule that holds while it is not known which of several overloads applies.
CostRule ambiguous(CostRule rule);

}  // namespace quorate::cel
