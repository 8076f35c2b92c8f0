#include "src/base/labels.h"

#include <gtest/gtest.h>

namespace quorate {
namespace {

using Op = Requirement::Op;

struct RequirementCase {
  std::string name;
  Requirement requirement;
  bool want;
};

class RequirementTest : public testing::TestWithParam<RequirementCase> {};

TEST_P(RequirementTest, Matches) {
  const Labels labels = {{"zone", "a"}, {"cores", "16"}, {"empty", ""}, {"offset", "-5"}};
  EXPECT_EQ(matches(GetParam().requirement, labels), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Labels, RequirementTest,
                         testing::ValuesIn(std::vector<RequirementCase>{
                             // clang-format off
        {"InHit",                {"zone", Op::In, {"b", "a"}}, true},
        {"InMiss",               {"zone", Op::In, {"b"}}, false},
        {"InAbsent",             {"rack", Op::In, {"b"}}, false},
        {"InAbsentIsNotEmpty",   {"rack", Op::In, {""}}, false},
        {"InEmptyValue",         {"empty", Op::In, {""}}, true},
        {"InNoValues",           {"zone", Op::In, {}}, false},
        {"NotInHit",             {"zone", Op::NotIn, {"a"}}, false},
        {"NotInMiss",            {"zone", Op::NotIn, {"b"}}, true},
        {"NotInAbsentHolds",     {"rack", Op::NotIn, {"b"}}, true},
        {"Exists",               {"empty", Op::Exists, {}}, true},
        {"ExistsAbsent",         {"rack", Op::Exists, {}}, false},
        {"DoesNotExist",         {"zone", Op::DoesNotExist, {}}, false},
        {"DoesNotExistAbsent",   {"rack", Op::DoesNotExist, {}}, true},
        {"Gt",                   {"cores", Op::Gt, {"15"}}, true},
        {"GtEqual",              {"cores", Op::Gt, {"16"}}, false},
        {"GtIsNumeric",          {"cores", Op::Gt, {"9"}}, true},
        {"GtSigned",             {"offset", Op::Gt, {"-6"}}, true},
        {"GtPlus",               {"cores", Op::Gt, {"+15"}}, true},
        {"GtBadSign",            {"cores", Op::Gt, {"+-15"}}, false},
        {"GtAbsent",             {"rack", Op::Gt, {"1"}}, false},
        {"GtLabelNotANumber",    {"zone", Op::Gt, {"1"}}, false},
        {"GtBoundNotANumber",    {"cores", Op::Gt, {"1.5"}}, false},
        {"GtTwoValues",          {"cores", Op::Gt, {"1", "2"}}, false},
        {"GtBeyondInt64",        {"cores", Op::Lt, {"9223372036854775808"}}, false},
        {"Lt",                   {"cores", Op::Lt, {"17"}}, true},
        {"LtEqual",              {"cores", Op::Lt, {"16"}}, false},
                             // clang-format on
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(LabelSelector, EmptyMatchesEverything) {
  EXPECT_TRUE(LabelSelector{}.matches({}));
  EXPECT_TRUE(LabelSelector{}.matches({{"a", "b"}}));
}

TEST(LabelSelector, AllRequirementsMustHold) {
  const LabelSelector both{{{"zone", Op::In, {"a"}}, {"cores", Op::Exists, {}}}};
  EXPECT_TRUE(both.matches({{"zone", "a"}, {"cores", "1"}}));
  EXPECT_FALSE(both.matches({{"zone", "a"}}));
  EXPECT_FALSE(both.matches({{"zone", "b"}, {"cores", "1"}}));
}

}  // namespace
}  // namespace quorate
