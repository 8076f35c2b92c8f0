#include "src/objects/meta.h"

#include <gtest/gtest.h>

namespace quorate::objects {
namespace {

TEST(Conditions, TransitionTimeMovesOnlyWhenTheStatusFlips) {
  std::vector<Condition> all;
  const Time t1 = Time::from_seconds(1), t2 = Time::from_seconds(2), t3 = Time::from_seconds(3);
  const auto ready = [](ConditionStatus status, const char* reason) {
    return Condition{.type = "Ready", .status = status, .reason = reason};
  };
  EXPECT_TRUE(set_condition(all, ready(ConditionStatus::False, "A"), t1));
  EXPECT_FALSE(set_condition(all, ready(ConditionStatus::False, "A"), t2));
  EXPECT_EQ(all[0].last_transition, t1);
  EXPECT_TRUE(set_condition(all, ready(ConditionStatus::False, "B"), t2));
  EXPECT_EQ(all[0].last_transition, t1);
  EXPECT_TRUE(set_condition(all, ready(ConditionStatus::True, "B"), t3));
  EXPECT_EQ(all[0].last_transition, t3);
  EXPECT_TRUE(is_true(all, "Ready"));
  EXPECT_FALSE(is_true(all, "Other"));
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(remove_condition(all, "Ready"));
  EXPECT_FALSE(remove_condition(all, "Ready"));
}

TEST(Conditions, LongMessagesAreCutBetweenCharacters) {
  std::vector<Condition> all;
  std::string message(32763, 'a');
  for (int i = 0; i < 10; ++i) message += "\xc3\xa9";
  set_condition(all, {.type = "T", .message = message}, Time{});
  // 32764 bytes are left for the text; the character that starts at 32763 does not fit whole.
  EXPECT_EQ(all[0].message, std::string(32763, 'a') + " ...");
}

TEST(ObjectMeta, FindsTheController) {
  ObjectMeta meta;
  EXPECT_EQ(controller_of(meta), nullptr);
  meta.owners = {{.name = "a"}, {.name = "b", .controller = true}};
  EXPECT_EQ(controller_of(meta)->name, "b");
  meta.finalizers = {"x"};
  EXPECT_TRUE(has_finalizer(meta, "x"));
  EXPECT_FALSE(has_finalizer(meta, "y"));
  EXPECT_EQ(value_of({{"a", "b"}}, "a"), "b");
  EXPECT_EQ(value_of({{"a", "b"}}, "c"), "");
}

}  // namespace
}  // namespace quorate::objects
