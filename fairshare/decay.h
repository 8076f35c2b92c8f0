#pragma once

#include <cstdint>

#include "src/base/exact_quantity.h"
#include "src/base/time.h"

namespace quorate::fairshare {

// digits * 10^-places, between 0 and 1.
struct DecimalFraction {
  std::uint64_t digits = 0;
  int places = 0;

  friend bool operator==(const DecimalFraction&, const DecimalFraction&) = default;
};

// How much of an old figure is left after a time, and how much of a new one has come in:
//
//   fresh = 1 - 0.5^(elapsed / half_life),   kept = 1 - fresh
//
// To the digit what binary floating point gives that rounds correctly: the power is rounded to 53
// significant bits, both differences to the nearest of their size, and each is then the shortest
// decimal that reads back as the same number. Computed with integers, so that it is the same
// everywhere. An elapsed time that is not positive keeps everything; so does a half-life of zero,
// at which old figures are forgotten by other means.
struct Decay {
  DecimalFraction fresh;
  DecimalFraction kept{1, 0};

  friend bool operator==(const Decay&, const Decay&) = default;
};
Decay decay(Duration elapsed, Duration half_life);

// amount * fraction, cut towards zero to a billionth.
ExactQuantity part_of(ExactQuantity amount, DecimalFraction fraction);

}  // namespace quorate::fairshare
