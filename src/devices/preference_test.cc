// Which of several possible devices is taken: the ones that leave the most useful remainder.

#include <gtest/gtest.h>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

dra::Device gpu(const std::string& name, const std::string& root) {
  return dev(name, {.attributes = {{"resource.kubernetes.io/pcieRoot", text_value(root)}}});
}

TEST(LeastRemainder, ABrokenGroupBeforeAWholeOne) {
  DeviceWorld world(Order::LeastRemainder);
  world.slice(sl("n1", {gpu("a0", "A"), gpu("a1", "A"), gpu("b0", "B"), gpu("b1", "B")}));
  world.in_use("x", "b0");
  EXPECT_EQ(world.choose(claim({req("r")})), "b1");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "a0 a1");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 3})})), "a0 a1 b1");
}

TEST(LeastRemainder, EqualGroupsAsListed) {
  DeviceWorld world(Order::LeastRemainder);
  world.slice(sl("n1", {gpu("b0", "B"), gpu("a0", "A"), gpu("b1", "B"), gpu("a1", "A")}));
  EXPECT_EQ(world.choose(claim({req("r")})), "b0");
  EXPECT_EQ(world.choose(claim({req("r", {.count = 2})})), "b0 b1");
}

TEST(LeastRemainder, ASharedDeviceThatIsSharedAlready) {
  DeviceWorld world(Order::LeastRemainder);
  const auto shared = [](const std::string& name) {
    return dev(name, {.capacity = {{"cap", "4"}}, .shared = true});
  };
  world.slice(sl("n1", {shared("a"), shared("b"), dev("c")}));
  const dra::ClaimSpec one = claim({req("r", {.capacity = {{"cap", "1"}}})});
  EXPECT_EQ(world.allocate("first", one), "a");
  EXPECT_EQ(world.allocate("second", one), "a");
}

// One GPU of seven slices as an A100 publishes it: profiles at the places where they may start.
// Slices of memory are the counters; 1g at 0..6, 2g at 0, 2, 4, 3g at 0 and 4, 7g at 0.
struct Mig {
  std::vector<dra::Device> devices;
  std::vector<dra::CounterSet> sets;

  void add_gpu(const std::string& name) {
    dra::CounterSet set{name, {}};
    for (int slice = 0; slice < 8; ++slice) set.counters["m" + std::to_string(slice)] = amount("1");
    sets.push_back(set);
    const auto part = [&](const std::string& profile, int start, int size) {
      dra::CounterConsumption uses{name, {}};
      for (int s = start; s < start + size; ++s)
        uses.counters["m" + std::to_string(s)] = amount("1");
      devices.push_back(
          dev(name + "-" + profile + "-" + std::to_string(start),
              {.attributes = {{"profile", text_value(profile)}}, .consumes = {uses}}));
    };
    for (int start = 0; start < 7; ++start) part("1g", start, 1);
    for (const int start : {0, 2, 4}) part("2g", start, 2);
    for (const int start : {0, 4}) part("3g", start, 4);
    part("7g", 0, 8);
  }
  void publish(DeviceWorld& world) const {
    SliceObject parts = sl("n1", devices);
    parts.spec.slice_count = 2;
    SliceObject counters = sl("n1", {});
    counters.name += "-counters";
    counters.spec.slice_count = 2;
    counters.spec.counters = sets;
    world.slice(counters);
    world.slice(parts);
  }
};

dra::ClaimSpec profile(const std::string& name) {
  return claim({req("r", {.selectors = {"profile=" + name}})});
}

TEST(LeastRemainder, MigProfilesLeaveTheLargestPossible) {
  DeviceWorld world(Order::LeastRemainder);
  Mig mig;
  mig.add_gpu("g0");
  mig.publish(world);
  // In the middle of nothing: of all places 6 costs the fewest others (3g at 4, and 7g).
  EXPECT_EQ(world.allocate("a", profile("1g")), "g0-1g-6");
  EXPECT_EQ(world.allocate("b", profile("2g")), "g0-2g-4");
  EXPECT_EQ(world.allocate("c", profile("3g")), "g0-3g-0");
  EXPECT_EQ(world.choose(profile("1g")), "no: cannot allocate all claims");
}

TEST(LeastRemainder, AWholeGpuIsNotBrokenWhileABrokenOneHasRoom) {
  DeviceWorld world(Order::LeastRemainder);
  Mig mig;
  mig.add_gpu("g0");
  mig.add_gpu("g1");
  mig.publish(world);
  EXPECT_EQ(world.allocate("a", profile("1g")), "g0-1g-6");
  for (int i = 0; i < 6; ++i) {
    const std::string got = world.allocate("more" + std::to_string(i), profile("1g"));
    EXPECT_TRUE(got.starts_with("g0-1g")) << got;
  }
  EXPECT_EQ(world.choose(profile("7g")), "g1-7g-0");
}

TEST(LeastRemainder, TheKindThatIsListedFirstStays) {
  DeviceWorld world(Order::LeastRemainder);
  Mig mig;
  mig.add_gpu("g0");
  std::rotate(mig.devices.begin(), mig.devices.end() - 1, mig.devices.end());  // 7g first
  mig.publish(world);
  EXPECT_EQ(world.choose(claim({req("r")})), "g0-7g-0");
}

}  // namespace
}  // namespace quorate::devices
