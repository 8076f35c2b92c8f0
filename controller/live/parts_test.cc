#include "controller/live/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::controller {
namespace {

struct Case {
  const char* name;
  const char* list;
  Parts want;  // admission, jobs, pod_groups, webhooks, status, scheduler
};

class PartsTest : public testing::TestWithParam<Case> {};

TEST_P(PartsTest, Parse) {
  const Outcome<Parts> parts = parse_parts(GetParam().list);
  ASSERT_TRUE(parts) << parts.error().message;
  EXPECT_EQ(*parts, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, PartsTest,
    testing::ValuesIn(std::vector<Case>{
        // clang-format off
        {"Everything",      "*",                    {true, true, true, true, true, false}},
        {"Empty",           "",                     {true, true, true, true, true, false}},
        {"OneProcess",      "*,scheduler",          {true, true, true, true, true, true}},
        {"SchedulerFirst",  "scheduler,*",          {true, true, true, true, true, true}},
        {"Bare",            "admission",            {true, false, false, false, true, false}},
        {"BareNoStatus",    "admission,-status",    {true, false, false, false, false, false}},
        {"WithoutWebhooks", "-webhooks",            {true, true, true, false, true, false}},
        {"LastWordCounts",  "*,-podgroup,podgroup", {true, true, true, true, true, false}},
        {"Spaces",          "webhooks, batch/job",  {false, true, false, true, false, false}},
        // clang-format on
    }),
    [](const auto& test) { return test.param.name; });

TEST(Parts, UnknownNameIsNamedWithTheKnownOnes) {
  const auto parts = parse_parts("*,jobs");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().message,
              testing::HasSubstr("unknown part \"jobs\"; known: admission,"));
}

TEST(Parts, NothingLeftIsAnError) { EXPECT_FALSE(parse_parts("admission,-admission")); }

}  // namespace
}  // namespace quorate::controller
