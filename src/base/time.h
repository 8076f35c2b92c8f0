#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/outcome.h"

namespace quorate {

// A length of time in nanoseconds. Part of the state like any other value: the engine reads no
// clock.
struct Duration {
  std::int64_t nanos = 0;

  static constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration millis(std::int64_t n) { return {n * 1'000'000}; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {a.nanos + b.nanos}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {a.nanos * n}; }
};

// A moment, as nanoseconds since 1970-01-01T00:00:00Z.
struct Time {
  std::int64_t nanos = 0;

  static constexpr Time from_seconds(std::int64_t n) { return {n * 1'000'000'000}; }
  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d) { return {t.nanos + d.nanos}; }
  friend constexpr Time operator-(Time t, Duration d) { return {t.nanos - d.nanos}; }
  friend constexpr Duration operator-(Time a, Time b) { return {a.nanos - b.nanos}; }
};

// RFC 3339 as Kubernetes writes it: "2026-11-30T02:44:48Z" (Time), "…48.123456Z" (MicroTime).
// Errors: Invalid - not such a text, or outside the years 1678..2262.
Outcome<Time> parse_time(std::string_view text);
std::string format_time(Time time);        // whole seconds, rounded down
std::string format_micro_time(Time time);  // microseconds

// Go's duration text ("1h30m", "500ms"), as Kubernetes' metav1.Duration reads it.
// Errors: Invalid - not such a text, or beyond int64 nanoseconds.
Outcome<Duration> parse_duration(std::string_view text);

}  // namespace quorate
