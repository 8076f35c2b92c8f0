#include "src/cel/value.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/cel/domain.h"
#include "src/cel/numbers.h"
#include "src/cel/times.h"
#include "src/cel/types.h"
#include "src/cel/utf8.h"

namespace quorate::cel {
namespace {

template <class T>
Ordering order_of(const T& a, const T& b) {
  if (a < b) return Ordering::Less;
  if (b < a) return Ordering::Greater;
  return Ordering::Equal;
}

Ordering compare_doubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Ordering::Unordered;
  return order_of(a, b);
}

double as_number(const Value& v) {
  switch (v.kind()) {
    case Kind::Int:
      return static_cast<double>(v.as_int());
    case Kind::Uint:
      return static_cast<double>(v.as_uint());
    default:
      return v.as_double();
  }
}

bool equal_lists(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(a.at(i), b.at(i))) return false;
  }
  return true;
}

bool equal_maps(const Map& a, const Map& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [key, value] = a.entry(i);
    const Value* other = b.find(key);
    if (other == nullptr || !equal(value, *other)) return false;
  }
  return true;
}

bool equal_optionals(const Value* a, const Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return equal(*a, *b);
}

}  // namespace

// An int and a double compare as doubles, as cel-go has it; int and uint compare exactly.
Ordering compare_numbers(const Value& a, const Value& b) {
  if (a.kind() == b.kind()) {
    if (a.is(Kind::Int)) return order_of(a.as_int(), b.as_int());
    if (a.is(Kind::Uint)) return order_of(a.as_uint(), b.as_uint());
  } else if (a.is(Kind::Int) && b.is(Kind::Uint)) {
    if (a.as_int() < 0) return Ordering::Less;
    return order_of(static_cast<std::uint64_t>(a.as_int()), b.as_uint());
  } else if (a.is(Kind::Uint) && b.is(Kind::Int)) {
    if (b.as_int() < 0) return Ordering::Greater;
    return order_of(a.as_uint(), static_cast<std::uint64_t>(b.as_int()));
  }
  return compare_doubles(as_number(a), as_number(b));
}

Comparison compare(const Value& a, const Value& b) {
  if (is_number(a.kind()) && is_number(b.kind())) return {true, compare_numbers(a, b)};
  if (a.kind() != b.kind()) return {};
  switch (a.kind()) {
    case Kind::Bool:
      return {true, order_of(a.as_bool(), b.as_bool())};
    case Kind::String:
    case Kind::Bytes:
      return {true, order_of(a.text(), b.text())};
    case Kind::Duration:
      return {true, order_of(a.nanos(), b.nanos())};
    case Kind::Timestamp:
      return {true, order_of(std::pair(a.seconds(), a.subsecond_nanos()),
                             std::pair(b.seconds(), b.subsecond_nanos()))};
    default:
      return {};
  }
}

bool equal(const Value& a, const Value& b) {
  if (is_number(a.kind()) && is_number(b.kind())) return compare_numbers(a, b) == Ordering::Equal;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return a.as_bool() == b.as_bool();
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
      return false;  // compared above
    case Kind::String:
    case Kind::Bytes:
      return a.text() == b.text();
    case Kind::Duration:
      return a.nanos() == b.nanos();
    case Kind::Timestamp:
      return a.seconds() == b.seconds() && a.subsecond_nanos() == b.subsecond_nanos();
    case Kind::List:
      return equal_lists(a.as_list(), b.as_list());
    case Kind::Map:
      return equal_maps(a.as_map(), b.as_map());
    case Kind::Type:
      return runtime_name(*a.as_type()) == runtime_name(*b.as_type());
    case Kind::Optional:
      return equal_optionals(a.as_optional(), b.as_optional());
    case Kind::Quantity:
      return a.as_quantity().amount == b.as_quantity().amount;
    case Kind::Semver:
      return compare_semver(a.as_semver(), b.as_semver()) == 0;
    case Kind::Ip:
      return a.as_ip() == b.as_ip();
    case Kind::Cidr:
      return a.as_cidr() == b.as_cidr();
    case Kind::Url:
      return a.as_url().text == b.as_url().text;
    case Kind::Format:
      return a.as_format().name == b.as_format().name;
    case Kind::Error:
      return false;
  }
  return false;
}

namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix(h);
}

}  // namespace

std::uint64_t hash(const Value& value) {
  if (is_number(value.kind())) {
    const double number = as_number(value);
    return mix(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));  // -0 is 0
  }
  const auto salt = static_cast<std::uint64_t>(value.kind());
  switch (value.kind()) {
    case Kind::Bool:
      return mix(salt * 2 + (value.as_bool() ? 1 : 0));
    case Kind::String:
    case Kind::Bytes:
      return hash_text(value.text()) ^ salt;
    case Kind::Duration:
      return mix(static_cast<std::uint64_t>(value.nanos()) ^ (salt << 56));
    case Kind::Timestamp:
      return mix(static_cast<std::uint64_t>(value.seconds()) ^ (salt << 56));
    case Kind::List:
      return mix(salt + (value.as_list().size() << 8));
    case Kind::Map:
      return mix(salt + (value.as_map().size() << 8));
    default:
      return mix(salt);
  }
}

namespace {

const Type& runtime_type(const Value& value) {
  switch (value.kind()) {
    case Kind::Null:
      return types::kNull;
    case Kind::Bool:
      return types::kBool;
    case Kind::Int:
      return types::kInt;
    case Kind::Uint:
      return types::kUint;
    case Kind::Double:
      return types::kDouble;
    case Kind::String:
      return types::kString;
    case Kind::Bytes:
      return types::kBytes;
    case Kind::Duration:
      return types::kDuration;
    case Kind::Timestamp:
      return types::kTimestamp;
    case Kind::List:
      return types::kListOfDyn;
    case Kind::Map:
      return types::kMapOfDyn;
    case Kind::Type:
      return types::kType;
    case Kind::Optional:
      return types::kOptionalOfDyn;
    case Kind::Quantity:
      return types::kQuantity;
    case Kind::Semver:
      return types::kSemver;
    case Kind::Ip:
      return types::kIp;
    case Kind::Cidr:
      return types::kCidr;
    case Kind::Url:
      return types::kUrl;
    case Kind::Format:
      return types::kFormat;
    case Kind::Error:
      return types::kError;
  }
  return types::kError;
}

}  // namespace

const Type* type_of(const Value& value) { return &runtime_type(value); }

std::string_view type_name(const Value& value) { return runtime_name(runtime_type(value)); }

std::size_t count_characters(std::string_view utf8) {
  // Valid UTF-8, which is nearly all, has one character for each byte that continues none.
  const bool ascii = std::ranges::all_of(utf8, [](char c) { return (c & 0x80) == 0; });
  if (ascii) return utf8.size();
  std::size_t count = 0;
  for (; !utf8.empty(); ++count) (void)utf8::take(utf8);
  return count;
}

std::uint64_t size_of(const Value& value) {
  switch (value.kind()) {
    case Kind::String:
      return count_characters(value.text());
    case Kind::Bytes:
      return value.text().size();
    case Kind::List:
      return value.as_list().size();
    case Kind::Map:
      return value.as_map().size();
    case Kind::Optional:
      return value.as_optional() == nullptr ? 1 : size_of(*value.as_optional());
    case Kind::Ip:
      return value.as_ip().v6 ? 16 : 4;
    case Kind::Cidr:
      return static_cast<std::uint64_t>(value.as_cidr().bits + 7) / 8;
    default:
      return 1;
  }
}

namespace {

// Quoted so that every text is told from every other; `ascii` escapes all else.
std::string quoted(std::string_view text, bool ascii = false) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte >= 0x20 && byte != 0x7F && !(ascii && byte >= 0x80)) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out + '"';
}

// The exact amount in decimal: "0.5".
std::string amount_text(ExactQuantity amount) {
  Int128 rest = amount.billionths();
  const bool negative = rest < 0;
  if (negative) rest = -rest;
  std::string digits;
  for (; rest > 0 || digits.size() < 10; rest /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  digits.insert(digits.size() - 9, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return (negative ? "-" : "") + digits;
}

std::string list_text(const List& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += (i == 0 ? "" : ", ") + to_string(list.at(i));
  }
  return text + ']';
}

std::string map_text(const Map& map) {
  std::vector<std::string> entries;  // by their text: maps have no order
  for (std::size_t i = 0; i < map.size(); ++i) {
    const auto [key, value] = map.entry(i);
    entries.push_back(to_string(key) + ": " + to_string(value));
  }
  std::ranges::sort(entries);
  std::string text = "{";
  for (const std::string& entry : entries) text += (text.size() == 1 ? "" : ", ") + entry;
  return text + '}';
}

}  // namespace

std::string to_string(const Value& value) {
  switch (value.kind()) {
    case Kind::Null:
      return "null";
    case Kind::Bool:
      return value.as_bool() ? "true" : "false";
    case Kind::Int:
      return std::to_string(value.as_int());
    case Kind::Uint:
      return std::to_string(value.as_uint()) + "u";
    case Kind::Double:
      return "double(" + format_double(value.as_double()) + ')';
    case Kind::String:
      return quoted(value.text());
    case Kind::Bytes:
      return "b" + quoted(value.text(), true);
    case Kind::Duration:
      return "duration(" + quoted(format_duration(value.nanos())) + ')';
    case Kind::Timestamp:
      return "timestamp(" + quoted(format_timestamp(value)) + ')';
    case Kind::List:
      return list_text(value.as_list());
    case Kind::Map:
      return map_text(value.as_map());
    case Kind::Type:
      return "type(" + std::string(runtime_name(*value.as_type())) + ')';
    case Kind::Optional:
      return value.as_optional() == nullptr
                 ? "optional.none()"
                 : "optional.of(" + to_string(*value.as_optional()) + ')';
    case Kind::Quantity:
      return "quantity(" + quoted(amount_text(value.as_quantity().amount)) + ')';
    case Kind::Semver:
      return "semver(" + quoted(format_semver(value.as_semver())) + ')';
    case Kind::Ip:
      return "ip(" + quoted(format_ip(value.as_ip())) + ')';
    case Kind::Cidr:
      return "cidr(" + quoted(format_cidr(value.as_cidr())) + ')';
    case Kind::Url:
      return "url(" + quoted(value.as_url().text) + ')';
    case Kind::Format:
      return "format(" + std::string(value.as_format().name) + ')';
    case Kind::Error:
      return "error: " + std::string(value.text());
  }
  return {};
}

}  // namespace quorate::cel
