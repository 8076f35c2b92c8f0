#include "src/jobs/priority.h"

#include <gtest/gtest.h>

namespace quorate::jobs {
namespace {

PriorityClasses classes() {
  PriorityClasses known;
  known.workload["rush"].value = 100;
  const auto add = [&](const std::string& name, std::int32_t value, bool is_default) {
    objects::PriorityClass made;
    made.meta.key.name = name;
    made.value = value;
    made.global_default = is_default;
    known.pod[name] = made;
  };
  add("high", 50, false);
  add("usual", 7, true);
  add("also-usual", 9, true);
  return known;
}

TEST(Priority, TheWorkloadsClassWins) {
  const auto priority = resolve_priority(classes(), "rush", "high");
  ASSERT_TRUE(priority);
  EXPECT_EQ(*priority, (Priority{100, objects::PriorityClassRef{"kueue.x-k8s.io",
                                                                "WorkloadPriorityClass", "rush"}}));
}

TEST(Priority, ThenThePods) {
  const auto priority = resolve_priority(classes(), "", "high");
  ASSERT_TRUE(priority);
  EXPECT_EQ(
      *priority,
      (Priority{50, objects::PriorityClassRef{"scheduling.k8s.io", "PriorityClass", "high"}}));
}

TEST(Priority, ThenTheSmallestDefault) {
  const auto priority = resolve_priority(classes(), "", "");
  ASSERT_TRUE(priority);
  EXPECT_EQ(priority->value, 7);
  EXPECT_EQ(priority->source->name, "usual");
}

TEST(Priority, WithoutAnyClassZero) { EXPECT_EQ(*resolve_priority({}, "", ""), Priority{}); }

TEST(Priority, AMissingClassIsNamed) {
  EXPECT_EQ(resolve_priority(classes(), "slow", "").error().message,
            "WorkloadPriorityClass \"slow\" not found");
  EXPECT_EQ(resolve_priority(classes(), "", "slow").error().message,
            "PriorityClass \"slow\" not found");
}

}  // namespace
}  // namespace quorate::jobs
