#include "fairshare/share.h"

#include <gtest/gtest.h>

#include <limits>

#include "fairshare/order.h"
#include "quota/testing/notation.h"

namespace quorate::fairshare {
namespace {

using quota::testing::items;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(ShareTest, ComparesExactly) {
  EXPECT_EQ(Share(1, 9, 1000), Share(2, 9, 2000));
  EXPECT_LT(Share(1, 9, 1000), Share(2, 9, 1000));
  EXPECT_EQ(Share(1, 3, 1000), Share(kMost / 3, kMost / 3 * 3, 1000));
  EXPECT_LT(Share(kMost - 1, kMost, 1000), Share(kMost, kMost, 1000));  // doubles see no difference
  EXPECT_LT(Share(0, 5, 1000), Share(1, kMost, 1000));
  EXPECT_EQ(Share(0, 5, 0), Share(0, 7, 1000));  // nothing borrowed: weight does not matter
}

TEST(ShareTest, ZeroWeightIsInfiniteAndComparesUnweighted) {
  EXPECT_GT(Share(1, 100, 0), Share(99, 100, 1));
  EXPECT_LT(Share(1, 100, 0), Share(2, 100, 0));
  EXPECT_EQ(Share(1, 100, 0).weighted(), kMost);
}

TEST(ShareTest, StatusRoundsUp) {
  EXPECT_EQ(Share(1, 9, 1000).weighted(), 112);  // 111.1
  EXPECT_EQ(Share(1, 4, 1000).weighted(), 250);
  EXPECT_EQ(Share(kMost, 1, 1).weighted(), kMost);
}

struct Case {
  std::string name, tree, usage, want;
};

class DominantShareTest : public ::testing::TestWithParam<Case> {};

TEST_P(DominantShareTest, IsThat) {
  quota::Names names;
  Journal journal;
  quota::CohortTree tree(journal);
  std::map<std::string, std::int64_t> weights;
  for (const std::string& text : items(GetParam().tree)) {
    const quota::testing::QueueLine line = quota::testing::parse_queue(text);
    if (line.cohort) {
      tree.put_cohort(line.name, line.parent, line.groups, names);
    } else {
      tree.put_cluster_queue(line.name, line.parent, line.groups, names);
    }
    const auto weight = line.options.find("weight");
    weights[line.name] = weight == line.options.end() ? 1000 : 1000 * std::stoi(weight->second);
  }
  tree.settle();
  for (const std::string& text : items(GetParam().usage)) {
    const quota::testing::UsageLine used = quota::testing::parse_usage(text);
    for (const auto& [flavor, resource, amount] : used.amounts) {
      tree.charge(tree.cluster_queue(used.queue), names.pair(flavor, resource), amount);
    }
  }
  for (const std::string& text : items(GetParam().want)) {
    const auto pair = quota::testing::split(text, "=");
    const quota::NodeId queue = tree.cluster_queue(pair[0]);
    const DominantShare got = dominant_share(tree, names, queue ? queue : tree.cohort(pair[0]),
                                             weights.contains(pair[0]) ? weights[pair[0]] : 1000);
    EXPECT_EQ(got.share.is_infinite() ? "Inf" : std::to_string(got.share.weighted()), pair[1])
        << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Vectors, DominantShareTest,
    ::testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"PD01", "a@k {f/cpu=4}; b@k {f/cpu=4}", "w@a f/cpu=6", "a=250; b=0"},
        {"PD02", "a@k {f/cpu=4}; b@k {f/cpu=4 l1}", "w@a f/cpu=6", "a=400"},
        {"PD03", "a@k {f/cpu=4} (weight=2); b@k {f/cpu=4}", "w@a f/cpu=6", "a=125"},
        {"PD04", "a@k {f/cpu=4} (weight=0); b@k {f/cpu=4}", "w@a f/cpu=6", "a=Inf"},
        {"PD05", "a@k {f/cpu=4} (weight=0); b@k {f/cpu=4}", "w@a f/cpu=4", "a=0"},
        {"PD06", "a@k {f1/cpu=2, f2/cpu=5}; b@k {f1/cpu=8, f2/cpu=5}", "w@a f1/cpu=4; v@a f2/cpu=2", "a=100"},
        {"PD07", "a@k {f/cpu=2, f/gpu=0}; b@k {f/cpu=8, f/gpu=4}", "w@a f/cpu=4+f/gpu=2", "a=500"},
        {"PD08", "cohort r; cohort x<r; cohort y<r; a@x {f/cpu=2}; b@x {f/cpu=2}; c@y {f/cpu=2}; d@y {f/cpu=2}",
         "w@a f/cpu=4; b1@b f/cpu=1", "a=250; x=125; r=0; c=0"},
        {"PD09", "a@k {f/cpu=4 l0}; b@k {f/cpu=4 l0}", "w@a f/cpu=6", "a=0"},
        {"PD10", "s {f/cpu=8}", "w@s f/cpu=12", "s=0"},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(OrderTest, BorrowersLastThenLowerShareThenPriorityThenAge) {
  const Contender base{false, Share(1, 10, 1000), 5, Time::from_seconds(10), "m"};
  const auto with = [&](auto change) {
    Contender other = base;
    change(other);
    return other;
  };
  EXPECT_TRUE(before(base, with([](Contender& c) { c.borrowing = true, c.share = {}; })));
  EXPECT_TRUE(
      before(with([](Contender& c) { c.share = Share(1, 11, 1000), c.priority = 0; }), base));
  EXPECT_TRUE(before(
      with([](Contender& c) { c.priority = 6, c.queued_at = Time::from_seconds(99); }), base));
  EXPECT_TRUE(
      before(with([](Contender& c) { c.queued_at = Time::from_seconds(9), c.uid = "z"; }), base));
  EXPECT_TRUE(before(with([](Contender& c) { c.uid = "a"; }), base));
  EXPECT_FALSE(before(base, base));
}

}  // namespace
}  // namespace quorate::fairshare
