#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "src/cel/collections.h"
#include "src/cel/domain.h"
#include "src/cel/libraries.h"
#include "src/cel/numbers.h"
#include "src/cel/times.h"
#include "src/cel/types.h"
#include "src/cel/utf8.h"

// int(x), string(x) and the like. What does not fit its new type is an error.
namespace quorate::cel {
namespace {

constexpr Value kIntOverflow = Value::error("integer overflow");
constexpr Value kUintOverflow = Value::error("unsigned integer overflow");

Value conversion_error(const Call& call, std::string_view to) {
  return call.fail("type conversion error from '" + std::string(type_name(call[0])) + "' to '" +
                   std::string(to) + "'");
}

template <class T>
Value parse_whole(const Call& call, std::string_view to) {
  std::string_view text = call[0].text();
  if (std::numeric_limits<T>::is_signed && text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  T value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return conversion_error(call, to);
  }
  if (problem != std::errc() || end != text.data() + text.size()) {
    return conversion_error(call, to);
  }
  if constexpr (std::numeric_limits<T>::is_signed) {
    return Value::integer(value);
  } else {
    return Value::unsigned_integer(value);
  }
}

Value to_int(const Call& call) {
  const Value& v = call[0];
  switch (v.kind()) {
    case Kind::Int:
      return v;
    case Kind::Uint:
      if (v.as_uint() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return kIntOverflow;
      }
      return Value::integer(static_cast<std::int64_t>(v.as_uint()));
    case Kind::Double: {
      // The ends themselves are refused, as a double cannot tell them from what is beyond.
      const double d = v.as_double();
      if (!(d > -9223372036854775808.0 && d < 9223372036854775808.0)) return kIntOverflow;
      return Value::integer(static_cast<std::int64_t>(d));
    }
    case Kind::Duration:
      return Value::integer(v.nanos());
    case Kind::Timestamp:
      return Value::integer(v.seconds());
    case Kind::String:
      return parse_whole<std::int64_t>(call, "int");
    default:
      return conversion_error(call, "int");
  }
}

Value to_uint(const Call& call) {
  const Value& v = call[0];
  switch (v.kind()) {
    case Kind::Uint:
      return v;
    case Kind::Int:
      if (v.as_int() < 0) return kUintOverflow;
      return Value::unsigned_integer(static_cast<std::uint64_t>(v.as_int()));
    case Kind::Double: {
      const double d = v.as_double();
      if (!(d >= 0 && d < 18446744073709551616.0)) return kUintOverflow;
      return Value::unsigned_integer(static_cast<std::uint64_t>(d));
    }
    case Kind::String:
      return parse_whole<std::uint64_t>(call, "uint");
    default:
      return conversion_error(call, "uint");
  }
}

// Go's ParseFloat: decimal or hexadecimal, "inf", "infinity" and "nan" in any case.
Value parse_double(const Call& call) {
  std::string text;
  for (const char c : call[0].text()) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  if (rest == "inf" || rest == "infinity") {
    return Value::number(sign * std::numeric_limits<double>::infinity());
  }
  if (rest == "nan") return Value::number(std::numeric_limits<double>::quiet_NaN());
  const bool hex = rest.starts_with("0x");
  if (hex) rest.remove_prefix(2);
  const bool begins = !rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9') ||
                                        (hex && rest[0] >= 'a' && rest[0] <= 'f'));
  if (!begins || (hex && rest.find('p') == std::string_view::npos)) {
    return conversion_error(call, "double");
  }
  double value = 0;
  const auto [end, problem] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  if (end != rest.data() + rest.size()) return conversion_error(call, "double");
  if (problem == std::errc::result_out_of_range) {
    const double approximate = std::strtod(std::string(call[0].text()).c_str(), nullptr);
    if (std::isinf(approximate)) return conversion_error(call, "double");
    return Value::number(approximate);
  }
  if (problem != std::errc()) return conversion_error(call, "double");
  return Value::number(sign * value);
}

Value to_double(const Call& call) {
  const Value& v = call[0];
  switch (v.kind()) {
    case Kind::Double:
      return v;
    case Kind::Int:
      return Value::number(static_cast<double>(v.as_int()));
    case Kind::Uint:
      return Value::number(static_cast<double>(v.as_uint()));
    case Kind::String:
      return parse_double(call);
    default:
      return conversion_error(call, "double");
  }
}

Value to_bool(const Call& call) {
  const Value& v = call[0];
  if (v.is(Kind::Bool)) return v;
  if (!v.is(Kind::String)) return conversion_error(call, "bool");
  const std::string_view text = v.text();
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return Value::boolean(true);
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return Value::boolean(false);
  }
  return conversion_error(call, "bool");
}

Value to_bytes(const Call& call) {
  if (call[0].is(Kind::Bytes)) return call[0];
  if (call[0].is(Kind::String)) return Value::bytes(call[0].text());
  return conversion_error(call, "bytes");
}

Value to_text(const Call& call) {
  const Value& v = call[0];
  switch (v.kind()) {
    case Kind::String:
      return v;
    case Kind::Bool:
      return Value::string(v.as_bool() ? "true" : "false");
    case Kind::Int:
      return make_string(call.arena, std::to_string(v.as_int()));
    case Kind::Uint:
      return make_string(call.arena, std::to_string(v.as_uint()));
    case Kind::Double:
      return make_string(call.arena, format_double(v.as_double()));
    case Kind::Bytes:
      if (!utf8::valid(v.text())) {
        return Value::error("invalid UTF-8 in bytes, cannot convert to string");
      }
      return Value::string(v.text());
    case Kind::Duration:
      return make_string(call.arena, format_duration(v.nanos()));
    case Kind::Timestamp:
      return make_string(call.arena, format_timestamp(v));
    case Kind::Ip:
      return make_string(call.arena, format_ip(v.as_ip()));
    case Kind::Cidr:
      return make_string(call.arena, format_cidr(v.as_cidr()));
    default:
      return conversion_error(call, "string");
  }
}

Value to_duration(const Call& call) {
  if (call[0].is(Kind::Duration)) return call[0];
  if (!call[0].is(Kind::String)) return conversion_error(call, "google.protobuf.Duration");
  const Outcome<std::int64_t> nanos = parse_go_duration(call[0].text());
  return nanos ? Value::duration(*nanos) : conversion_error(call, "google.protobuf.Duration");
}

Value to_timestamp(const Call& call) {
  const Value& v = call[0];
  if (v.is(Kind::Timestamp)) return v;
  if (v.is(Kind::Int)) {
    if (v.as_int() < kFirstSecond || v.as_int() > kLastSecond) {
      return Value::error("timestamp overflow");
    }
    return Value::timestamp(v.as_int(), 0);
  }
  if (!v.is(Kind::String)) return conversion_error(call, "google.protobuf.Timestamp");
  const Outcome<Value> moment = parse_timestamp(v.text());
  return moment ? *moment : conversion_error(call, "google.protobuf.Timestamp");
}

Value to_type(const Call& call) { return Value::type(type_of(call[0])); }
Value to_dyn(const Call& call) { return call[0]; }

}  // namespace

std::span<const Declaration> conversion_library() {
  static constexpr Declaration kLibrary[] = {
      {"type", "type", "(A) type(A)", to_type},
      {"bool", "bool_to_bool", "(bool) bool", to_bool},
      {"bool", "string_to_bool", "(string) bool", to_bool},
      {"bytes", "bytes_to_bytes", "(bytes) bytes", to_bytes},
      {"bytes", "string_to_bytes", "(string) bytes", to_bytes, CostRule::ToBytes},
      {"double", "double_to_double", "(double) double", to_double},
      {"double", "int64_to_double", "(int) double", to_double},
      {"double", "string_to_double", "(string) double", to_double},
      {"double", "uint64_to_double", "(uint) double", to_double},
      {"duration", "duration_to_duration", "(duration) duration", to_duration},
      {"duration", "string_to_duration", "(string) duration", to_duration},
      {"dyn", "to_dyn", "(A) dyn", to_dyn, CostRule::Dyn},
      {"int", "int64_to_int64", "(int) int", to_int},
      {"int", "double_to_int64", "(double) int", to_int},
      {"int", "duration_to_int64", "(duration) int", to_int},
      {"int", "string_to_int64", "(string) int", to_int},
      {"int", "timestamp_to_int64", "(timestamp) int", to_int},
      {"int", "uint64_to_int64", "(uint) int", to_int},
      {"string", "string_to_string", "(string) string", to_text},
      {"string", "bool_to_string", "(bool) string", to_text},
      {"string", "bytes_to_string", "(bytes) string", to_text, CostRule::ToText},
      {"string", "double_to_string", "(double) string", to_text},
      {"string", "duration_to_string", "(duration) string", to_text},
      {"string", "int64_to_string", "(int) string", to_text},
      {"string", "timestamp_to_string", "(timestamp) string", to_text},
      {"string", "uint64_to_string", "(uint) string", to_text},
      {"string", "ip_to_string", "(ip) string", to_text},
      {"string", "cidr_to_string", "(cidr) string", to_text},
      {"timestamp", "timestamp_to_timestamp", "(timestamp) timestamp", to_timestamp},
      {"timestamp", "int64_to_timestamp", "(int) timestamp", to_timestamp},
      {"timestamp", "string_to_timestamp", "(string) timestamp", to_timestamp},
      {"uint", "uint64_to_uint64", "(uint) uint", to_uint},
      {"uint", "double_to_uint64", "(double) uint", to_uint},
      {"uint", "int64_to_uint64", "(int) uint", to_uint},
      {"uint", "string_to_uint64", "(string) uint", to_uint},
  };
  return kLibrary;
}

}  // namespace quorate::cel
