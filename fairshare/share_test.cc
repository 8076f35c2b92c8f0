#include "fairshare/share.h"

#include <gtest/gtest.h>

#include <limits>

#include "fairshare/wide256.h"

namespace quorate::fairshare {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(ShareTest, ComparesExactly) {
  EXPECT_EQ(Share(1, 9, kWeightOne), Share(2, 9, 2 * kWeightOne));
  EXPECT_LT(Share(1, 9, kWeightOne), Share(2, 9, kWeightOne));
  EXPECT_EQ(Share(1, 3, kWeightOne), Share(kMost / 3, kMost / 3 * 3, kWeightOne));
  EXPECT_LT(Share(kMost - 1, kMost, kWeightOne),
            Share(kMost, kMost, kWeightOne));  // doubles see no difference
  EXPECT_LT(Share(0, 5, kWeightOne), Share(1, kMost, kWeightOne));
  EXPECT_EQ(Share(0, 5, 0), Share(0, 7, kWeightOne));  // nothing borrowed: weight does not matter
}

TEST(ShareTest, ZeroWeightIsInfiniteAndComparesUnweighted) {
  EXPECT_GT(Share(1, 100, 0), Share(99, 100, 1));
  EXPECT_LT(Share(1, 100, 0), Share(2, 100, 0));
  EXPECT_EQ(Share(1, 100, 0).weighted(), kMost);
}

TEST(ShareTest, StatusRoundsUp) {
  EXPECT_EQ(Share(1, 9, kWeightOne).weighted(), 112);  // 111.1
  EXPECT_EQ(Share(1, 4, kWeightOne).weighted(), 250);
  EXPECT_EQ(Share(kMost, 1, 1).weighted(), kMost);
}

TEST(ShareTest, WeightsAreExactToABillionth) {
  EXPECT_EQ(Share(1, 3, kWeightOne / 4).weighted(), 1334);        // 1333.3
  EXPECT_GT(Share(1, 3, 333'333'333), Share(1, 3, 333'333'334));  // a billionth apart
  EXPECT_EQ(Share(1, 3, 333'333'333), Share(2, 6, 333'333'333));
  // Products of three 63-bit numbers: 189 bits.
  EXPECT_GT(Share(kMost, kMost - 1, kMost - 1), Share(kMost, kMost - 1, kMost));
  EXPECT_EQ(Share(kMost, kMost - 1, kMost), Share(kMost - 1, kMost - 1, kMost - 1));
}

TEST(Wide256Test, MultipliesAddsAndDivides) {
  const Wide256 big = Wide256(quota::Wide{kMost} * kMost) * static_cast<std::uint64_t>(kMost);
  EXPECT_EQ(big / static_cast<std::uint64_t>(kMost), Wide256(quota::Wide{kMost} * kMost));
  EXPECT_LT(big, big + Wide256(1));
  EXPECT_EQ(big * ~std::uint64_t{0} * 16, Wide256::most());  // 253 bits, then over the top
  EXPECT_EQ((big * ~std::uint64_t{0}) / ~std::uint64_t{0}, big);
  EXPECT_EQ(Wide256(7).narrow(), 7);
  EXPECT_GT(big.narrow(), quota::Wide{kMost} * kMost);
  EXPECT_EQ(Wide256(-5), Wide256());
}

}  // namespace
}  // namespace quorate::fairshare
