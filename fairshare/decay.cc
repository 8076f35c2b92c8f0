#include "fairshare/decay.h"

#include <bit>

#include "fairshare/wide256.h"

namespace quorate::fairshare {
namespace {

__extension__ typedef unsigned __int128 UInt128;  // NOLINT(modernize-use-using)

constexpr int kBits = 53;  // of the significand
constexpr std::uint64_t kOne = std::uint64_t{1} << kBits;

// The upper half of a product of 256 bits.
UInt128 high_product(UInt128 a, UInt128 b) {
  const UInt128 a1 = a >> 64, a0 = static_cast<std::uint64_t>(a);
  const UInt128 b1 = b >> 64, b0 = static_cast<std::uint64_t>(b);
  const UInt128 middle = a1 * b0 + (a0 * b0 >> 64);
  const UInt128 other = a0 * b1 + static_cast<std::uint64_t>(middle);
  return a1 * b1 + (middle >> 64) + (other >> 64);
}

// numerator / denominator of 127 bits behind the point, for numerator < denominator < 2^63.
UInt128 fraction_of(std::uint64_t numerator, std::uint64_t denominator) {
  const UInt128 first = static_cast<UInt128>(numerator) << 64;
  const UInt128 high = first / denominator;
  const UInt128 rest = (first % denominator) << 63;
  return (high << 63) | (rest / denominator);
}

// 2^x for 0 <= x < 1, both with 127 bits behind the point (the result is below 2, so it fits), by
// the series of e^(x ln 2). Right to about 2^-120.
UInt128 power_of_two(UInt128 x) {
  constexpr UInt128 kLn2 =  // of 128 bits behind the point
      static_cast<UInt128>(0xb17217f7d1cf79abULL) << 64 | 0xc9e3b39803f2f6afULL;
  const UInt128 y = high_product(x, kLn2);  // 127 bits behind the point
  UInt128 sum = static_cast<UInt128>(1) << 127;
  UInt128 term = y;
  for (std::uint64_t n = 2; term > 0; ++n) {
    sum += term;
    term = (high_product(term, y) << 1) / n;
  }
  return sum;
}

// Nearest of value / 2^shift, ties to even.
UInt128 shift_right(UInt128 value, int shift) {
  if (shift <= 0) return value;
  if (shift > 127) return 0;
  const UInt128 half = static_cast<UInt128>(1) << (shift - 1);
  const UInt128 rest = value & ((half << 1) - 1);
  UInt128 up = value >> shift;
  if (rest > half || (rest == half && (up & 1) != 0)) ++up;
  return up;
}

// 0.5^(elapsed / half_life) in parts of 2^53: rounded to 53 significant bits, then to a whole part.
// A power of at least a half has whole parts anyway; of a smaller one only its distance to 1 is
// asked for, which has no finer parts.
std::uint64_t kept_parts(Duration elapsed, Duration half_life) {
  const std::int64_t halvings = elapsed.nanos / half_life.nanos;
  const auto rest = static_cast<std::uint64_t>(elapsed.nanos % half_life.nanos);
  if (rest == 0) return halvings > kBits ? 0 : kOne >> halvings;
  if (halvings > kBits + 2) return 0;
  // 2^-f = 2^(1-f) / 2 for the fraction f of a half-life.
  const UInt128 f = fraction_of(rest, static_cast<std::uint64_t>(half_life.nanos));
  const UInt128 power = power_of_two((static_cast<UInt128>(1) << 127) - f);
  // 1 <= power < 2, so its first bit has the value 2^127: 53 bits are left of 128.
  const UInt128 significand = shift_right(power, 128 - kBits);
  // significand * 2^-52 / 2 * 2^-halvings, in parts of 2^53
  return static_cast<std::uint64_t>(shift_right(significand, static_cast<int>(halvings)));
}

UInt128 power_of_ten(int n) {
  UInt128 power = 1;
  for (; n > 0; --n) power *= 10;
  return power;
}

// The shortest decimal that is nearer to parts/2^53 than to its neighbours of 53 significant bits.
DecimalFraction shortest(std::uint64_t parts) {
  if (parts == 0) return {0, 0};
  if (parts == kOne) return {1, 0};
  const int length = static_cast<int>(std::bit_width(parts));
  // Neighbours are 2^(length - 53) parts apart, below a power of two half as far.
  const bool is_power = std::has_single_bit(parts);
  const bool even = ((static_cast<UInt128>(parts) << (kBits - length)) & 1) == 0;
  int places = 0;
  UInt128 scale = 1;
  // Leading zeros: parts/2^53 * 10^places >= 1/10 from here on.
  while (scale * parts * 10 < kOne) {
    scale *= 10;
    ++places;
  }
  for (int digit = 1; digit <= 17; ++digit) {
    scale *= 10;
    ++places;
    const UInt128 exact = scale * parts;  // digits * 2^53
    const UInt128 below = exact >> kBits;
    const UInt128 rest = exact & (kOne - 1);
    const bool up = rest > kOne / 2 || (rest == kOne / 2 && (below & 1) != 0);
    const UInt128 error = up ? kOne - rest : rest;
    // |digits/scale - parts/2^53| <= half the distance to the neighbour on that side.
    const int finer = kBits - length + (is_power && !up ? 1 : 0);
    const UInt128 scaled = error << (finer + 1);
    if (scaled < scale || (even && scaled == scale)) {
      return {static_cast<std::uint64_t>(up ? below + 1 : below), places};
    }
  }
  return {static_cast<std::uint64_t>(shift_right(scale * parts, kBits)), places};
}

}  // namespace

Decay decay(Duration elapsed, Duration half_life) {
  if (elapsed.nanos <= 0 || half_life.nanos <= 0) return {};
  const std::uint64_t kept = kept_parts(elapsed, half_life);
  return {shortest(kOne - kept), shortest(kept)};
}

ExactQuantity part_of(ExactQuantity amount, DecimalFraction fraction) {
  const bool negative = amount.billionths() < 0;
  Wide256 product =
      Wide256(negative ? -amount.billionths() : amount.billionths()) * fraction.digits;
  for (int places = fraction.places; places > 0; places -= 18) {
    product = product / static_cast<std::uint64_t>(power_of_ten(places < 18 ? places : 18));
  }
  return ExactQuantity{negative ? -product.narrow() : product.narrow()};
}

}  // namespace quorate::fairshare
