#include "src/cel/string_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/cel/collections.h"
#include "src/cel/libraries.h"
#include "src/cel/numbers.h"
#include "src/cel/times.h"
#include "src/cel/utf8.h"

// string.format(list): cel-go's ext.Strings (version 2), whose fixed locale is en_US.
namespace quorate::cel {
namespace {

constexpr int kUsualPrecision = 6;
constexpr int kMostPrecision = 1000;  // keeps what one clause makes small

struct Clause {
  char verb = 's';
  int precision = kUsualPrecision;
};

struct Piece {
  std::string_view literal;  // what stands before the clause
  std::optional<Clause> clause;
};

// Splits a format at its clauses; "%%" is a literal "%".
struct Parsed {
  std::vector<Piece> pieces;
  std::string fault;
};

constexpr std::string_view kParsing = "could not parse formatting clause: ";

std::string take_clause(std::string_view& rest, Clause& clause) {
  if (rest.empty()) return "unexpected end of string";
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::size_t end = rest.find_first_not_of("0123456789");
    if (end == std::string_view::npos) {
      return "error while parsing precision: could not find end of precision specifier";
    }
    const auto read = std::from_chars(rest.data(), rest.data() + end, clause.precision);
    if (end == 0 || read.ec != std::errc()) {
      return "error while parsing precision: error while converting precision to integer";
    }
    if (clause.precision > kMostPrecision) {
      return "error while parsing precision: precision exceeds maximum allowed precision " +
             std::to_string(kMostPrecision);
    }
    rest.remove_prefix(end);
  }
  const std::size_t before = rest.size();
  std::string_view verb = rest;
  (void)utf8::take(rest);
  verb = verb.substr(0, before - rest.size());
  constexpr std::string_view kVerbs = "sdfebxXo";
  if (verb.size() != 1 || kVerbs.find(verb[0]) == std::string_view::npos) {
    return "unrecognized formatting clause \"" + std::string(verb) + "\"";
  }
  clause.verb = verb[0];
  return {};
}

Parsed parse(std::string_view format) {
  Parsed parsed;
  while (!format.empty()) {
    const std::size_t percent = format.find('%');
    Piece piece{format.substr(0, percent), std::nullopt};
    if (percent == std::string_view::npos) {
      parsed.pieces.push_back(piece);
      return parsed;
    }
    format.remove_prefix(percent + 1);
    if (format.starts_with('%')) {
      piece.literal = std::string_view(piece.literal.data(), piece.literal.size() + 1);
      format.remove_prefix(1);
    } else {
      Clause clause;
      parsed.fault = take_clause(format, clause);
      if (!parsed.fault.empty()) {
        if (parsed.fault[0] == 'u' && parsed.fault.starts_with("unrec")) {
          parsed.fault.insert(0, kParsing);
        }
        parsed.pieces.push_back(piece);
        return parsed;
      }
      piece.clause = clause;
    }
    parsed.pieces.push_back(piece);
  }
  return parsed;
}

std::string_view clause_name(char verb) {
  switch (verb) {
    case 'd':
      return "decimal clause can only be used on integers";
    case 'f':
      return "fixed-point clause can only be used on doubles";
    case 'e':
      return "scientific clause can only be used on doubles";
    case 'b':
      return "only integers and bools can be formatted as binary";
    case 'x':
    case 'X':
      return "only integers, byte buffers, and strings can be formatted as hex";
    case 'o':
      return "octal clause can only be used on integers";
    default:
      return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
             "lists, types, durations, and timestamps";
  }
}
std::string mismatch(char verb, std::string_view type) {
  return "error during formatting: " + std::string(clause_name(verb)) + ", was given " +
         std::string(type);
}

// Formats one value; false: the clause is not for such values, whose type is left in `out`.
class Formatter {
 public:
  bool format(const Clause& clause, const Value& value, std::string& out) {
    switch (clause.verb) {
      case 'd':
        return decimal(value, out);
      case 'f':
        return number(value, clause.precision, std::chars_format::fixed, out);
      case 'e':
        return number(value, clause.precision, std::chars_format::scientific, out);
      case 'b':
        return in_base(value, 2, out);
      case 'o':
        return in_base(value, 8, out);
      case 'x':
        return hex(value, false, out);
      case 'X':
        return hex(value, true, out);
      default:
        return text(value, out);
    }
  }

 private:
  static bool decimal(const Value& value, std::string& out) {
    if (value.is(Kind::Int)) return out += std::to_string(value.as_int()), true;
    if (value.is(Kind::Uint)) return out += std::to_string(value.as_uint()), true;
    return false;
  }

  static bool number(const Value& value, int precision, std::chars_format style, std::string& out) {
    double number = 0;
    if (value.is(Kind::Double)) {
      number = value.as_double();
    } else if (value.is(Kind::String)) {
      if (value.text() == "NaN") {
        number = std::nan("");
      } else if (value.text() == "Infinity" || value.text() == "-Infinity") {
        number = value.text()[0] == '-' ? -HUGE_VAL : HUGE_VAL;
      } else {
        return false;
      }
    } else {
      return false;
    }
    // The precision of %e is taken for a width, as cel-go does it.
    const bool scientific = style == std::chars_format::scientific;
    const auto width = static_cast<std::size_t>(scientific ? precision : 0);
    std::string text = std::isnan(number) ? "NaN" : number < 0 ? "-\u221E" : "\u221E";
    if (std::isfinite(number)) {
      if (scientific) precision = kUsualPrecision;
      std::string digits(static_cast<std::size_t>(precision) + 400, '\0');
      const auto end =
          std::to_chars(digits.data(), digits.data() + digits.size(), number, style, precision);
      digits.resize(static_cast<std::size_t>(end.ptr - digits.data()));
      text = scientific ? superscripted(digits) : grouped(digits);
    }
    const std::size_t length = count_characters(text);
    if (length < width) out.append(width - length, ' ');
    out += text;
    return true;
  }

  // "1234567.8" to "1,234,567.8".
  static std::string grouped(std::string digits) {
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    std::size_t at = std::min(digits.find('.'), digits.size());
    while (at > first + 3) {
      at -= 3;
      digits.insert(at, 1, ',');
    }
    return digits;
  }

  // "1.5e+03" to "1.5 × 10⁰³".
  static std::string superscripted(std::string_view digits) {
    constexpr std::array<std::string_view, 10> kDigits = {"\u2070", "\u00B9", "\u00B2", "\u00B3",
                                                          "\u2074", "\u2075", "\u2076", "\u2077",
                                                          "\u2078", "\u2079"};
    const std::size_t e = digits.find('e');
    std::string out(digits.substr(0, e));
    out +=
        "\u00D7"
        "10";
    if (digits[e + 1] == '-') out += "\u207B";
    for (const char c : digits.substr(e + 2)) out += kDigits[static_cast<std::size_t>(c - '0')];
    return out;
  }

  static void append_base(std::string& out, std::uint64_t size, bool negative, int base) {
    std::array<char, 65> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, base);
    if (negative) out += '-';
    out.append(digits.data(), end.ptr);
  }
  static bool in_base(const Value& value, int base, std::string& out) {
    if (value.is(Kind::Bool) && base == 2) return out += value.as_bool() ? '1' : '0', true;
    if (value.is(Kind::Uint)) return append_base(out, value.as_uint(), false, base), true;
    if (!value.is(Kind::Int)) return false;
    const auto bits = static_cast<std::uint64_t>(value.as_int());
    const bool negative = value.as_int() < 0;
    append_base(out, negative ? std::uint64_t{0} - bits : bits, negative, base);
    return true;
  }

  static bool hex(const Value& value, bool upper, std::string& out) {
    std::string digits;
    if (value.is(Kind::String) || value.is(Kind::Bytes)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      for (const char c : value.text()) {
        digits += kHex[static_cast<unsigned char>(c) >> 4];
        digits += kHex[c & 15];
      }
    } else if (!in_base(value, 16, digits) || value.is(Kind::Bool)) {
      return false;
    }
    if (upper) {
      for (char& c : digits) {
        if (c >= 'a') c = static_cast<char>(c - 32);
      }
    }
    out += digits;
    return true;
  }

  bool text(const Value& value, std::string& out) {
    switch (value.kind()) {
      case Kind::Null:
        return out += "null", true;
      case Kind::Bool:
        return out += value.as_bool() ? "true" : "false", true;
      case Kind::Int:
      case Kind::Uint:
        return decimal(value, out);
      case Kind::Double:
        return out += format_double(value.as_double()), true;
      case Kind::String:
      case Kind::Bytes:
        return out += value.text(), true;
      case Kind::Duration:
        return out += format_duration(value.nanos()), true;
      case Kind::Timestamp:
        return out += format_timestamp(value), true;
      case Kind::Type:
        return out += runtime_name(*value.as_type()), true;
      case Kind::List:
        return list(value.as_list(), out);
      case Kind::Map:
        return map(value.as_map(), out);
      default:
        return false;
    }
  }

  // Within lists and maps values stand as literals of the language.
  bool nested(const Value& value, std::string& out) {
    std::string inner;
    switch (value.kind()) {
      case Kind::String:
        return out += quote(value.text()), true;
      case Kind::Bytes:
        return out += "b" + quote(value.text()), true;
      case Kind::Duration:
        return out += "duration(" + quote(format_duration(value.nanos())) + ')', true;
      case Kind::Timestamp:
        return out += "timestamp(" + quote(format_timestamp(value)) + ')', true;
      case Kind::Double: {
        const double d = value.as_double();
        if (!std::isfinite(d)) return out += quote(format_double(d)), true;
        std::array<char, 400> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), d,
                                       std::chars_format::fixed, kUsualPrecision);
        return out.append(digits.data(), end.ptr), true;
      }
      default:
        return text(value, out);
    }
  }

  bool list(const List& list, std::string& out) {
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ", ";
      if (!nested(list.at(i), out)) return false;
    }
    out += ']';
    return true;
  }

  bool map(const Map& map, std::string& out) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (std::size_t i = 0; i < map.size(); ++i) {
      const auto [key, value] = map.entry(i);
      auto& [key_text, value_text] = entries.emplace_back();
      if (key.is(Kind::Double) || !nested(key, key_text) || !nested(value, value_text)) {
        return false;
      }
    }
    std::ranges::sort(entries, {}, &std::pair<std::string, std::string>::first);
    out += '{';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      out += (i > 0 ? ", " : "") + entries[i].first + ':' + entries[i].second;
    }
    out += '}';
    return true;
  }
};

constexpr std::size_t kLongest = std::size_t{1} << 24;

Value format(const Call& call) {
  const Parsed parsed = parse(call[0].text());
  const List& values = call[1].as_list();
  std::string out;
  std::size_t used = 0;
  for (const Piece& piece : parsed.pieces) {
    out += piece.literal;
    if (!piece.clause) continue;
    if (used >= values.size()) {
      return call.fail("index " + std::to_string(used) + " out of range");
    }
    const Value value = values.at(used++);
    if (!Formatter().format(*piece.clause, value, out)) {
      return call.fail(mismatch(piece.clause->verb, type_name(value)));
    }
    if (out.size() > kLongest) return Value::error("string too long");
  }
  if (!parsed.fault.empty()) return call.fail(parsed.fault);
  return make_string(call.arena, out);
}

bool formattable(const Type& type) {
  switch (type.kind) {
    case TypeKind::Opaque:
    case TypeKind::Object:
      return false;
    default:
      return std::ranges::all_of(type.parameters, [](const Type* p) { return formattable(*p); });
  }
}

bool accepts(char verb, const Type& type) {
  if (is_dyn(type) || is_error(type) || type.kind == TypeKind::Parameter) return true;
  const TypeKind kind = type.kind;
  const bool integer = kind == TypeKind::Int || kind == TypeKind::Uint;
  switch (verb) {
    case 'd':
    case 'o':
      return integer;
    case 'b':
      return integer || kind == TypeKind::Bool;
    case 'x':
    case 'X':
      return integer || kind == TypeKind::String || kind == TypeKind::Bytes;
    case 'f':
    case 'e':
      return kind == TypeKind::Double || kind == TypeKind::String;
    default:
      return formattable(type);
  }
}

}  // namespace

std::optional<FormatFault> check_format(std::string_view format,
                                        std::span<const Type* const> arguments) {
  const Parsed parsed = parse(format);
  std::size_t used = 0;
  for (const Piece& piece : parsed.pieces) {
    if (!piece.clause) continue;
    if (used >= arguments.size()) {
      return FormatFault{-1, "index " + std::to_string(used) + " out of range"};
    }
    const Type& type = *arguments[used];
    if (!accepts(piece.clause->verb, type)) {
      return FormatFault{static_cast<int>(used), mismatch(piece.clause->verb, runtime_name(type))};
    }
    ++used;
  }
  if (!parsed.fault.empty()) return FormatFault{-1, parsed.fault};
  if (arguments.size() > used) {
    return FormatFault{-1, "too many arguments supplied to string.format (expected " +
                               std::to_string(used) + ", got " + std::to_string(arguments.size()) +
                               ")"};
  }
  return std::nullopt;
}

std::span<const Declaration> string_format_library() {
  static constexpr Declaration kLibrary[] = {
      {"format", "string_format", "string.(list(dyn)) string", format, CostRule::FormatText},
  };
  return kLibrary;
}

}  // namespace quorate::cel
