#pragma once

#include <cstdint>
#include <string_view>

#include "quota/wide.h"
#include "src/base/outcome.h"
#include "src/base/quantity.h"

namespace quorate::admission {

// An exact decimal: units * 10^-scale. Products and sums are exact up to 38 digits and saturate
// beyond, far outside of what fits a request.
class Decimal {
 public:
  Decimal() = default;
  Decimal(quota::Wide units, int scale) : units_(units), scale_(scale) {}

  // Errors: Invalid - not a Kubernetes quantity. Digits below a billionth round away from zero, as
  // Kubernetes does.
  static Outcome<Decimal> parse(std::string_view text);
  // An amount of a resource as the user wrote it: cpu in cores, everything else in units.
  static Decimal of(std::string_view resource, Quantity amount);

  // Back to base units of `resource`; fractions round away from zero.
  Quantity quantity(std::string_view resource) const;

  bool negative() const { return units_ < 0; }
  friend Decimal operator*(Decimal a, Decimal b);
  friend Decimal operator+(Decimal a, Decimal b);

 private:
  quota::Wide units_ = 0;
  int scale_ = 0;
};

}  // namespace quorate::admission
