#include "src/base/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "src/base/exact_quantity.h"

namespace quorate {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct ParseCase {
  std::string resource, text;
  std::int64_t want;
};

class ParseQuantityTest : public testing::TestWithParam<ParseCase> {};

TEST_P(ParseQuantityTest, Gives) {
  const auto [resource, text, want] = GetParam();
  const Outcome<Quantity> got = parse_quantity(resource, text);
  ASSERT_TRUE(got) << resource << " " << text << ": " << got.error().message;
  EXPECT_EQ(got->base_units(), want) << resource << " " << text;
}

INSTANTIATE_TEST_SUITE_P(Grammar, ParseQuantityTest,
                         testing::ValuesIn(std::vector<ParseCase>{
                             {"gpu", "8", 8},
                             {"gpu", "0", 0},
                             {"gpu", "000", 0},
                             {"gpu", "007", 7},
                             {"gpu", "+8", 8},
                             {"gpu", "-8", -8},
                             {"gpu", "-0", 0},
                             {"gpu", "1.", 1},
                             {"gpu", ".5", 1},
                             {"gpu", "+.5k", 500},
                             {"gpu", "-.5k", -500},
                             // Suffixes.
                             {"gpu", "1k", 1000},
                             {"gpu", "1M", 1000000},
                             {"gpu", "1G", 1000000000},
                             {"gpu", "1T", 1000000000000},
                             {"gpu", "1P", 1000000000000000},
                             {"gpu", "1E", 1000000000000000000},
                             {"memory", "1Ki", 1024},
                             {"memory", "1Mi", 1048576},
                             {"memory", "1Gi", 1073741824},
                             {"memory", "1Ti", 1099511627776},
                             {"memory", "1Pi", 1125899906842624},
                             {"memory", "1Ei", 1152921504606846976},
                             {"memory", "64Gi", 68719476736},
                             // Exponents; a lone E is the exa suffix.
                             {"gpu", "1e3", 1000},
                             {"gpu", "1E3", 1000},
                             {"gpu", "1e+03", 1000},
                             {"gpu", "2500e-2", 25},
                             {"gpu", "1.5e1", 15},
                             {"gpu", "0e99999999999999999999", 0},
                             {"gpu", "1e99999999999999999999", kMax},
                             {"gpu", "1e-99999999999999999999", 1},
                             // cpu counts millicores.
                             {"cpu", "1", 1000},
                             {"cpu", "1500m", 1500},
                             {"cpu", "0.1", 100}}),
                         [](const auto& test) { return std::to_string(test.index); });

INSTANTIATE_TEST_SUITE_P(RoundsAwayFromZero, ParseQuantityTest,
                         testing::ValuesIn(std::vector<ParseCase>{
                             {"cpu", "1500u", 2},
                             {"cpu", "100u", 1},
                             {"cpu", "1n", 1},
                             {"cpu", "-1500u", -2},
                             {"cpu", "1000u", 1},
                             {"cpu", "1.0001", 1001},
                             {"memory", "1500m", 2},
                             {"memory", "-1500m", -2},
                             {"memory", "1000m", 1},
                             {"gpu", "0.000000001", 1},
                             {"gpu", "2.0000", 2},
                             // 0.1 Ki = 102.4; 1.1 Gi = 1181116006.4; 0.3 Ei = 345876451382054092.8
                             {"memory", "0.1Ki", 103},
                             {"memory", "1.1Gi", 1181116007},
                             {"memory", "0.5Ki", 512},
                             {"memory", "0.3Ei", 345876451382054093},
                             // More digits than any machine integer: 1/1024 + a trifle of a Ki.
                             {"memory", "0.0009765625Ki", 1},
                             {"memory",
                              "0.00097656250000000000000000000000000000000000000000000001Ki", 2}}),
                         [](const auto& test) { return std::to_string(test.index); });

INSTANTIATE_TEST_SUITE_P(ClampsToInt64, ParseQuantityTest,
                         testing::ValuesIn(std::vector<ParseCase>{
                             {"gpu", "9223372036854775807", kMax},
                             {"gpu", "9223372036854775808", kMax},
                             {"gpu", "9223372036854775806", kMax - 1},
                             {"gpu", "-9223372036854775807", -kMax},
                             {"gpu", "-9223372036854775809", kMin},
                             {"gpu", "100E", kMax},
                             {"gpu", "-100E", kMin},
                             {"memory", "8Ei", kMax},
                             {"memory", "7Ei", 8070450532247928832},
                             {"memory", "9999999999999999999Ei", kMax},
                             {"memory", "99999999999999999999Ei", kMax},
                             // 2^63-1 millicores are 9223372036854775.807 cores.
                             {"cpu", "9223372036854775", 9223372036854775000},
                             {"cpu", "9223372036854776", kMax},
                             {"cpu", "9223372036854775.807", kMax},
                             {"cpu", "9223372036854775.806", kMax - 1},
                             {"gpu", "00000000000000000000000000000000000000000000000001", 1},
                             {"gpu", "100000000000000000000000000000000000000000e-41", 1}}),
                         [](const auto& test) { return std::to_string(test.index); });

class MalformedQuantityTest : public testing::TestWithParam<std::string> {};

TEST_P(MalformedQuantityTest, IsInvalid) {
  const Outcome<Quantity> got = parse_quantity("gpu", GetParam());
  ASSERT_FALSE(got) << got->base_units();
  EXPECT_EQ(got.error().code, Errc::Invalid);
  EXPECT_NE(got.error().message.find('"' + GetParam() + '"'), std::string::npos)
      << got.error().message;
}

INSTANTIATE_TEST_SUITE_P(Texts, MalformedQuantityTest,
                         testing::Values("", "-", "+", ".", "-.", "Ki", "e3", "1.1.M", "1+1.0M",
                                         "0.1mi", "0.1am", "aoeu", ".5i", "1i", "-3.01i", "-3.01e-",
                                         "1e", "1e+", "1ee3", "1e3k", "1K", "1ki", "1KI", "1kk",
                                         "1mm", " 1", "1 ", "1\n", "1 Gi", "--1", "+-1", "1e3.5",
                                         "0x10", "1_000", "NaN", "1e3m"),
                         [](const auto& test) { return std::to_string(test.index); });

TEST(FormatQuantity, IsKubernetesCanonicalForm) {
  struct Case {
    std::string_view resource;
    std::int64_t units;
    std::string_view want;
  };
  for (const auto& [resource, units, want] :
       std::vector<Case>{{"cpu", 0, "0"},
                         {"cpu", 500, "500m"},
                         {"cpu", 4000, "4"},
                         {"cpu", 1500, "1500m"},
                         {"cpu", -500, "-500m"},
                         {"cpu", 4000000, "4k"},
                         {"cpu", kMax, "9223372036854775807m"},
                         {"memory", 3221225472, "3Gi"},
                         {"memory", 1610612736, "1536Mi"},
                         {"memory", 1025, "1025"},
                         {"memory", 1000, "1k"},
                         {"memory", 1023, "1023"},
                         {"memory", 1024, "1Ki"},
                         {"memory", -2048, "-2Ki"},
                         {"memory", 1000000, "1M"},
                         {"memory", 128000, "125Ki"},
                         {"memory", 4572864000, "4572864k"},
                         {"memory", 1152921504606846976, "1Ei"},
                         {"memory", kMin, "-8Ei"},
                         {"ephemeral-storage", 1073741824, "1Gi"},
                         {"hugepages-2Mi", 4194304, "4Mi"},
                         {"nvidia.com/gpu", 4, "4"},
                         {"nvidia.com/gpu", 2000, "2k"},
                         {"pods", 1100, "1100"},
                         {"example.com/bytes", 2048, "2048"},
                         {"gpu", kMin, "-9223372036854775808"}}) {
    EXPECT_EQ(format_quantity(resource, Quantity{units}), want) << resource << " " << units;
  }
}

TEST(FormatQuantity, ReadsBackAsItWas) {
  const std::uint64_t seed = 20261130;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    // Shift so that all magnitudes and many trailing zero bits occur.
    std::int64_t units = static_cast<std::int64_t>(random()) >> (random() % 64);
    if (random() % 2 == 0) units = (Quantity{units} * 1024).base_units();
    for (const std::string_view resource : {"cpu", "memory", "gpu"}) {
      const std::string text = format_quantity(resource, Quantity{units});
      const Outcome<Quantity> back = parse_quantity(resource, text);
      ASSERT_TRUE(back) << text;
      ASSERT_EQ(back->base_units(), units) << resource << " " << text;
    }
  }
}

TEST(Quantity, Saturates) {
  EXPECT_EQ(Quantity::max() + Quantity{1}, Quantity::max());
  EXPECT_EQ(Quantity::min() + Quantity{-1}, Quantity::min());
  EXPECT_EQ(Quantity::min() - Quantity{1}, Quantity::min());
  EXPECT_EQ(Quantity{0} - Quantity::min(), Quantity::max());
  EXPECT_EQ(Quantity::max() * 2, Quantity::max());
  EXPECT_EQ(Quantity::max() * -2, Quantity::min());
  EXPECT_EQ(Quantity::min() / -1, Quantity::max());
  EXPECT_EQ(Quantity{-7} / 2, Quantity{-3});
  EXPECT_EQ(Quantity{-7}.or_zero(), Quantity{0});
}

TEST(Limit, AbsentAllowsEverything) {
  EXPECT_TRUE(Limit{}.allows(Quantity::max()));
  EXPECT_TRUE(Limit{Quantity{4}}.allows(Quantity{4}));
  EXPECT_FALSE(Limit{Quantity{4}}.allows(Quantity{5}));
}

TEST(ExactQuantityTest, ReadsAndWritesBillionths) {
  const auto again = [](std::string_view resource, std::string_view text) {
    const Outcome<ExactQuantity> read = parse_exact_quantity(text);
    return read ? format_exact_quantity(resource, *read) : read.error().message;
  };
  EXPECT_EQ(again("cpu", "1171572875n"), "1171572875n");
  EXPECT_EQ(again("cpu", "1.171572875"), "1171572875n");
  EXPECT_EQ(again("cpu", "-2.5"), "-2500m");
  EXPECT_EQ(again("cpu", "4000"), "4k");
  EXPECT_EQ(again("cpu", "0.0000000001"), "1n");  // finer digits round up
  EXPECT_EQ(again("memory", "1Gi"), "1Gi");
  EXPECT_EQ(again("memory", "314491699005987495n"), "314491699005987495n");
  EXPECT_EQ(again("memory", "16Ei"), "18446744073709551616");
  EXPECT_EQ(again("cpu", ""), "quantity \"\": is empty");
  EXPECT_EQ(again("cpu", "1x"), "quantity \"1x\": has an unknown suffix");
  EXPECT_EQ(again("cpu", "1e99"), "1000000000E");  // the most there is
}

TEST(ExactQuantityTest, CountsCpuInCores) {
  EXPECT_EQ(ExactQuantity::of("cpu", Quantity{1500}), *parse_exact_quantity("1.5"));
  EXPECT_EQ(ExactQuantity::of("memory", Quantity{1500}), *parse_exact_quantity("1500"));
}

}  // namespace
}  // namespace quorate
