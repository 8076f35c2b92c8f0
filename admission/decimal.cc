#include "admission/decimal.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>

namespace quorate::admission {
namespace {

using quota::Wide;

constexpr Wide kMost = (Wide{1} << 126) - 1 + (Wide{1} << 126);

Wide times(Wide a, Wide b) {
  Wide product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? kMost : -kMost;
}

Wide plus(Wide a, Wide b) {
  Wide sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? -kMost : kMost;
}

Wide power_of_ten(int n) {
  Wide power = 1;
  for (int i = 0; i < n; ++i) power = times(power, 10);
  return power;
}

// Division that rounds away from zero.
Wide divide_up(Wide value, Wide by) {
  const Wide quotient = value / by;
  if (quotient * by == value) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

struct Suffix {
  Wide factor = 1;
  int down = 0;  // further decimal places
};

// The part behind the number: "", n, u, m, k, M, …, Ki, Mi, …, e3, E-2.
bool read_suffix(std::string_view text, Suffix& suffix) {
  constexpr std::string_view kSmall = "mun", kLarge = "kMGTPE", kBinary = "KMGTPE";
  if (text.empty()) return true;
  if (text.size() == 1) {
    if (const std::size_t at = kSmall.find(text[0]); at != std::string_view::npos) {
      suffix.down = 3 * (static_cast<int>(at) + 1);
      return true;
    }
    if (const std::size_t at = kLarge.find(text[0]); at != std::string_view::npos) {
      suffix.factor = power_of_ten(3 * (static_cast<int>(at) + 1));
      return true;
    }
    return false;
  }
  if (text.size() == 2 && text[1] == 'i') {
    const std::size_t at = kBinary.find(text[0]);
    if (at == std::string_view::npos) return false;
    suffix.factor = Wide{1} << (10 * (static_cast<int>(at) + 1));
    return true;
  }
  if (text[0] != 'e' && text[0] != 'E') return false;
  std::string_view digits = text.substr(1);
  const bool down = digits[0] == '-';
  if (down || digits[0] == '+') digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 3) return false;
  int exponent = 0;
  for (const char c : digits) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
    exponent = exponent * 10 + (c - '0');
  }
  if (down) {
    suffix.down = exponent;
  } else {
    suffix.factor = power_of_ten(exponent);
  }
  return true;
}

}  // namespace

Outcome<Decimal> Decimal::parse(std::string_view text) {
  const auto bad = [&] { return error(Errc::Invalid, "not a quantity: " + std::string(text)); };
  std::string_view rest = text;
  const bool minus = !rest.empty() && rest[0] == '-';
  if (minus || (!rest.empty() && rest[0] == '+')) rest.remove_prefix(1);
  Wide units = 0;
  int scale = 0;
  bool digits = false, point = false;
  while (!rest.empty()) {
    const char c = rest[0];
    if (c == '.' && !point) {
      point = true;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      units = plus(times(units, 10), c - '0');
      digits = true;
      if (point) ++scale;
    } else {
      break;
    }
    rest.remove_prefix(1);
  }
  Suffix suffix;
  if (!digits || !read_suffix(rest, suffix)) return bad();
  units = times(units, suffix.factor);
  scale += suffix.down;
  constexpr int kPlaces = 9;
  if (scale > kPlaces) {
    units = divide_up(units, power_of_ten(std::min(scale - kPlaces, 37)));
    scale = kPlaces;
  }
  return Decimal(minus ? -units : units, scale);
}

Decimal Decimal::of(std::string_view resource, Quantity amount) {
  return {amount.base_units(), resource == "cpu" ? 3 : 0};
}

Quantity Decimal::quantity(std::string_view resource) const {
  const int wanted = resource == "cpu" ? 3 : 0;
  Wide units = units_;
  if (scale_ > wanted) units = divide_up(units, power_of_ten(scale_ - wanted));
  if (scale_ < wanted) units = times(units, power_of_ten(wanted - scale_));
  constexpr Wide kLow = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kHigh = std::numeric_limits<std::int64_t>::max();
  return Quantity{static_cast<std::int64_t>(std::clamp(units, kLow, kHigh))};
}

Decimal operator*(Decimal a, Decimal b) { return {times(a.units_, b.units_), a.scale_ + b.scale_}; }

Decimal operator+(Decimal a, Decimal b) {
  const int scale = std::max(a.scale_, b.scale_);
  return {plus(times(a.units_, power_of_ten(scale - a.scale_)),
               times(b.units_, power_of_ten(scale - b.scale_))),
          scale};
}

}  // namespace quorate::admission
