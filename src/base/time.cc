#include "src/base/time.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>

namespace quorate {
namespace {

__extension__ typedef __int128 Wide;  // gcc and clang have it; ISO C++ has no name for it
constexpr std::int64_t kSecond = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A cursor over the text; every take_ function leaves it where it was if it fails.
struct Reader {
  std::string_view rest;

  bool take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }

  std::optional<int> take_number(std::size_t digits) {
    if (rest.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(rest[i])) return std::nullopt;
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(digits);
    return value;
  }
};

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar. Counts years from March, so
// that the leap day is the last of its year and month lengths follow (153m + 2) / 5.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct Civil {
  std::int64_t year;
  int month, day;
};

Civil civil_from_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::optional<std::int64_t> take_date(Reader& in) {
  const auto year = in.take_number(4);
  if (!year || !in.take('-')) return std::nullopt;
  const auto month = in.take_number(2);
  if (!month || *month < 1 || *month > 12 || !in.take('-')) return std::nullopt;
  const auto day = in.take_number(2);
  if (!day || *day < 1 || *day > days_in_month(*year, *month)) return std::nullopt;
  return days_from_civil(*year, *month, *day);
}

std::optional<std::int64_t> take_clock(Reader& in) {
  const auto hour = in.take_number(2);
  if (!hour || *hour > 23 || !in.take(':')) return std::nullopt;
  const auto minute = in.take_number(2);
  if (!minute || *minute > 59 || !in.take(':')) return std::nullopt;
  const auto second = in.take_number(2);
  if (!second || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

// Digits after the point; those beyond nanoseconds are dropped. 0 if there is no point.
std::optional<std::int64_t> take_fraction(Reader& in) {
  if (!in.take('.')) return 0;
  std::int64_t nanos = 0;
  std::int64_t unit = kSecond;
  bool any = false;
  while (!in.rest.empty() && is_digit(in.rest[0])) {
    unit /= 10;
    nanos += (in.rest[0] - '0') * unit;
    in.rest.remove_prefix(1);
    any = true;
  }
  if (!any) return std::nullopt;
  return nanos;
}

// Seconds east of UTC.
std::optional<std::int64_t> take_zone(Reader& in) {
  if (in.take('Z')) return 0;
  const bool west = in.rest.starts_with('-');
  if (!west && !in.rest.starts_with('+')) return std::nullopt;
  in.rest.remove_prefix(1);
  const auto hours = in.take_number(2);
  if (!hours || *hours > 23 || !in.take(':')) return std::nullopt;
  const auto minutes = in.take_number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::int64_t offset = *hours * 3600 + *minutes * 60;
  return west ? -offset : offset;
}

std::int64_t floor_seconds(Time time) {
  const std::int64_t seconds = time.nanos / kSecond;
  return time.nanos % kSecond < 0 ? seconds - 1 : seconds;
}

// "2026-11-30T02:44:48"
std::string date_and_clock(std::int64_t seconds) {
  std::int64_t days = seconds / 86400;
  if (seconds % 86400 < 0) --days;
  const auto of_day = static_cast<int>(seconds - days * 86400);
  const Civil date = civil_from_days(days);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04lld-%02d-%02dT%02d:%02d:%02d",
                static_cast<long long>(date.year), date.month, date.day, of_day / 3600,
                of_day / 60 % 60, of_day % 60);
  return text.data();
}

std::optional<std::int64_t> unit_nanos(std::string_view unit) {
  if (unit == "ns") return 1;
  // The micro sign and the Greek letter mu, in UTF-8.
  if (unit == "us" || unit == "\xc2\xb5s" || unit == "\xce\xbcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return kSecond;
  if (unit == "m") return 60 * kSecond;
  if (unit == "h") return 3600 * kSecond;
  return std::nullopt;
}

constexpr Wide kMaxNanos = std::numeric_limits<std::int64_t>::max();

// One "1.5h" of a duration, in nanoseconds rounded down. Amounts past the range of a duration are
// all kMaxNanos + 2, which no sign brings back into it.
std::optional<Wide> take_term(Reader& in) {
  constexpr Wide kTooMuch = kMaxNanos + 2;
  Wide whole = 0;
  bool any = false;
  for (; !in.rest.empty() && is_digit(in.rest[0]); in.rest.remove_prefix(1), any = true) {
    whole = std::min<Wide>(whole * 10 + (in.rest[0] - '0'), kTooMuch);
  }
  // 18 digits of a fraction of an hour are finer than a nanosecond can show.
  Wide fraction = 0, fraction_unit = 1;
  if (in.take('.')) {
    for (; !in.rest.empty() && is_digit(in.rest[0]); in.rest.remove_prefix(1), any = true) {
      if (fraction_unit >= 1'000'000'000'000'000'000) continue;
      fraction = fraction * 10 + (in.rest[0] - '0');
      fraction_unit *= 10;
    }
  }
  if (!any) return std::nullopt;
  std::size_t length = 0;
  while (length < in.rest.size() && in.rest[length] != '.' && !is_digit(in.rest[length])) ++length;
  const auto unit = unit_nanos(in.rest.substr(0, length));
  if (!unit) return std::nullopt;
  in.rest.remove_prefix(length);
  return std::min<Wide>(whole * *unit + fraction * *unit / fraction_unit, kTooMuch);
}

}  // namespace

Outcome<Time> parse_time(std::string_view text) {
  const auto malformed = [&] {
    return error(Errc::Invalid, "\"" + std::string(text) + "\" is not an RFC 3339 time");
  };
  Reader in{text};
  const auto days = take_date(in);
  if (!days || !in.take('T')) return malformed();
  const auto clock = take_clock(in);
  if (!clock) return malformed();
  const auto fraction = take_fraction(in);
  if (!fraction) return malformed();
  const auto zone = take_zone(in);
  if (!zone || !in.rest.empty()) return malformed();

  const Wide nanos = Wide{*days * 86400 + *clock - *zone} * kSecond + *fraction;
  if (nanos > kMaxNanos || nanos < -kMaxNanos) {
    return error(Errc::Invalid, "\"" + std::string(text) + "\" is outside the years 1678 to 2262");
  }
  return Time{static_cast<std::int64_t>(nanos)};
}

std::string format_time(Time time) { return date_and_clock(floor_seconds(time)) + "Z"; }

std::string format_micro_time(Time time) {
  const std::int64_t seconds = floor_seconds(time);
  // Subtract in two steps: seconds * kSecond of the smallest time would overflow.
  const std::int64_t remainder = time.nanos % kSecond;
  const std::int64_t nanos = remainder < 0 ? remainder + kSecond : remainder;
  std::array<char, 16> micros{};
  std::snprintf(micros.data(), micros.size(), ".%06d", static_cast<int>(nanos / 1000));
  return date_and_clock(seconds) + micros.data() + "Z";
}

Outcome<Duration> parse_duration(std::string_view text) {
  const auto malformed = [&] {
    return error(Errc::Invalid, "\"" + std::string(text) + "\" is not a duration");
  };
  Reader in{text};
  const bool negative = in.rest.starts_with('-');
  if (negative || in.rest.starts_with('+')) in.rest.remove_prefix(1);
  if (in.rest == "0") return Duration{0};
  if (in.rest.empty()) return malformed();

  Wide total = 0;
  while (!in.rest.empty()) {
    const auto term = take_term(in);
    if (!term) return malformed();
    total = std::min<Wide>(total + *term, kMaxNanos + 2);
  }
  if (negative) total = -total;
  if (total > kMaxNanos || total < -kMaxNanos - 1) {
    return error(Errc::Invalid, "\"" + std::string(text) + "\" is too long a duration");
  }
  return Duration{static_cast<std::int64_t>(total)};
}

}  // namespace quorate
