#include "src/objects/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace quorate::objects {
namespace {

__extension__ using Wide = __int128;  // room for a sum or product before it is clamped
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Scale {
  int tens = 0;      // power of ten
  int binaries = 0;  // power of 1024
};

std::optional<Scale> scale_of(std::string_view suffix) {
  if (suffix.empty()) return Scale{};
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t power = std::string_view("KMGTPE").find(suffix[0]);
    if (power == std::string_view::npos) return std::nullopt;
    return Scale{0, static_cast<int>(power) + 1};
  }
  if (suffix.size() == 1 && suffix != "e") {
    switch (suffix[0]) {
      case 'n':
        return Scale{-9, 0};
      case 'u':
        return Scale{-6, 0};
      case 'm':
        return Scale{-3, 0};
      case 'k':
        return Scale{3, 0};
      case 'M':
        return Scale{6, 0};
      case 'G':
        return Scale{9, 0};
      case 'T':
        return Scale{12, 0};
      case 'P':
        return Scale{15, 0};
      case 'E':
        return Scale{18, 0};
      default:
        return std::nullopt;
    }
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.front() == '+') suffix.remove_prefix(1);
  if (suffix.empty()) return std::nullopt;
  int tens = 0;
  const char* end = suffix.data() + suffix.size();
  const auto [stop, fault] = std::from_chars(suffix.data(), end, tens);
  if (stop != end || fault == std::errc::invalid_argument) return std::nullopt;
  if (fault != std::errc{} || tens > 1000 || tens < -1000)
    tens = suffix.front() == '-' ? -1000 : 1000;
  return Scale{tens, 0};
}

}  // namespace

std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_billionths(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  // Digits into a number that saturates far above the result's range, counting those of the
  // fraction.
  Wide digits = 0;
  constexpr Wide kEnough = static_cast<Wide>(1) << 100;
  int exponent = 9;
  bool lost = false, any = false, fraction = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      any = true;
      if (digits < kEnough) {
        digits = digits * 10 + (c - '0');
        if (fraction) --exponent;
      } else {
        lost = lost || c != '0';
        if (!fraction) ++exponent;
      }
    } else {
      break;
    }
  }
  const std::optional<Scale> scale = scale_of(text.substr(i));
  if (!any || !scale) return std::nullopt;
  if (digits == 0) return 0;

  exponent += scale->tens;
  bool over = false;
  while (scale->binaries > 0 && exponent < 0 && digits > kMax) {  // make room for the factor
    lost = lost || digits % 10 != 0;
    digits /= 10;
    ++exponent;
  }
  for (int b = 0; b < scale->binaries && !over; ++b) {
    over = digits > (kEnough << 10);
    digits *= over ? 1 : 1024;
  }
  for (; exponent > 0 && !over; --exponent) {
    digits *= 10;
    over = digits > kEnough * 1024 && exponent > 1;
  }
  for (; exponent < 0 && digits != 0; ++exponent) {
    lost = lost || digits % 10 != 0;
    digits /= 10;
  }
  if (lost) ++digits;
  if (over || digits > kMax) return negative ? -kMax - 1 : kMax;
  return static_cast<std::int64_t>(negative ? -digits : digits);
}

std::string format_billionths(std::int64_t amount) {
  const std::uint64_t size =
      amount < 0 ? 0 - static_cast<std::uint64_t>(amount) : static_cast<std::uint64_t>(amount);
  std::string text = (amount < 0 ? "-" : "") + std::to_string(size / 1'000'000'000);
  if (const std::uint64_t rest = size % 1'000'000'000; rest != 0) {
    std::string fraction = std::to_string(1'000'000'000 + rest).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += '.' + fraction;
  }
  return text;
}

std::size_t utf8_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 && first <= 0xf4   ? 4
                           : first >= 0xe0 && first <= 0xef ? 3
                           : first >= 0xc2 && first <= 0xdf ? 2
                                                            : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
  if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogate
  if (first == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xf4 && byte(1) > 0x8f) return 0;  // beyond U+10FFFF
  return size;
}

}  // namespace quorate::objects
