#include "src/simulate/yaml_text.h"

#include <gmock/gmock.h>

#include "src/objects/json.h"
#include "src/objects/yaml.h"

namespace quorate::simulate {
namespace {

TEST(YamlOfJson, NestsAsPeopleWriteIt) {
  EXPECT_EQ(
      yaml_of_json(
          R"({"a":1,"list":[{"x":"y","n":[1,2]},"z"],"empty":{},"none":[],"t":true,"m":{"k":null}})"),
      "a: 1\nlist:\n- x: \"y\"\n  \"n\":\n  - 1\n  - 2\n- z\nempty: {}\nnone: []\nt: true\nm:\n  "
      "k: "
      "null\n");
}

TEST(YamlOfJson, QuotesWhatWouldMeanSomethingElse) {
  EXPECT_EQ(
      yaml_of_json(
          R"({"a":"true","b":"No","c":"12","d":"a: b","e":"","f":"x\ny","g":"team/a","h":"~"})"),
      "a: \"true\"\nb: \"No\"\nc: \"12\"\nd: \"a: b\"\ne: \"\"\nf: \"x\\ny\"\ng: team/a\nh: "
      "\"~\"\n");
}

TEST(YamlOfJson, ReadsBackAsTheSameJson) {
  const std::string json =
      R"({"a":[[1,[2]],{"b":{"c":["d",{"e":"f"}]}},[]],"k.x/y":"1h","z":[{"only":[{"deep":"x y"}]}],"n":-1.5})";
  const auto back = objects::yaml_to_json(yaml_of_json(json));
  ASSERT_TRUE(back) << back.error().message;
  objects::JsonDocument a, b;
  ASSERT_TRUE(a.parse(json));
  ASSERT_TRUE(b.parse(back->front()));
  EXPECT_EQ(a.root().canonical(), b.root().canonical());
}

}  // namespace
}  // namespace quorate::simulate
