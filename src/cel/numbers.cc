#include "src/cel/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

#include "src/cel/utf8.h"

namespace quorate::cel {

std::string format_double_fixed(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), end.ptr};
}

std::string format_double(double value, int exponent_from) {
  if (!std::isfinite(value)) return format_double_fixed(value);
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  std::string text(buffer.data(), end.ptr);
  const std::size_t e = text.find('e');
  int exponent = 0;
  const std::size_t digits = text[e + 1] == '+' ? e + 2 : e + 1;
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= exponent_from) return text;
  return format_double_fixed(value);
}

std::string quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t before = text.size();
    const std::uint32_t code = utf8::take(text);
    switch (code) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\a':
        out += "\\a";
        continue;
      case '\b':
        out += "\\b";
        continue;
      case '\f':
        out += "\\f";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      case '\v':
        out += "\\v";
        continue;
      default:
        break;
    }
    if (code < 0x20 || code == 0x7F || (code == utf8::kReplacement && before - text.size() == 1)) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      utf8::append(out, code);
    }
  }
  return out + '"';
}

}  // namespace quorate::cel
