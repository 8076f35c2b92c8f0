#include "fairshare/usage_ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace quorate::fairshare {
namespace {

constexpr Duration kHalfLife = Duration::seconds(600);
constexpr Duration kSampling = Duration::seconds(300);
constexpr Time kStart = Time::from_seconds(1000);

ExactQuantity exact(const std::string& text) { return *parse_exact_quantity(text); }

std::string text(const ExactAmounts& amounts) {
  std::string all;
  for (const auto& [resource, amount] : amounts) {
    all += (all.empty() ? "" : ", ") + resource + " " + format_exact_quantity(resource, amount);
  }
  return all;
}

UsageLedger opened(const ExactAmounts& consumed) {
  UsageLedger ledger;
  ledger.open(consumed, kStart);
  return ledger;
}

// --- decay ---

TEST(DecayTest, AF01) {
  const Decay half = decay(kSampling, kHalfLife);
  EXPECT_EQ(half.fresh, (DecimalFraction{2928932188134524, 16}));
  EXPECT_EQ(half.kept, (DecimalFraction{7071067811865476, 16}));
  EXPECT_EQ(decay(kHalfLife, kHalfLife), (Decay{{5, 1}, {5, 1}}));
  EXPECT_EQ(decay(Duration{}, kHalfLife), (Decay{{0, 0}, {1, 0}}));
  EXPECT_EQ(decay(Duration::seconds(-5), kHalfLife), (Decay{{0, 0}, {1, 0}}));
  EXPECT_EQ(decay(kSampling, Duration{}), (Decay{{0, 0}, {1, 0}}));
  EXPECT_EQ(decay(kHalfLife * 60, kHalfLife), (Decay{{1, 0}, {0, 0}}));
}

// The decimals read back as floating-point numbers: 1 - x and x of a power that is right to the
// last or last but one bit, written as short as a C library can write it.
TEST(DecayTest, EqualsFloatingPointToTheLastDigits) {
  std::mt19937_64 dice(7);
  int equal = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t half_life = 1 + static_cast<std::int64_t>(dice() % 1'000'000);
    const std::int64_t elapsed = 1 + static_cast<std::int64_t>(dice() % (half_life * 6));
    const double fresh =
        1 - std::pow(0.5, static_cast<double>(elapsed) / static_cast<double>(half_life));
    const double kept = 1 - fresh;
    const Decay got = decay(Duration::seconds(elapsed), Duration::seconds(half_life));
    const auto value = [](DecimalFraction of) {
      return std::strtod((std::to_string(of.digits) + "e-" + std::to_string(of.places)).c_str(),
                         nullptr);
    };
    // The library's power may be off by its last bit.
    EXPECT_NEAR(value(got.fresh), fresh, 3e-16) << elapsed << "/" << half_life;
    EXPECT_NEAR(value(got.kept), kept, 3e-16) << elapsed << "/" << half_life;
    if (value(got.fresh) != fresh || value(got.kept) != kept) continue;
    ++equal;
    // No shorter text reads back as the same number.
    for (const auto& [fraction, number] :
         {std::pair(got.fresh, fresh), std::pair(got.kept, kept)}) {
      const auto digits = static_cast<int>(std::to_string(fraction.digits).size());
      char shorter[64];
      std::snprintf(shorter, sizeof shorter, "%.*e", std::max(digits - 2, 0), number);
      if (fraction.digits % 10 == 0 || digits == 1) continue;
      EXPECT_NE(std::strtod(shorter, nullptr), number);
    }
  }
  EXPECT_GT(equal, kRounds * 9 / 10);
}

// --- penalties ---

TEST(PenaltyTest, AF02AndAF03) {
  EXPECT_EQ(text(penalty_of({{"cpu", exact("4")}}, kSampling, kHalfLife)), "cpu 1171572875n");
  EXPECT_EQ(text(penalty_of({{"memory", exact("1Gi")}}, kSampling, kHalfLife)),
            "memory 314491699005987495n");
}

TEST(PenaltyTest, AF07WithoutHalfLifeThereIsNone) {
  EXPECT_TRUE(penalty_of({{"cpu", exact("4")}}, kSampling, Duration{}).empty());
}

// --- the account ---

TEST(LedgerTest, AF04) {
  UsageLedger ledger = opened({{"cpu", exact("8")}});
  EXPECT_TRUE(ledger.refresh({{"cpu", exact("2")}}, kHalfLife, kStart + Duration::seconds(300)));
  EXPECT_EQ(text(ledger.consumed()), "cpu 6242640686n");  // 5.656854249 + 0.585786437
}

TEST(LedgerTest, AF05) {
  UsageLedger ledger = opened({{"cpu", exact("8")}});
  ledger.refresh({{"cpu", exact("2")}}, kHalfLife, kStart + Duration::seconds(600));
  EXPECT_EQ(text(ledger.consumed()), "cpu 5");
}

TEST(LedgerTest, AF06NoTimeOrLessChangesNothing) {
  UsageLedger ledger = opened({{"cpu", exact("8")}});
  EXPECT_FALSE(ledger.refresh({{"cpu", exact("2")}}, kHalfLife, kStart));
  EXPECT_FALSE(ledger.refresh({{"cpu", exact("2")}}, kHalfLife, kStart - Duration::seconds(9)));
  EXPECT_EQ(text(ledger.consumed()), "cpu 8");
  EXPECT_EQ(ledger.updated(), kStart);  // and does not move back
}

TEST(LedgerTest, AF07HalfLifeZeroForgets) {
  UsageLedger ledger = opened({{"cpu", exact("8")}});
  EXPECT_TRUE(ledger.refresh({{"cpu", exact("2")}}, Duration{}, kStart + Duration::seconds(1)));
  EXPECT_TRUE(ledger.consumed().empty());
}

TEST(LedgerTest, AF08) {
  UsageLedger ledger = opened({{"cpu", exact("3")}, {"gpu", exact("2")}});
  ledger.expect("w", {{"cpu", exact("1")}});
  const ResourceWeights weights{{"gpu", 10 * kWeightOne}};
  // (4*1 + 2*10) / 2
  EXPECT_EQ(ledger.usage(weights, 2 * kWeightOne).billionths(), Int128{12} * kWeightOne);
  EXPECT_FALSE(ledger.usage(weights, 2 * kWeightOne).is_infinite());
}

TEST(LedgerTest, AF09NoWeightGoesLast) {
  const UsageLedger ledger = opened({{"cpu", exact("3")}});
  EXPECT_TRUE(ledger.usage({}, 0).is_infinite());
  EXPECT_TRUE(ledger.usage({}, -1).is_infinite());
  EXPECT_GT(ledger.usage({}, 0), ledger.usage({}, 1));
  EXPECT_EQ(ledger.usage({}, 0), ledger.usage({}, -1));
}

TEST(LedgerTest, AF10AResourceWithoutWeightDoesNotCount) {
  const UsageLedger ledger = opened({{"cpu", exact("100")}});
  EXPECT_EQ(ledger.usage({{"cpu", 0}}, kWeightOne).billionths(), 0);
}

TEST(LedgerTest, AF11OnePenaltyPerWorkload) {
  UsageLedger ledger = opened({});
  ledger.expect("w", {{"cpu", exact("1")}});
  ledger.expect("w", {{"cpu", exact("1")}});
  EXPECT_EQ(ledger.usage({}, kWeightOne).billionths(), kWeightOne);
}

TEST(LedgerTest, AF12ADroppedPenaltyIsGone) {
  UsageLedger ledger = opened({});
  ledger.expect("w", {{"cpu", exact("1")}});
  EXPECT_TRUE(ledger.drop("w"));
  EXPECT_FALSE(ledger.drop("w"));
  EXPECT_EQ(ledger.usage({}, kWeightOne).billionths(), 0);
}

TEST(LedgerTest, AF14APenaltyIsSettledOnce) {
  UsageLedger ledger = opened({{"cpu", exact("8")}});
  ledger.expect("w", {{"cpu", exact("1171572875n")}});
  EXPECT_TRUE(ledger.settle("w", {{"cpu", exact("2")}}, kHalfLife, kStart + kHalfLife));
  EXPECT_EQ(text(ledger.consumed()), "cpu 6171572875n");  // 5 + 1.171572875
  EXPECT_FALSE(ledger.settle("w", {{"cpu", exact("2")}}, kHalfLife, kStart + kHalfLife));
  EXPECT_EQ(text(ledger.consumed()), "cpu 6171572875n");
  EXPECT_FALSE(ledger.has_penalties());
}

TEST(LedgerTest, TheStatusIsMergedOnceAlsoAfterASettlement) {
  UsageLedger ledger;
  ledger.expect("w", {{"cpu", exact("1")}});
  ledger.settle("w", {}, kHalfLife, kStart);
  ledger.open({{"cpu", exact("3")}}, kStart);
  ledger.open({{"cpu", exact("3")}}, kStart);
  EXPECT_EQ(text(ledger.consumed()), "cpu 4");
}

TEST(LedgerTest, AmountsOfAnySizeCompareExactly) {
  const UsageLedger a = opened({{"memory", exact("1Ei")}});
  const UsageLedger b = opened({{"memory", exact("1Ei")}, {"cpu", exact("1n")}});
  EXPECT_LT(a.usage({}, kWeightOne), b.usage({}, kWeightOne));
  EXPECT_GT(a.usage({}, kWeightOne - 1), b.usage({}, kWeightOne));
  EXPECT_EQ(a.usage({}, kWeightOne), opened({{"memory", exact("2Ei")}}).usage({}, 2 * kWeightOne));
}

}  // namespace
}  // namespace quorate::fairshare
