#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "quota/wide.h"

namespace quorate::fairshare {

// An unsigned integer of 256 bits: enough for a product of four 64-bit factors, so that fractions
// of amounts and weights are compared without rounding. What would run over the top becomes the
// largest number.
class Wide256 {
 public:
  constexpr Wide256() = default;
  // A negative number counts as zero.
  constexpr explicit Wide256(quota::Wide value) {
    if (value < 0) return;
    limbs_[0] = static_cast<std::uint64_t>(value);
    limbs_[1] = static_cast<std::uint64_t>(value >> 64);
  }

  static constexpr Wide256 most() {
    Wide256 all;
    all.limbs_.fill(~std::uint64_t{0});
    return all;
  }

  friend constexpr Wide256 operator+(const Wide256& a, const Wide256& b) {
    Wide256 sum;
    quota::Wide carry = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      carry += quota::Wide{a.limbs_[i]} + quota::Wide{b.limbs_[i]};
      sum.limbs_[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    return carry == 0 ? sum : most();
  }

  friend constexpr Wide256 operator*(const Wide256& a, std::uint64_t times) {
    Wide256 product;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const UnsignedWide part = static_cast<UnsignedWide>(a.limbs_[i]) * times + carry;
      product.limbs_[i] = static_cast<std::uint64_t>(part);
      carry = static_cast<std::uint64_t>(part >> 64);
    }
    return carry == 0 ? product : most();
  }

  // Division that rounds down; `by` is not 0.
  friend constexpr Wide256 operator/(const Wide256& a, std::uint64_t by) {
    Wide256 quotient;
    UnsignedWide rest = 0;
    for (std::size_t i = 4; i-- > 0;) {
      rest = (rest << 64) | a.limbs_[i];
      quotient.limbs_[i] = static_cast<std::uint64_t>(rest / by);
      rest %= by;
    }
    return quotient;
  }

  // The value, or the largest of 127 bits where it is beyond.
  constexpr quota::Wide narrow() const {
    constexpr quota::Wide kMost = ~(quota::Wide{1} << 126 << 1);
    if (limbs_[2] != 0 || limbs_[3] != 0 || limbs_[1] >> 63 != 0) return kMost;
    return quota::Wide{limbs_[1]} << 64 | quota::Wide{limbs_[0]};
  }

  friend constexpr bool operator==(const Wide256&, const Wide256&) = default;
  friend constexpr std::strong_ordering operator<=>(const Wide256& a, const Wide256& b) {
    for (std::size_t i = 4; i-- > 0;) {
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    }
    return std::strong_ordering::equal;
  }

 private:
  __extension__ typedef unsigned __int128 UnsignedWide;  // NOLINT(modernize-use-using)

  std::array<std::uint64_t, 4> limbs_{};  // least first
};

}  // namespace quorate::fairshare
