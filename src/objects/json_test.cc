#include "src/objects/json.h"

#include <gmock/gmock.h>

#include "src/objects/json_writer.h"
#include "src/objects/numbers.h"

namespace quorate::objects {
namespace {

JsonDocument parsed(std::string_view text) {
  JsonDocument document;
  const Outcome<void> done = document.parse(text);
  EXPECT_TRUE(done) << done.error().message;
  return document;
}

TEST(Json, LastDuplicateWinsAndNullIsAbsent) {
  const JsonDocument document = parsed(R"({"a":1,"b":null,"a":2,"c":{"x":"1","x":"2"}})");
  EXPECT_EQ(document.root()["a"].int32(), 2);
  EXPECT_FALSE(document.root()["b"].present());
  EXPECT_EQ(document.root()["b"].int32(7), 7);
  EXPECT_EQ(document.root()["c"].labels(), (Labels{{"x", "2"}}));
  EXPECT_EQ(document.duplicates(), (std::vector<std::string>{"a", "c.x"}));
  EXPECT_FALSE(document.fault());
}

TEST(Json, CanonicalTextSortsKeysAndKeepsEveryDigit) {
  const JsonDocument document =
      parsed(R"( {"b" : [1, 2.50, {"z":null,"y":"\u00e9\n"}], "a":123456789012345678901234567890,
                  "b":[true,null,-1e300]} )");
  EXPECT_EQ(document.root().canonical(),
            R"({"a":123456789012345678901234567890,"b":[true,null,-1e300]})");
}

struct FaultCase {
  const char* name;
  const char* text;
  void (*read)(Json);
  const char* want;
};
class JsonFault : public testing::TestWithParam<FaultCase> {};

TEST_P(JsonFault, NamesTheField) {
  const JsonDocument document = parsed(GetParam().text);
  GetParam().read(document.root());
  EXPECT_THAT(document.fault().value_or("none"), testing::StartsWith(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Types, JsonFault,
    testing::ValuesIn(std::vector<FaultCase>{
        {"TextForNumber", R"({"s":{"n":"x"}})", [](Json j) { j["s"]["n"].int32(); },
         R"(s.n: Invalid value: "x": must be a 32-bit integer)"},
        {"TooBig", R"({"n":2147483648})", [](Json j) { j["n"].int32(); },
         "n: Invalid value: 2147483648: must be a 32-bit integer"},
        {"BeyondInt64", R"({"n":9223372036854775808})", [](Json j) { j["n"].int64(); },
         "n: Invalid value: 9223372036854775808: must be a 64-bit integer"},
        {"Fraction", R"({"n":1.5})", [](Json j) { j["n"].int64(); },
         "n: Invalid value: 1.5: must be a 64-bit integer"},
        {"WholeFloatIsFine", R"({"n":3.0,"m":1e3})",
         [](Json j) {
           EXPECT_EQ(j["n"].int64(), 3);
           EXPECT_EQ(j["m"].int32(), 1000);
         },
         "none"},
        {"InsideAList", R"({"a":[{"b":"x"},{"b":7}]})",
         [](Json j) { j["a"].each([](Json e) { e["b"].text(); }); },
         "a[1].b: Invalid value: 7: must be a string"},
        {"KeyWithDots", R"({"r":{"x.io/gpu":"1x"}})", [](Json j) { (void)j["r"].resources(); },
         R"(r[x.io/gpu]: Invalid value: "1x": )"},
        {"ObjectExpected", R"({"a":[1]})", [](Json j) { (void)j["a"]["b"].present(); },
         "a: Invalid value: [1]: must be an object"},
        {"ListExpected", R"({"a":{}})", [](Json j) { j["a"].texts(); },
         "a: Invalid value: {}: must be a list"},
        {"Required", R"({"a":{}})", [](Json j) { j["a"]["b"]["c"].required_text(); },
         "a.b: Required value"},
        {"FirstFaultStays", R"({"a":1,"b":2})",
         [](Json j) {
           j["b"].text();
           j["a"].text();
         },
         "b: Invalid value: 2: must be a string"},
        {"BadTime", R"({"t":"yesterday"})", [](Json j) { j["t"].maybe_time(); },
         R"(t: Invalid value: "yesterday": )"},
    }),
    [](const auto& test) { return test.param.name; });

struct BadText {
  const char* name;
  std::string text;
};
class JsonText : public testing::TestWithParam<BadText> {};

TEST_P(JsonText, IsRefusedWithoutHarm) {
  JsonDocument document;
  const Outcome<void> done = document.parse(GetParam().text);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::Invalid);
  EXPECT_FALSE(document.root().present());
}

INSTANTIATE_TEST_SUITE_P(Nasty, JsonText,
                         testing::ValuesIn(std::vector<BadText>{
                             {"Empty", ""},
                             {"Cut", R"({"a":)"},
                             {"Trailing", "{} x"},
                             {"Comma", "[1,]"},
                             {"BadNumber", "01"},
                             {"Utf8", "\"\xff\""},
                             {"Surrogate", R"("\ud800")"},
                             {"Deep", std::string(257, '[') + std::string(257, ']')},
                             {"VeryDeep", std::string(2'000'000, '[')},
                             {"DeepObjects",
                              [] {
                                std::string text;
                                for (int i = 0; i < 100'000; ++i) text += R"({"a":)";
                                return text;
                              }()},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(JsonList, HandsOverItemsOneByOne) {
  JsonDocument head;
  std::vector<std::string> items;
  const std::string text =
      R"({"kind":"L","apiVersion":"v1","metadata":{"items":[9],"resourceVersion":"7"},)"
      R"("items":[{"a":1},{"a":{"items":[2]}},3,[4]],"after":true})";
  const auto sink = [&](JsonDocument& item) {
    EXPECT_EQ(head.root()["apiVersion"].text(), "v1");
    items.push_back(item.root().canonical());
  };
  ASSERT_TRUE(parse_list(text, head, sink));
  EXPECT_EQ(items, (std::vector<std::string>{R"({"a":1})", R"({"a":{"items":[2]}})", "3", "[4]"}));
  EXPECT_EQ(head.root()["metadata"]["resourceVersion"].text(), "7");
  EXPECT_TRUE(head.root()["after"].boolean());
}

TEST(JsonList, RefusesWhatIsNoList) {
  const auto count = [](std::string_view text) {
    JsonDocument head;
    int items = 0;
    const Outcome<void> done = parse_list(text, head, [&](JsonDocument&) { ++items; });
    return done ? items : -1;
  };
  EXPECT_EQ(count(R"({"items":null})"), 0);
  EXPECT_EQ(count(R"({"items":[]})"), 0);
  EXPECT_EQ(count("{}"), -1);
  EXPECT_EQ(count("[]"), -1);
  EXPECT_EQ(count(R"({"items":{}})"), -1);
  EXPECT_EQ(count(R"({"items":"x"})"), -1);
  EXPECT_EQ(count(R"({"items":[],"items":[1]})"), -1);
  EXPECT_EQ(count(R"({"items":[1,2)"), -1);
}

TEST(JsonWriter, EscapesAndRepairsText) {
  JsonWriter out;
  out.open().field("k\"", "a\\b\n\x01\xff\xc3\xa9").key("l").open_list();
  out.number(-1).boolean(true).null().close_list().field_unless_empty("no", "").close();
  EXPECT_EQ(out.str(), "{\"k\\\"\":\"a\\\\b\\n\\u0001\xef\xbf\xbd\xc3\xa9\",\"l\":[-1,true,null]}");
}

TEST(Numbers, BillionthsAreExact) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::pair<std::string, std::optional<std::int64_t>>> cases{
      {"1", 1'000'000'000},
      {"0.5", 500'000'000},
      {"500m", 500'000'000},
      {"1n", 1},
      {"0.1n", 1},
      {"-2", -2'000'000'000},
      {"1e-9", 1},
      {"1E3", 1'000'000'000'000},
      {"1Ki", 1024'000'000'000},
      {"9.3e9", max},
      {"1Ei", max},
      {"-1Ei", -max - 1},
      {"0", 0},
      {"1e1000000000000", max},
      {"1e-1000000000000", 1},
      {".5", 500'000'000},
      {"", std::nullopt},
      {"x", std::nullopt},
      {"1x", std::nullopt},
      {"1.2.3", std::nullopt},
      {".", std::nullopt},
      {"1e", std::nullopt},
      {"1mi", std::nullopt},
      {"--1", std::nullopt}};
  for (const auto& [text, want] : cases) EXPECT_EQ(parse_billionths(text), want) << text;
  EXPECT_EQ(format_billionths(1'500'000'000), "1.5");
  EXPECT_EQ(format_billionths(-1), "-0.000000001");
  EXPECT_EQ(format_billionths(-max - 1), "-9223372036.854775808");
}

}  // namespace
}  // namespace quorate::objects
