#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/exact_quantity.h"
#include "src/base/outcome.h"
#include "src/cel/value.h"

// Timestamps and durations of the language: nanoseconds exact, years 1 to 9999.
namespace quorate::cel {

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
inline constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

// The parts of a moment as a calendar shows them.
struct CivilTime {
  std::int64_t year = 1970;
  int month = 1, day = 1;  // from 1
  int hour = 0, minute = 0, second = 0;
  int weekday = 4;      // 0: Sunday
  int day_of_year = 0;  // from 0
};
CivilTime civil_time(std::int64_t seconds);
std::int64_t seconds_of(std::int64_t year, int month, int day, int hour, int minute, int second);

// RFC 3339 with any fraction. Errors: Invalid - not such a text, or outside the years 1..9999.
Outcome<Value> parse_timestamp(std::string_view text);
std::string format_timestamp(const Value& timestamp);  // "2023-01-02T03:04:05.678Z"

// Go's duration text. Errors: Invalid - not such a text, or beyond int64 nanoseconds.
Outcome<std::int64_t> parse_go_duration(std::string_view text);
std::string format_duration(std::int64_t nanos);  // in seconds: "5400s", "1.5s"

// The offset of a fixed time zone, in seconds: "UTC", "", "+02:30", "-08:00".
// Errors: Invalid - anything else. Names of places are not known: what they mean depends on a
// database that may differ between machines.
Outcome<std::int64_t> zone_offset(std::string_view zone);

}  // namespace quorate::cel
