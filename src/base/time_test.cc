#include "src/base/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace quorate {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct TimeCase {
  std::string text;
  std::int64_t nanos;
};

class ParseTimeTest : public testing::TestWithParam<TimeCase> {};

TEST_P(ParseTimeTest, Gives) {
  const Outcome<Time> got = parse_time(GetParam().text);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->nanos, GetParam().nanos) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(Rfc3339, ParseTimeTest,
                         testing::ValuesIn(std::vector<TimeCase>{
                             {"1970-01-01T00:00:00Z", 0},
                             {"2001-09-09T01:46:40Z", 1'000'000'000'000'000'000},
                             {"2000-02-29T00:00:00Z", 951'782'400'000'000'000},
                             {"1969-12-31T23:59:59Z", -1'000'000'000},
                             {"1970-01-01T00:00:00.5Z", 500'000'000},
                             {"1970-01-01T00:00:00.123456Z", 123'456'000},
                             {"1970-01-01T00:00:00.1234567899Z", 123'456'789},
                             {"1970-01-01T02:00:00+02:00", 0},
                             {"1969-12-31T20:30:00-03:30", 0},
                             {"2262-04-11T23:47:16.854775807Z", kMax}}),
                         [](const auto& test) { return std::to_string(test.index); });

TEST(ParseTime, RefusesOtherTexts) {
  for (const std::string text : {"",
                                 "now",
                                 "1970-01-01",
                                 "1970-01-01T00:00:00",
                                 "1970-01-01 00:00:00Z",
                                 "1970-13-01T00:00:00Z",
                                 "1970-00-01T00:00:00Z",
                                 "1970-02-29T00:00:00Z",
                                 "1900-02-29T00:00:00Z",
                                 "1970-01-32T00:00:00Z",
                                 "1970-01-01T24:00:00Z",
                                 "1970-01-01T00:60:00Z",
                                 "1970-01-01T00:00:60Z",
                                 "1970-01-01T00:00:00.Z",
                                 "1970-01-01T00:00:00z",
                                 "1970-01-01T00:00:00Zx",
                                 "1970-01-01T00:00:00+1:00",
                                 "70-01-01T00:00:00Z",
                                 "2262-04-11T23:47:16.854775808Z",
                                 "0001-01-01T00:00:00Z",
                                 "9999-12-31T23:59:59Z"}) {
    const Outcome<Time> got = parse_time(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, Errc::Invalid);
  }
}

TEST(FormatTime, RoundsDown) {
  EXPECT_EQ(format_time(Time{1'999'999'999}), "1970-01-01T00:00:01Z");
  EXPECT_EQ(format_time(Time{-1}), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_micro_time(Time{1'999'999'999}), "1970-01-01T00:00:01.999999Z");
  EXPECT_EQ(format_micro_time(Time{-1}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_time(Time{std::numeric_limits<std::int64_t>::min()}), "1677-09-21T00:12:43Z");
}

TEST(FormatTime, ReadsBackAsItWas) {
  const std::uint64_t seed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t micros = static_cast<std::int64_t>(random()) / 1000;
    const Time time{micros * 1000};
    const Outcome<Time> back = parse_time(format_micro_time(time));
    ASSERT_TRUE(back) << format_micro_time(time);
    ASSERT_EQ(*back, time) << format_micro_time(time);
  }
}

TEST(ParseDuration, ReadsGoDurations) {
  for (const auto& [text, nanos] : std::vector<TimeCase>{
           {"0", 0},
           {"0s", 0},
           {"5s", 5'000'000'000},
           {"1h30m", 5'400'000'000'000},
           {"500ms", 500'000'000},
           {"1.5h", 5'400'000'000'000},
           {"-2m", -120'000'000'000},
           {"+1s", 1'000'000'000},
           {".5s", 500'000'000},
           {"1.s", 1'000'000'000},
           {"3us", 3'000},
           {"3\xc2\xb5s", 3'000},
           {"3\xce\xbcs", 3'000},
           {"7ns", 7},
           {"1.9ns", 1},
           {"0.3333333333333333333h", 1'200'000'000'000 - 1},
           {"9223372036854775807ns", kMax},
           {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min()}}) {
    const Outcome<Duration> got = parse_duration(text);
    ASSERT_TRUE(got) << text << ": " << got.error().message;
    EXPECT_EQ(got->nanos, nanos) << text;
  }
}

TEST(ParseDuration, RefusesOtherTexts) {
  for (const std::string text :
       {"", "-", "5", "s", ".s", "1x", "1h30", "1 h", "1h ", "--1s", "9223372036854775808ns",
        "99999999999999999999999999h", "1.2.3s"}) {
    const Outcome<Duration> got = parse_duration(text);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, Errc::Invalid);
  }
}

}  // namespace
}  // namespace quorate
