#include "src/base/quantity.h"

#include <algorithm>
#include <array>
#include <optional>

#include "src/base/exact_quantity.h"

namespace quorate {
namespace {

__extension__ typedef unsigned __int128 Wide;  // gcc and clang have it; ISO C++ has no name for it

// Amounts are digits × 10^decimal × 2^binary; no suffix has both.
struct Scale {
  std::int64_t decimal = 0;
  int binary = 0;
};

struct Suffix {
  std::string_view text;
  Scale scale;
};

constexpr std::array<Suffix, 16> kSuffixes = {{{"", {0, 0}},
                                               {"n", {-9, 0}},
                                               {"u", {-6, 0}},
                                               {"m", {-3, 0}},
                                               {"k", {3, 0}},
                                               {"M", {6, 0}},
                                               {"G", {9, 0}},
                                               {"T", {12, 0}},
                                               {"P", {15, 0}},
                                               {"E", {18, 0}},
                                               {"Ki", {0, 10}},
                                               {"Mi", {0, 20}},
                                               {"Gi", {0, 30}},
                                               {"Ti", {0, 40}},
                                               {"Pi", {0, 50}},
                                               {"Ei", {0, 60}}}};

// Far outside what int64 can hold in either direction, and safe to add lengths of texts to.
constexpr std::int64_t kHugeExponent = std::int64_t{1} << 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, is_digit);
  const std::string_view digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

// "e3", "E-3", "e+03"; exponents beyond any use are cut to kHugeExponent.
std::optional<Scale> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = std::min(value * 10 + (c - '0'), kHugeExponent);
  }
  return Scale{negative ? -value : value, 0};
}

std::optional<Scale> scale_of(std::string_view suffix) {
  for (const Suffix& known : kSuffixes) {
    if (known.text == suffix) return known.scale;
  }
  return exponent_of(suffix);
}

// ceil(0.digits × 2^binary), where digits[0] is worth a tenth.
Wide scaled_fraction(std::string digits, int binary) {
  Wide carry = 0;
  bool exact = true;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const Wide scaled = (static_cast<Wide>(*digit - '0') << binary) + carry;
    exact = exact && scaled % 10 == 0;
    carry = scaled / 10;
  }
  return exact ? carry : carry + 1;
}

// ceil(digits × 10^decimal × 2^binary), or nullopt if that has more than `most_digits` digits
// before it is scaled by the power of two. `digits` has no leading zero and is not empty.
std::optional<Wide> magnitude(std::string_view digits, Scale scale, std::int64_t most_digits) {
  const auto length = static_cast<std::int64_t>(digits.size());
  const std::int64_t integer_digits = length + scale.decimal;
  if (integer_digits > most_digits) return std::nullopt;
  // A fraction that starts behind 40 zeros is less than 2^-60: it rounds to one unit.
  if (integer_digits < -40) return Wide{1};

  Wide whole = 0;
  for (std::int64_t i = 0; i < integer_digits; ++i) {
    const char digit = i < length ? digits[static_cast<std::size_t>(i)] : '0';
    whole = whole * 10 + static_cast<Wide>(digit - '0');
  }
  std::string fraction;
  if (integer_digits < length) {
    const auto leading_zeros = static_cast<std::size_t>(std::max<std::int64_t>(0, -integer_digits));
    const auto start = static_cast<std::size_t>(std::max<std::int64_t>(0, integer_digits));
    fraction = std::string(leading_zeros, '0') + std::string(digits.substr(start));
  }
  return (whole << scale.binary) + scaled_fraction(std::move(fraction), scale.binary);
}

bool in_millis(std::string_view resource) { return resource == "cpu"; }

bool in_binary(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

std::string number_text(std::uint64_t value) { return std::to_string(value); }

std::string binary_text(std::uint64_t value) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  while (value % 1024 == 0 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return number_text(value) + std::string(kUnits[unit]);
}

// `milli`: value counts thousandths.
std::string decimal_text(std::uint64_t value, bool milli) {
  constexpr std::array<std::string_view, 8> kUnits = {"m", "", "k", "M", "G", "T", "P", "E"};
  std::size_t unit = milli ? 0 : 1;
  while (value % 1000 == 0 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return number_text(value) + std::string(kUnits[unit]);
}

}  // namespace

namespace {

// A quantity's text taken apart; no digits mean zero.
struct Parts {
  bool negative = false;
  std::string digits;  // without leading zeros
  Scale scale;
};

Outcome<Parts> parts_of(std::string_view text) {
  const auto malformed = [&](std::string_view why) {
    return error(Errc::Invalid, "quantity \"" + std::string(text) + "\": " + std::string(why));
  };
  if (text.empty()) return malformed("is empty");

  Parts parts;
  std::string_view rest = text;
  parts.negative = rest[0] == '-';
  if (parts.negative || rest[0] == '+') rest.remove_prefix(1);
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  if (whole.empty() && fraction.empty()) return malformed("has no digits");
  const std::optional<Scale> scale = scale_of(rest);
  if (!scale) return malformed("has an unknown suffix");

  parts.digits = std::string(whole) + std::string(fraction);
  parts.digits.erase(0, parts.digits.find_first_not_of('0'));
  parts.scale = *scale;
  parts.scale.decimal -= static_cast<std::int64_t>(fraction.size());
  return parts;
}

}  // namespace

Outcome<Quantity> parse_quantity(std::string_view resource, std::string_view text) {
  const Outcome<Parts> parts = parts_of(text);
  if (!parts) return tl::make_unexpected(parts.error());
  if (parts->digits.empty()) return Quantity{};
  Scale scale = parts->scale;
  if (in_millis(resource)) scale.decimal += 3;

  // 10^20 is beyond int64; below, at most 10^20 × 2^60 < 2^127.
  const std::optional<Wide> units = magnitude(parts->digits, scale, 20);
  constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();
  if (!units || *units > kMax) return parts->negative ? Quantity::min() : Quantity::max();
  const auto amount = static_cast<std::int64_t>(*units);
  return Quantity{parts->negative ? -amount : amount};
}

std::string format_quantity(std::string_view resource, Quantity amount) {
  const std::int64_t units = amount.base_units();
  if (units == 0) return "0";
  // Negation in unsigned arithmetic, where the smallest int64 has a counterpart.
  const std::uint64_t size = units < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(units)
                                       : static_cast<std::uint64_t>(units);
  // An amount that is no multiple of 1Ki gets a decimal suffix, as Kueue writes it: a text without
  // any suffix would be read back as a decimal one anyway.
  const std::string text = in_binary(resource) && size % 1024 == 0
                               ? binary_text(size)
                               : decimal_text(size, in_millis(resource));
  return units < 0 ? "-" + text : text;
}

ExactQuantity ExactQuantity::of(std::string_view resource, Quantity amount) {
  return ExactQuantity{Int128{amount.base_units()} *
                       (in_millis(resource) ? 1'000'000 : 1'000'000'000)};
}

Outcome<ExactQuantity> parse_exact_quantity(std::string_view text) {
  const Outcome<Parts> parts = parts_of(text);
  if (!parts) return tl::make_unexpected(parts.error());
  if (parts->digits.empty()) return ExactQuantity{};
  Scale scale = parts->scale;
  scale.decimal += 9;
  Int128 most = 1;
  for (int i = 0; i < 36; ++i) most *= 10;
  // 10^20 × 2^60 < 2^127 and 10^37 < 2^127.
  const std::optional<Wide> units = magnitude(parts->digits, scale, scale.binary > 0 ? 20 : 37);
  const Int128 amount = !units || *units > static_cast<Wide>(most) ? most : Int128(*units);
  return ExactQuantity{parts->negative ? -amount : amount};
}

std::string format_exact_quantity(std::string_view resource, ExactQuantity amount) {
  constexpr Int128 kOne = 1'000'000'000;
  const Int128 whole = amount.billionths() / kOne;
  const bool is_whole = whole * kOne == amount.billionths();
  if (is_whole && in_binary(resource) && whole <= std::numeric_limits<std::int64_t>::max() &&
      whole >= std::numeric_limits<std::int64_t>::min()) {
    return format_quantity(resource, Quantity{static_cast<std::int64_t>(whole)});
  }
  Wide size = amount.billionths() < 0 ? Wide{0} - static_cast<Wide>(amount.billionths())
                                      : static_cast<Wide>(amount.billionths());
  if (size == 0) return "0";
  constexpr std::array<std::string_view, 10> kUnits = {"n", "u", "m", "",  "k",
                                                       "M", "G", "T", "P", "E"};
  std::size_t unit = 0;
  while (size % 1000 == 0 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  std::string digits;
  for (; size > 0; size /= 10) digits += static_cast<char>('0' + static_cast<int>(size % 10));
  if (amount.billionths() < 0) digits += '-';
  std::ranges::reverse(digits);
  return digits + std::string(kUnits[unit]);
}

}  // namespace quorate
