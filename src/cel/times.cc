#include "src/cel/times.h"

#include <array>
#include <cstdlib>
#include <limits>

#include "src/cel/numbers.h"

namespace quorate::cel {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, counted in eras of 400 years
// that begin in March.
std::int64_t days_of(std::int64_t year, int month, int day) {
  const std::int64_t y = month <= 2 ? year - 1 : year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t from_march = (month + 9) % 12;
  const std::int64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

bool leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// Reads texts of fixed form from the front.
struct Reader {
  std::string_view rest;
  bool good = true;

  int digits(std::size_t count) {
    int value = 0;
    if (rest.size() < count) good = false;
    for (std::size_t i = 0; good && i < count; ++i) {
      const char c = rest[i];
      good = c >= '0' && c <= '9';
      value = value * 10 + (c - '0');
    }
    if (good) rest.remove_prefix(count);
    return good ? value : 0;
  }
  void skip(char c) {
    good = good && rest.starts_with(c);
    if (good) rest.remove_prefix(1);
  }
};

Outcome<std::int64_t> take_offset(Reader& in) {
  if (in.rest.starts_with('Z')) {
    in.rest.remove_prefix(1);
    return 0;
  }
  const bool negative = in.rest.starts_with('-');
  if (!negative && !in.rest.starts_with('+')) return error(Errc::Invalid, "no zone");
  in.rest.remove_prefix(1);
  const int hours = in.digits(2);
  in.skip(':');
  const int minutes = in.digits(2);
  if (!in.good || hours > 23 || minutes > 59) return error(Errc::Invalid, "no zone");
  const std::int64_t offset = hours * 3600 + minutes * 60;
  return negative ? -offset : offset;
}

}  // namespace

std::int64_t seconds_of(std::int64_t year, int month, int day, int hour, int minute, int second) {
  return days_of(year, month, day) * kSecondsPerDay + hour * 3600 + minute * 60 + second;
}

CivilTime civil_time(std::int64_t seconds) {
  std::int64_t days = seconds / kSecondsPerDay;
  std::int64_t rest = seconds % kSecondsPerDay;
  if (rest < 0) {
    rest += kSecondsPerDay;
    --days;
  }
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t from_march =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_index = (5 * from_march + 2) / 153;

  CivilTime t;
  t.day = static_cast<int>(from_march - (153 * month_index + 2) / 5 + 1);
  t.month = static_cast<int>(month_index < 10 ? month_index + 3 : month_index - 9);
  t.year = year_of_era + era * 400 + (t.month <= 2 ? 1 : 0);
  t.hour = static_cast<int>(rest / 3600);
  t.minute = static_cast<int>(rest / 60 % 60);
  t.second = static_cast<int>(rest % 60);
  t.weekday = static_cast<int>(((days % 7) + 11) % 7);
  t.day_of_year = static_cast<int>(days - days_of(t.year, 1, 1));
  return t;
}

Outcome<Value> parse_timestamp(std::string_view text) {
  Reader in{text};
  const int year = in.digits(4);
  in.skip('-');
  const int month = in.digits(2);
  in.skip('-');
  const int day = in.digits(2);
  in.skip('T');
  const int hour = in.digits(2);
  in.skip(':');
  const int minute = in.digits(2);
  in.skip(':');
  const int second = in.digits(2);
  std::uint32_t nanos = 0;
  if (in.good && in.rest.size() > 1 && (in.rest[0] == '.' || in.rest[0] == ',')) {
    in.rest.remove_prefix(1);
    std::uint32_t unit = 100'000'000;
    bool any = false;
    for (; !in.rest.empty() && in.rest[0] >= '0' && in.rest[0] <= '9'; in.rest.remove_prefix(1)) {
      nanos += unit * static_cast<std::uint32_t>(in.rest[0] - '0');
      unit /= 10;
      any = true;
    }
    in.good = any;
  }
  const bool in_range = in.good && month >= 1 && month <= 12 && day >= 1 &&
                        day <= days_in(year, month) && hour <= 23 && minute <= 59 && second <= 59;
  const Outcome<std::int64_t> offset = take_offset(in);
  if (!in_range || !offset || !in.rest.empty()) {
    return error(Errc::Invalid,
                 "parsing time " + quote(text) + " as \"2006-01-02T15:04:05Z07:00\": cannot parse");
  }
  const std::int64_t seconds = seconds_of(year, month, day, hour, minute, second) - *offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) {
    return error(Errc::Invalid, "timestamp overflow");
  }
  return Value::timestamp(seconds, nanos);
}

namespace {

std::string padded(std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  return std::string(digits.size() < width ? width - digits.size() : 0, '0') + digits;
}

// ".678", without zeros at the end; empty for none.
std::string fraction(std::uint32_t nanos) {
  if (nanos == 0) return {};
  std::string digits = padded(nanos, 9);
  digits.erase(digits.find_last_not_of('0') + 1);
  return "." + digits;
}

}  // namespace

std::string format_timestamp(const Value& timestamp) {
  const CivilTime t = civil_time(timestamp.seconds());
  return padded(t.year, 4) + '-' + padded(t.month, 2) + '-' + padded(t.day, 2) + 'T' +
         padded(t.hour, 2) + ':' + padded(t.minute, 2) + ':' + padded(t.second, 2) +
         fraction(timestamp.subsecond_nanos()) + 'Z';
}

// As Go prints seconds that are a double: the shortest digits of it.
std::string format_duration(std::int64_t nanos) {
  const double seconds = static_cast<double>(nanos / kNanosPerSecond) +
                         static_cast<double>(nanos % kNanosPerSecond) / 1e9;
  return format_double_fixed(seconds) + "s";
}

namespace {

// The nanoseconds of a unit at the front of `text`, which is taken; 0: no unit.
std::uint64_t take_unit(std::string_view& text) {
  struct Unit {
    std::string_view name;
    std::uint64_t nanos;
  };
  constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                           {"us", 1'000},
                                           {"\u00B5s", 1'000},
                                           {"\u03BCs", 1'000},
                                           {"ms", 1'000'000},
                                           {"s", 1'000'000'000},
                                           {"m", 60'000'000'000},
                                           {"h", 3'600'000'000'000}}};
  const std::size_t end = std::min(text.find_first_of(".0123456789"), text.size());
  for (const Unit& unit : kUnits) {
    if (text.substr(0, end) == unit.name) {
      text.remove_prefix(end);
      return unit.nanos;
    }
  }
  return 0;
}

// Adds one number with its unit; false when it is none or does not fit.
bool add_term(std::string_view& text, std::uint64_t& total) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  std::uint64_t whole = 0;
  std::uint64_t part = 0;
  std::uint64_t part_scale = 1;
  bool any = false;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), any = true) {
    if (whole > (kMost - 9) / 10) return false;
    whole = whole * 10 + static_cast<std::uint64_t>(text[0] - '0');
  }
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), any = true) {
      if (part_scale >= 100'000'000'000'000'000ULL) continue;  // digits too fine to count
      part = part * 10 + static_cast<std::uint64_t>(text[0] - '0');
      part_scale *= 10;
    }
  }
  if (!any) return false;
  const std::uint64_t unit = take_unit(text);
  if (unit == 0 || whole > kMost / unit) return false;
  const auto fraction_nanos = static_cast<std::uint64_t>(
      static_cast<Int128>(part) * static_cast<Int128>(unit) / static_cast<Int128>(part_scale));
  const std::uint64_t value = whole * unit + fraction_nanos;
  if (value > kMost || total > kMost - value) return false;
  total += value;
  return true;
}

}  // namespace

Outcome<std::int64_t> parse_go_duration(std::string_view text) {
  const std::string fault = "time: invalid duration " + quote(text);
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return 0;
  if (rest.empty()) return error(Errc::Invalid, fault);
  std::uint64_t total = 0;
  while (!rest.empty()) {
    if (!add_term(rest, total)) return error(Errc::Invalid, fault);
  }
  if (negative) return static_cast<std::int64_t>(std::uint64_t{0} - total);
  if (total > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return error(Errc::Invalid, fault);
  }
  return static_cast<std::int64_t>(total);
}

Outcome<std::int64_t> zone_offset(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return 0;
  const bool negative = zone.starts_with('-');
  std::string_view rest = zone;
  if (negative || zone.starts_with('+')) rest.remove_prefix(1);
  const std::size_t colon = rest.find(':');
  const auto number = [](std::string_view digits) -> std::int64_t {
    if (digits.empty() || digits.size() > 2) return -1;
    std::int64_t value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  if (colon != std::string_view::npos) {
    const std::int64_t hours = number(rest.substr(0, colon));
    const std::int64_t minutes = number(rest.substr(colon + 1));
    if (hours >= 0 && minutes >= 0) {
      const std::int64_t offset = hours * 3600 + minutes * 60;
      return negative ? -offset : offset;
    }
  }
  return error(Errc::Invalid, "unknown time zone " + std::string(zone));
}

}  // namespace quorate::cel
