#include "fairshare/sharing.h"

#include <gtest/gtest.h>

#include "fairshare/testing/world.h"

namespace quorate::fairshare {
namespace {

using quota::testing::items;

struct Case {
  std::string name, tree, usage, want;
};

class DominantShareTest : public ::testing::TestWithParam<Case> {};

TEST_P(DominantShareTest, IsThat) {
  testing::World world(GetParam().tree, GetParam().usage);
  for (const std::string& text : items(GetParam().want)) {
    const auto pair = quota::testing::split(text, "=");
    const DominantShare got =
        world.sharing.dominant_share(world.tree, world.names, world.node(pair[0]));
    EXPECT_EQ(got.share.is_infinite() ? "Inf" : std::to_string(got.share.weighted()), pair[1])
        << text;
    EXPECT_EQ(world.sharing.share(world.tree, world.node(pair[0])), got.share) << text;
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

TEST(SharingTest, NamesTheDominantResource) {
  testing::World world("a@k {f/cpu=2, f/gpu=0, f/zap=0}; b@k {f/cpu=8, f/gpu=4, f/zap=4}",
                       "w@a f/cpu=3+f/zap=2+f/gpu=2");
  // cpu 1/10, gpu 2/4, zap 2/4: the first by name.
  const DominantShare got = world.sharing.dominant_share(world.tree, world.names, world.node("a"));
  EXPECT_EQ(got.resource, "gpu");
  EXPECT_TRUE(got.borrowing);
  EXPECT_FALSE(world.sharing.dominant_share(world.tree, world.names, world.node("b")).borrowing);
}

TEST(SharingTest, BorrowsAlsoWhereNothingIsToLend) {
  testing::World world("a@k {f/cpu=4 l0}; b@k {f/cpu=4 l0}", "w@a f/cpu=6");
  EXPECT_TRUE(is_borrowing(world.tree, world.node("a")));
  EXPECT_TRUE(world.sharing.share(world.tree, world.node("a")).is_zero());
}

TEST(SharingTest, FollowsANewShape) {
  testing::World world("a@k {f/cpu=4}; b@k {f/cpu=4}", "w@a f/cpu=6");
  EXPECT_EQ(world.sharing.share(world.tree, world.node("a")).weighted(), 250);  // 2/8
  world.put("c@k {f/cpu=12}");
  EXPECT_EQ(world.sharing.share(world.tree, world.node("a")).weighted(), 100);  // 2/20
}

TEST(SharingTest, AWeightGoesWithItsVertex) {
  testing::World world("a@k {f/cpu=4} (weight=2); b@k {f/cpu=4}", "");
  EXPECT_EQ(world.sharing.weight(world.node("a")), 2 * kWeightOne);
  world.tree.remove_cluster_queue("a");
  world.put("c@k {f/cpu=4}");  // in the slot of the other
  EXPECT_EQ(world.sharing.weight(world.tree.cluster_queue("c")), kWeightOne);
}

}  // namespace
}  // namespace quorate::fairshare
