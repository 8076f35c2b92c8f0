#include "src/kube/json_scan.h"

#include <gmock/gmock.h>

#include <vector>

namespace quorate::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> members(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  const Outcome<void> read = each_member(text, [&](std::string_view key, std::string_view value) {
    out.emplace_back(key, value);
    return true;
  });
  if (!read) out.emplace_back("error", read.error().message);
  return out;
}

TEST(EachMember, GivesRawValuesOfOneLevel) {
  EXPECT_THAT(members(R"( { "a" : 1 , "b":{"x":[1,{"y":"}]"}]}, "c":"q\"\\" ,"d":[ ],"e":null } )"),
              ElementsAre(Pair("a", "1"), Pair("b", R"({"x":[1,{"y":"}]"}]})"),
                          Pair("c", R"("q\"\\")"), Pair("d", "[ ]"), Pair("e", "null")));
  EXPECT_THAT(members("{}"), ElementsAre());
}

TEST(EachMember, StopsWhenTold) {
  int seen = 0;
  EXPECT_TRUE(each_member(R"({"a":1,"b":2,broken)", [&](auto, auto) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(EachMember, SaysWhereTextIsBroken) {
  for (const char* text :
       {"", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":[1}", "{\"a\":\"x",
        "{\"a\" 1}", "{a:1}", "{\"a\":1 \"b\":2}", "{\"a\":}"}) {
    const auto read = members(text);
    ASSERT_FALSE(read.empty()) << text;
    EXPECT_EQ(read.back().first, "error") << text;
    EXPECT_THAT(read.back().second, HasSubstr(" at byte ")) << text;
  }
}

TEST(EachMember, NestingCostsNoStack) {
  std::string deep = "{\"a\":" + std::string(3'000'000, '[') + std::string(3'000'000, ']') + "}";
  EXPECT_EQ(members(deep).front().second.size(), 6'000'000u);
  deep.pop_back();
  deep.pop_back();
  EXPECT_EQ(members(deep).front().first, "error");
}

TEST(EachElement, GivesRawElements) {
  std::vector<std::string> out;
  const auto collect = [&](std::string_view value) {
    out.emplace_back(value);
    return true;
  };
  EXPECT_TRUE(each_element(R"([1, "a,b" ,{"x":[2]}])", collect));
  EXPECT_THAT(out, ElementsAre("1", "\"a,b\"", R"({"x":[2]})"));
  EXPECT_TRUE(each_element("null", collect));
  EXPECT_TRUE(each_element("[]", collect));
  EXPECT_EQ(out.size(), 3u);
  EXPECT_FALSE(each_element("[1", collect));
  EXPECT_FALSE(each_element("{}", collect));
}

TEST(StringValue, UndoesEscapes) {
  EXPECT_EQ(string_value(R"("a\n\t\"\\\/\u00e9\ud83d\ude00")"),
            "a\n\t\"\\/\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(string_value(R"("\ud800x")"), "\xef\xbf\xbdx");
  EXPECT_EQ(string_value("12"), std::nullopt);
  EXPECT_EQ(string_value("\"\\u12\""), std::nullopt);
}

TEST(JsonString, RoundTripsAndNeverWritesBadUtf8) {
  const std::string text = "a\"b\\c\n\x01\x7f\xc3\xa9\xf0\x9f\x98\x80";
  EXPECT_EQ(string_value(json_string(text)), text);
  EXPECT_EQ(json_string("a\xff\xc3z"), "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"),
            "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");  // a surrogate
}

TEST(IntegerValue, ReadsWholeNumbersOnly) {
  EXPECT_EQ(integer_value("-12"), -12);
  EXPECT_EQ(integer_value("1.5"), std::nullopt);
  EXPECT_EQ(integer_value("\"1\""), std::nullopt);
}

}  // namespace
}  // namespace quorate::kube
