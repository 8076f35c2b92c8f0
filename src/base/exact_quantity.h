#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/base/quantity.h"

namespace quorate {

__extension__ typedef __int128 Int128;  // NOLINT(modernize-use-using): `using` cannot be marked

// An amount exact to a billionth of a unit (of a core, a byte, an item), the finest that a
// Kubernetes quantity can say. Sums saturate at +-2^126, far beyond what a cluster has.
class ExactQuantity {
 public:
  constexpr ExactQuantity() = default;
  constexpr explicit ExactQuantity(Int128 billionths) : billionths_(billionths) {}
  // An amount of a resource as its users write it: cpu in cores, everything else in units.
  static ExactQuantity of(std::string_view resource, Quantity amount);

  constexpr Int128 billionths() const { return billionths_; }

  friend constexpr bool operator==(ExactQuantity, ExactQuantity) = default;
  friend constexpr auto operator<=>(ExactQuantity, ExactQuantity) = default;
  friend constexpr ExactQuantity operator+(ExactQuantity a, ExactQuantity b) {
    constexpr Int128 kMost = Int128{1} << 126;
    const Int128 sum = clamp(a.billionths_, kMost) + clamp(b.billionths_, kMost - 1);
    return ExactQuantity{clamp(sum, kMost)};
  }

 private:
  static constexpr Int128 clamp(Int128 value, Int128 most) {
    return value > most ? most : value < -most ? -most : value;
  }
  Int128 billionths_ = 0;
};

using ExactAmounts = std::map<std::string, ExactQuantity>;  // by resource

// Reads a Kubernetes quantity exactly; digits below a billionth round away from zero, as Kubernetes
// does, and what is beyond 10^27 units clamps to that.
// Errors: Invalid - not a quantity.
Outcome<ExactQuantity> parse_exact_quantity(std::string_view text);

// As Kubernetes writes it: "1171572875n", "4", "512Mi" (of memory, where it comes out whole).
std::string format_exact_quantity(std::string_view resource, ExactQuantity amount);

}  // namespace quorate
