#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"

namespace quorate {

// An amount of one resource, in that resource's base unit: millicores for cpu, bytes for memory,
// whole items for the rest (so one gpu is Quantity{1}).
//
// Signed, because headroom goes negative when quota shrinks below usage. Sums, differences and
// products saturate instead of wrapping; code that means "at least zero" says or_zero().
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t base_units) : units_(base_units) {}

  static constexpr Quantity max() { return Quantity{std::numeric_limits<std::int64_t>::max()}; }
  static constexpr Quantity min() { return Quantity{std::numeric_limits<std::int64_t>::min()}; }

  constexpr std::int64_t base_units() const { return units_; }
  constexpr Quantity or_zero() const { return units_ < 0 ? Quantity{} : *this; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a.units_, b.units_, &sum)) return Quantity{sum};
    return b.units_ < 0 ? min() : max();
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a.units_, b.units_, &difference)) return Quantity{difference};
    return b.units_ < 0 ? max() : min();
  }
  friend constexpr Quantity operator*(Quantity a, std::int64_t times) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(a.units_, times, &product)) return Quantity{product};
    return (a.units_ < 0) == (times < 0) ? max() : min();
  }
  // Integer division towards zero; `by` is not 0.
  friend constexpr Quantity operator/(Quantity a, std::int64_t by) {
    return (a == min() && by == -1) ? max() : Quantity{a.units_ / by};
  }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }

 private:
  std::int64_t units_ = 0;
};

// An upper bound that may be absent. "No limit" is a state of its own: never a huge number, never
// a missing map entry.
struct Limit {
  std::optional<Quantity> bound;  // nullopt: unlimited

  constexpr bool allows(Quantity amount) const { return !bound || amount <= *bound; }
  friend constexpr bool operator==(const Limit&, const Limit&) = default;
};

// Reads a Kubernetes quantity ("500m", "64Gi", "8", "1e3") as base units of `resource`.
//
// Fractions of a base unit round away from zero, as Kubernetes' own Quantity::Value does; amounts
// beyond int64 clamp to its ends. Negative quantities are read as they are: callers that forbid
// them say so.
// Errors: Invalid - empty or malformed.
// Example: parse_quantity("cpu", "1500m") is Quantity{1500}; ("memory", "1Ki") is Quantity{1024}.
Outcome<Quantity> parse_quantity(std::string_view resource, std::string_view text);

// The shortest usual way to write an amount of `resource`: "3Gi", "500m", "4".
std::string format_quantity(std::string_view resource, Quantity amount);

}  // namespace quorate
