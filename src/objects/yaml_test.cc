#include "src/objects/yaml.h"

#include <gmock/gmock.h>

namespace quorate::objects {
namespace {

std::string one(std::string_view text) {
  const auto documents = yaml_to_json(text);
  if (!documents) return documents.error().message;
  return documents->size() == 1 ? documents->front() : std::to_string(documents->size());
}

struct ScalarCase {
  const char* yaml;
  const char* json;
};
class Scalar : public testing::TestWithParam<ScalarCase> {};

TEST_P(Scalar, IsTypedAsKubectlTypesIt) {
  EXPECT_EQ(one(std::string("v: ") + GetParam().yaml),
            std::string("{\"v\":") + GetParam().json + "}");
}

INSTANTIATE_TEST_SUITE_P(All, Scalar,
                         testing::ValuesIn(std::vector<ScalarCase>{
                             // clang-format off
        {"1", "1"},           {"-17", "-17"},      {"+5", "5"},          {"0x1F", "31"},
        {"0644", "420"},      {"0o17", "15"},      {"0b101", "5"},       {"1_000", "1000"},
        {"08", "8"},          {"0", "0"},          {"-0", "0"},          {"1.50", "1.5"},
        {".5", "0.5"},        {"1e3", "1000"},     {"1.", "1"},          {"1e400", "\"1e400\""},
        {"18446744073709551615", "18446744073709551615"},
        {"true", "true"},     {"No", "false"},     {"off", "false"},     {"tRUE", "\"tRUE\""},
        {"null", "null"},     {"~", "null"},       {"", "null"},         {"nULL", "\"nULL\""},
        {"\"1\"", "\"1\""},   {"'yes'", "\"yes\""}, {"!!str 1", "\"1\""}, {"1Gi", "\"1Gi\""},
        {"500m", "\"500m\""}, {"1.2.3", "\"1.2.3\""}, {"2026-01-02", "\"2026-01-02\""},
        {"0x", "\"0x\""},     {"1-2", "\"1-2\""},   {"12e", "\"12e\""},
        {"\"\\u00e9\"", "\"\xc3\xa9\""},           {"[a, 1]", "[\"a\",1]"}, {"{b: c}", "{\"b\":\"c\"}"},
                             // clang-format on
                         }));

TEST(Yaml, StreamsOfDocuments) {
  const auto documents =
      yaml_to_json("---\n---\na: 1\n---\n# nothing\n---\n- b\n- c: |\n    x\n    y\n");
  ASSERT_TRUE(documents);
  EXPECT_EQ(*documents, (std::vector<std::string>{R"({"a":1})", R"(["b",{"c":"x\ny\n"}])"}));
  EXPECT_TRUE(yaml_to_json("")->empty());
  EXPECT_EQ(one(R"( {"a": 1.50, "b": ["x"]} )"), R"( {"a": 1.50, "b": ["x"]} )");
}

TEST(Yaml, KeysBecomeTexts) {
  EXPECT_EQ(one("1: a\ntrue: b\n'2': c"), R"({"1":"a","true":"b","2":"c"})");
}

TEST(Yaml, AliasesAndMerges) {
  EXPECT_EQ(one("a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, c: 3}\n"),
            R"({"a":{"b":1,"c":2},"d":{"b":1,"c":2},"e":{"c":3,"b":1}})");
}

TEST(Yaml, FaultsNameThePlace) {
  EXPECT_EQ(one("a: 1\nb:\n  c: 1\n  c: 2"),
            "invalid YAML at line 4, column 3: duplicate key \"c\"");
  EXPECT_EQ(one("a: .inf"), "invalid YAML at line 1, column 4: .inf has no JSON form");
  EXPECT_EQ(one("? [1]\n: 2"), "invalid YAML at line 1, column 3: a key must be a scalar");
  EXPECT_EQ(one("a: \xff"), "invalid YAML: no UTF-8 at byte 3");
  EXPECT_EQ(one("a: &x\n  <<: 3"), "invalid YAML at line 2, column 7: only maps can be merged");
  EXPECT_THAT(one(R"({"a":1,"a":2})"), testing::HasSubstr("duplicate key"));
  EXPECT_THAT(one("a: [1"), testing::StartsWith("invalid YAML at line 1"));
  EXPECT_THAT(one("a: *nobody"), testing::StartsWith("invalid YAML at line 1"));
}

// Found by fuzzing: the library never gets past these.
TEST(Yaml, TextThatBeginsNoValueEnds) {
  for (const char* text : {",", ", - -", "a: 1\n---\n,", ",-\005 - -"}) {
    const auto read = yaml_to_json(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_THAT(read.error().message, testing::HasSubstr("a value is expected")) << text;
  }
}

TEST(Yaml, NestingIsBounded) {
  EXPECT_THAT(one(std::string(300, '[') + "1" + std::string(300, ']')),
              testing::HasSubstr("too deep"));
  EXPECT_THAT(one(std::string(100'000, '[')), testing::StartsWith("invalid YAML"));
  std::string dashes;
  for (int i = 0; i < 10'000; ++i) dashes += "- ";
  EXPECT_THAT(one(dashes), testing::StartsWith("invalid YAML"));
  EXPECT_THAT(one("a: &a [*a]"), testing::HasSubstr("too deep"));
}

TEST(Yaml, AliasBombsAreBounded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(one(bomb), testing::HasSubstr("too long once its aliases are followed"));
}

}  // namespace
}  // namespace quorate::objects
