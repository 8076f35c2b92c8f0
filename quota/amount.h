#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "src/base/quantity.h"

namespace quorate::quota {

// A quota, or a sum of quotas: a finite number of base units, or Unlimited.
//
// Unlimited absorbs what is added to it or taken from it, and two of them differ by nothing. Sums
// that run over the upper end become Unlimited; at the lower end they stay at the smallest number.
class Amount {
 public:
  constexpr Amount() = default;
  constexpr explicit Amount(std::int64_t base_units) : units_(base_units) {}
  constexpr Amount(Quantity quantity) : units_(quantity.base_units()) {}  // NOLINT: an amount too

  static constexpr Amount unlimited() { return Amount{std::numeric_limits<std::int64_t>::max()}; }

  constexpr bool is_unlimited() const { return units_ == std::numeric_limits<std::int64_t>::max(); }
  constexpr std::int64_t base_units() const { return units_; }
  constexpr Quantity quantity() const { return Quantity{units_}; }
  constexpr Amount or_zero() const { return units_ < 0 ? Amount{} : *this; }

  friend constexpr auto operator<=>(Amount, Amount) = default;
  friend constexpr Amount operator+(Amount a, Amount b) {
    if (a.is_unlimited() || b.is_unlimited()) return unlimited();
    return Amount{a.quantity() + b.quantity()};
  }
  friend constexpr Amount operator-(Amount a, Amount b) {
    if (a.is_unlimited()) return b.is_unlimited() ? Amount{} : unlimited();
    if (b.is_unlimited()) return Amount{std::numeric_limits<std::int64_t>::min()};
    return Amount{a.quantity() - b.quantity()};
  }

 private:
  std::int64_t units_ = 0;
};

// Reads a quota quantity. What reaches the end of the 64-bit range (for cpu: the whole cores of it)
// is Unlimited, as the reference defines it.
constexpr Amount quota_amount(bool is_cpu, Quantity quantity) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t edge = is_cpu ? kMax / 1000 * 1000 : kMax;
  return quantity.base_units() >= edge ? Amount::unlimited() : Amount{quantity};
}

}  // namespace quorate::quota
