#pragma once

#include <cstdint>

namespace quorate {

// Base-2 logarithm of a whole number >= 1 in units of 2^-32, rounded down; the error is below
// 2^-28. Integers only, so equal everywhere; log2(2n) is exactly log2(n) + 1.
constexpr std::int64_t fixed_log2(std::uint64_t n) {
  int whole = 63;
  while (whole > 0 && (n >> whole) == 0) --whole;
  // The mantissa in [1, 2) with 31 fractional bits; squaring it yields one bit after the other.
  std::uint64_t mantissa = whole >= 31 ? n >> (whole - 31) : n << (31 - whole);
  std::int64_t result = whole;
  for (int bit = 0; bit < 32; ++bit) {
    mantissa = (mantissa * mantissa) >> 31;
    result <<= 1;
    if (mantissa >> 32 != 0) {
      result |= 1;
      mantissa >>= 1;
    }
  }
  return result;
}

}  // namespace quorate
