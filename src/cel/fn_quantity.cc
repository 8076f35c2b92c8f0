#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"

// kubernetes.Quantity (k8s.io/apiserver/pkg/cel/library/quantity.go).
namespace quorate::cel {
namespace {

constexpr Int128 kBillion = 1'000'000'000;
constexpr Int128 kMostInt64 = std::numeric_limits<std::int64_t>::max();

// 10^exponent for 0..36.
Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

struct Written {
  std::string_view whole;  // without leading zeros, or "0"
  std::string_view fraction;
  std::string_view suffix;
};

Written take_apart(std::string_view text) {
  const auto digits = [&text] {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end);
    return taken;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  Written written;
  written.whole = digits();
  written.whole.remove_prefix(std::min(written.whole.find_first_not_of('0'), written.whole.size()));
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    written.fraction = digits();
  }
  written.suffix = text;
  return written;
}

// The power of ten of a decimal suffix or exponent.
int decimal_exponent(std::string_view suffix) {
  struct Suffix {
    std::string_view text;
    int exponent;
  };
  constexpr std::array<Suffix, 9> kSuffixes = {{{"n", -9},
                                                {"u", -6},
                                                {"m", -3},
                                                {"k", 3},
                                                {"M", 6},
                                                {"G", 9},
                                                {"T", 12},
                                                {"P", 15},
                                                {"E", 18}}};
  for (const Suffix& known : kSuffixes) {
    if (known.text == suffix) return known.exponent;
  }
  if (suffix.size() < 2) return 0;
  suffix.remove_prefix(1);
  const bool negative = suffix.starts_with('-');
  if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
  int exponent = 0;
  for (const char c : suffix) exponent = std::min(exponent * 10 + (c - '0'), 1000);
  return negative ? -exponent : exponent;
}

int binary_exponent(std::string_view suffix) {
  constexpr std::string_view kUnits = "KMGTPE";
  return static_cast<int>(kUnits.find(suffix[0]) + 1) * 10;
}

// Which of its two faults Go finds in a text that is no quantity.
std::string_view fault_of(std::string_view text) {
  const Written written = take_apart(text);
  std::string_view rest = written.suffix;
  rest.remove_prefix(std::min(rest.find_first_not_of("eEinumkKMGTP"), rest.size()));
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  const bool well_formed =
      !text.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
  return well_formed ? "unable to parse quantity's suffix"
                     : "quantities must match the regular expression "
                       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

constexpr int kLongestDecimal = 18;  // digits that surely fit an int64

// Fills in how Go's ParseQuantity would hold the amount that `text` says.
void find_representation(std::string_view text, Quantity& quantity) {
  const Written written = take_apart(text);
  const int whole = std::max<int>(1, static_cast<int>(written.whole.size()));
  const int fraction = static_cast<int>(written.fraction.size());
  const bool zero =
      written.whole.empty() && written.fraction.find_first_not_of('0') == std::string_view::npos;
  if (written.suffix.ends_with('i')) {
    const int exponent = binary_exponent(written.suffix);
    const int precision = 15 - whole - static_cast<int>(static_cast<float>(exponent) * 3 / 10) - 1;
    const Int128 units = quantity.amount.billionths() / kBillion;
    quantity.decimal = fraction > 0 || precision < 0 || units > kMostInt64 || units < -kMostInt64;
    if (quantity.decimal) {
      const Int128 most = kMostInt64 * kBillion;
      quantity.amount = ExactQuantity(std::clamp(quantity.amount.billionths(), -most, most));
      quantity.scale = -std::min(fraction, 9);
    }
    return;
  }
  const int exponent = decimal_exponent(written.suffix);
  quantity.scale = exponent - fraction;
  quantity.decimal = whole + fraction > kLongestDecimal || quantity.scale < -9;
  if (zero && text.find_first_not_of("+-0") == std::string_view::npos) quantity.scale = 0;
  quantity.scale = std::max(quantity.scale, -9);
}

}  // namespace

Outcome<Quantity> parse_quantity(std::string_view text) {
  // Go reads a number without digits as 0.
  std::string mended(text);
  const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  if (!text.empty() && text.find_first_of("0123456789") == std::string_view::npos) {
    mended.insert(sign, 1, '0');
  }
  const Outcome<ExactQuantity> amount = parse_exact_quantity(mended);
  if (!amount) return error(Errc::Invalid, std::string(fault_of(text)));
  Quantity quantity{*amount, 0, false};
  find_representation(text, quantity);
  return quantity;
}

Quantity add(const Quantity& a, const Quantity& b) {
  Quantity sum{a.amount + b.amount, 0, false};
  if (b.amount.billionths() == 0 && !b.decimal) {
    sum.scale = a.scale;
    sum.decimal = a.decimal;
    return sum;
  }
  sum.scale = a.amount.billionths() == 0 && !a.decimal ? b.scale : std::min(a.scale, b.scale);
  const Int128 digits = sum.scale + 9 >= 0 && sum.scale <= 27
                            ? sum.amount.billionths() / power_of_ten(sum.scale + 9)
                            : 0;
  sum.decimal = a.decimal || b.decimal || digits > kMostInt64 || digits < -kMostInt64 - 1;
  return sum;
}

Quantity negate(const Quantity& a) {
  return {ExactQuantity(-a.amount.billionths()), a.scale, a.decimal};
}

std::optional<std::int64_t> whole_units(const Quantity& quantity) {
  if (quantity.decimal || quantity.scale < 0) return std::nullopt;
  const Int128 units = quantity.amount.billionths() / kBillion;
  if (quantity.amount.billionths() % kBillion != 0) return std::nullopt;
  if (units > kMostInt64 || units < -kMostInt64 - 1) return std::nullopt;
  return static_cast<std::int64_t>(units);
}

double approximate(const Quantity& quantity) {
  const int scale = quantity.scale > 27 ? 27 : quantity.scale;
  const auto base = static_cast<double>(quantity.amount.billionths() / power_of_ten(scale + 9));
  // Powers of ten up to 10^27 and their quotients, as Go's math.Pow10 has them.
  if (scale >= 0) return base * static_cast<double>(power_of_ten(scale));
  constexpr std::array<double, 10> kSmall = {1,    1e-1, 1e-2, 1e-3, 1e-4,
                                             1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  return base * kSmall[static_cast<std::size_t>(-scale)];
}

namespace {

Value make(const Call& call, const Quantity& quantity) {
  return Value::quantity(call.arena.make<Quantity>(quantity));
}
Value from_text(const Call& call) {
  const Outcome<Quantity> quantity = parse_quantity(call[0].text());
  return quantity ? make(call, *quantity) : call.fail(quantity.error().message);
}
Value is_quantity(const Call& call) {
  return Value::boolean(parse_quantity(call[0].text()).has_value());
}
const ExactQuantity& amount(const Value& value) { return value.as_quantity().amount; }
int sign_of(ExactQuantity q) { return q.billionths() > 0 ? 1 : q.billionths() < 0 ? -1 : 0; }

Value sign(const Call& call) { return Value::integer(sign_of(amount(call[0]))); }
Value is_greater(const Call& call) { return Value::boolean(amount(call[0]) > amount(call[1])); }
Value is_less(const Call& call) { return Value::boolean(amount(call[0]) < amount(call[1])); }
Value compare_to(const Call& call) {
  if (amount(call[0]) == amount(call[1])) return Value::integer(0);
  return Value::integer(amount(call[0]) < amount(call[1]) ? -1 : 1);
}
Value as_float(const Call& call) { return Value::number(approximate(call[0].as_quantity())); }
Value is_integer(const Call& call) {
  return Value::boolean(whole_units(call[0].as_quantity()).has_value());
}
Value as_integer(const Call& call) {
  const std::optional<std::int64_t> units = whole_units(call[0].as_quantity());
  return units ? Value::integer(*units) : Value::error("cannot convert value to integer");
}
Quantity operand(const Value& value) {
  if (value.is(Kind::Int)) return {ExactQuantity(Int128{value.as_int()} * kBillion), 0, false};
  return value.as_quantity();
}
Value plus(const Call& call) { return make(call, add(call[0].as_quantity(), operand(call[1]))); }
Value minus(const Call& call) {
  return make(call, add(call[0].as_quantity(), negate(operand(call[1]))));
}

}  // namespace

std::span<const Declaration> quantity_library() {
  static constexpr Declaration kLibrary[] = {
      {"quantity", "string_to_quantity", "(string) quantity", from_text, CostRule::Parse},
      {"isQuantity", "is_quantity_string", "(string) bool", is_quantity, CostRule::Parse},
      {"sign", "quantity_sign", "(quantity) int", sign, CostRule::Accessor},
      {"isGreaterThan", "quantity_is_greater_than", "quantity.(quantity) bool", is_greater,
       CostRule::Accessor},
      {"isLessThan", "quantity_is_less_than", "quantity.(quantity) bool", is_less,
       CostRule::Accessor},
      {"compareTo", "quantity_compare_to", "quantity.(quantity) int", compare_to,
       CostRule::Accessor},
      {"asApproximateFloat", "quantity_get_float", "quantity.() double", as_float,
       CostRule::Accessor},
      {"asInteger", "quantity_get_int", "quantity.() int", as_integer, CostRule::Accessor},
      {"isInteger", "quantity_is_integer", "quantity.() bool", is_integer, CostRule::Accessor},
      {"add", "quantity_add", "quantity.(quantity) quantity", plus, CostRule::Accessor},
      {"add", "quantity_add_int", "quantity.(int) quantity", plus, CostRule::Accessor},
      {"sub", "quantity_sub", "quantity.(quantity) quantity", minus, CostRule::Accessor},
      {"sub", "quantity_sub_int", "quantity.(int) quantity", minus, CostRule::Accessor},
  };
  return kLibrary;
}

}  // namespace quorate::cel
