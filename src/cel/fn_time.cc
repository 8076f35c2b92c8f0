#include "src/cel/libraries.h"
#include "src/cel/times.h"

// The parts of timestamps, by UTC or a fixed offset, and of durations.
namespace quorate::cel {
namespace {

template <std::int64_t (*Part)(const CivilTime&)>
Value part(const Call& call) {
  std::int64_t offset = 0;
  if (call.args.size() > 1) {
    const Outcome<std::int64_t> zone = zone_offset(call[1].text());
    if (!zone) return call.fail(zone.error().message);
    offset = *zone;
  }
  return Value::integer(Part(civil_time(call[0].seconds() + offset)));
}
std::int64_t year(const CivilTime& t) { return t.year; }
std::int64_t month(const CivilTime& t) { return t.month - 1; }
std::int64_t day_of_year(const CivilTime& t) { return t.day_of_year; }
std::int64_t day_of_month(const CivilTime& t) { return t.day - 1; }
std::int64_t date(const CivilTime& t) { return t.day; }
std::int64_t day_of_week(const CivilTime& t) { return t.weekday; }
std::int64_t hour(const CivilTime& t) { return t.hour; }
std::int64_t minute(const CivilTime& t) { return t.minute; }
std::int64_t second(const CivilTime& t) { return t.second; }

Value millisecond(const Call& call) {
  return Value::integer(call[0].subsecond_nanos() / 1'000'000);
}
template <std::int64_t Nanos>
Value whole(const Call& call) {
  return Value::integer(call[0].nanos() / Nanos);
}

}  // namespace

#define QUORATE_CEL_PART(NAME, ID, FUNCTION)                \
  {NAME, ID, "timestamp.() int", FUNCTION}, {               \
    NAME, ID "_with_tz", "timestamp.(string) int", FUNCTION \
  }

std::span<const Declaration> time_library() {
  static constexpr Declaration kLibrary[] = {
      QUORATE_CEL_PART("getFullYear", "timestamp_to_year", part<year>),
      QUORATE_CEL_PART("getMonth", "timestamp_to_month", part<month>),
      QUORATE_CEL_PART("getDayOfYear", "timestamp_to_day_of_year", part<day_of_year>),
      QUORATE_CEL_PART("getDayOfMonth", "timestamp_to_day_of_month", part<day_of_month>),
      QUORATE_CEL_PART("getDate", "timestamp_to_day_of_month_1_based", part<date>),
      QUORATE_CEL_PART("getDayOfWeek", "timestamp_to_day_of_week", part<day_of_week>),
      QUORATE_CEL_PART("getHours", "timestamp_to_hours", part<hour>),
      QUORATE_CEL_PART("getMinutes", "timestamp_to_minutes", part<minute>),
      QUORATE_CEL_PART("getSeconds", "timestamp_to_seconds", part<second>),
      QUORATE_CEL_PART("getMilliseconds", "timestamp_to_milliseconds", millisecond),
      {"getHours", "duration_to_hours", "duration.() int", whole<3'600'000'000'000>},
      {"getMinutes", "duration_to_minutes", "duration.() int", whole<60'000'000'000>},
      {"getSeconds", "duration_to_seconds", "duration.() int", whole<1'000'000'000>},
      {"getMilliseconds", "duration_to_milliseconds", "duration.() int", whole<1'000'000>},
  };
  return kLibrary;
}

#undef QUORATE_CEL_PART

}  // namespace quorate::cel
