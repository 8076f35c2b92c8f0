#include "quota/amount.h"

#include <gtest/gtest.h>

#include <vector>

namespace quorate::quota {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr Amount kUnlimited = Amount::unlimited();

TEST(AmountTest, FiniteSumsSaturate) {
  EXPECT_EQ(Amount{3} + Amount{4}, Amount{7});
  EXPECT_EQ(Amount{kMax - 1} + Amount{5}, kUnlimited);  // running over the top is no limit
  EXPECT_EQ(Amount{kMin} + Amount{-1}, Amount{kMin});
  EXPECT_EQ(Amount{kMin} - Amount{1}, Amount{kMin});
}

TEST(AmountTest, UnlimitedAbsorbs) {
  EXPECT_EQ(kUnlimited + Amount{-5}, kUnlimited);
  EXPECT_EQ(Amount{-5} + kUnlimited, kUnlimited);
  EXPECT_EQ(kUnlimited + kUnlimited, kUnlimited);
  EXPECT_EQ(kUnlimited - Amount{5}, kUnlimited);
  EXPECT_EQ(Amount{5} - kUnlimited, Amount{kMin});
  EXPECT_EQ(kUnlimited - kUnlimited, Amount{0});
  EXPECT_GT(kUnlimited, Amount{kMax - 1});
}

TEST(AmountTest, QuotaAtTheEndOfTheRangeIsUnlimited) {
  EXPECT_EQ(quota_amount(true, Quantity{9223372036854774 * 1000}), Amount{9223372036854774 * 1000});
  EXPECT_EQ(quota_amount(true, Quantity{9223372036854775 * 1000}), kUnlimited);  // floor(max/1000)
  EXPECT_EQ(quota_amount(true, Quantity::max()), kUnlimited);
  EXPECT_EQ(quota_amount(false, Quantity{kMax - 1}), Amount{kMax - 1});
  EXPECT_EQ(quota_amount(false, Quantity::max()), kUnlimited);
}

}  // namespace
}  // namespace quorate::quota
