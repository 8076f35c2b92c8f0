#include "src/cel/selector.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

namespace quorate::cel {
namespace {

using testing::HasSubstr;

Device gpu() {
  Device device("gpu.example.com");
  EXPECT_TRUE(device.add_attribute("model", std::string("a100")));
  EXPECT_TRUE(device.add_attribute("index", std::int64_t{3}));
  EXPECT_TRUE(device.add_attribute("healthy", true));
  EXPECT_TRUE(device.add_attribute("driverVersion", Version{"550.54.15"}));
  EXPECT_TRUE(device.add_attribute("numa.example.com/nodes", std::vector<std::int64_t>{0, 1}));
  device.add_capacity("memory", *parse_exact_quantity("40Gi"));
  return device;
}

// "true", "false", or the error.
std::string answer(std::string_view expression, const Device& device) {
  const Outcome<Selector> selector = Selector::compile(expression);
  if (!selector) return selector.error().message;
  Scratch scratch;
  const Outcome<bool> result = selector->matches(device, scratch);
  if (!result) return result.error().message;
  return *result ? "true" : "false";
}

struct Case {
  std::string_view expression;
  std::string_view expected;
};

TEST(SelectorTest, AnswersWhatSchedulersAsk) {
  const Device device = gpu();
  for (const Case& c : std::vector<Case>{
           {"device.driver == 'gpu.example.com'", "true"},
           {"device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == "
            "'a100' && device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
            "true"},
           {"device.attributes['gpu.example.com'].index > 3", "false"},
           {"device.attributes['gpu.example.com'].healthy", "true"},
           {"device.allowMultipleAllocations", "false"},
           {"device.attributes['numa.example.com'].nodes.includes(1)", "true"},
           {"device.attributes['numa.example.com'].nodes.exists(n, n == 2)", "false"},
           {"cel.bind(a, device.attributes['gpu.example.com'], a.index == 3 && a.healthy)", "true"},
           // An int against a string is no error, only unequal.
           {"device.attributes['gpu.example.com'].index == '3'", "false"},
           {"device.attributes['gpu.example.com'].index > 'x'", "no such overload"},
       }) {
    EXPECT_EQ(answer(c.expression, device), c.expected) << c.expression;
  }
}

// Vector 5 of the specification: missing keys.
TEST(SelectorTest, AMissingIdIsAnErrorAndAMissingDomainAnEmptyMap) {
  const Device device = gpu();
  EXPECT_EQ(answer("device.attributes['gpu.example.com'].color == 'x'", device),
            "no such key: color");
  EXPECT_EQ(answer("device.attributes['gpu.example.com'].?color.orValue('') == 'x'", device),
            "false");
  EXPECT_EQ(answer("device.attributes['other'].model == 'x'", device), "no such key: model");
  EXPECT_EQ(answer("'model' in device.attributes['other']", device), "false");
  EXPECT_EQ(answer("'other' in device.attributes", device), "false");
  EXPECT_EQ(answer("has(device.attributes['gpu.example.com'].model)", device), "true");
  EXPECT_THAT(with_hint("no such key: color"), HasSubstr("consider using CEL optional chaining"));
}

// Vector 6: quantities and versions.
TEST(SelectorTest, ComparesQuantitiesAndVersions) {
  const Device device = gpu();
  for (const Case& c : std::vector<Case>{
           {"device.capacity['gpu.example.com'].memory.compareTo(quantity('40960Mi')) == 0",
            "true"},
           {"device.attributes['gpu.example.com'].driverVersion.isGreaterThan(semver('550.9.0'))",
            "true"},
           {"semver('v1.2', true).minor() == 2", "true"},
           {"semver('1.2').minor() == 2", "No Major.Minor.Patch elements found"},
       }) {
    EXPECT_EQ(answer(c.expression, device), c.expected) << c.expression;
  }
}

TEST(SelectorTest, FaultsOfAnExpressionNameTheirPlace) {
  const Device device = gpu();
  EXPECT_EQ(answer("device.name == 'a'", device),
            "compilation failed: ERROR: <input>:1:7: undefined field 'name'\n"
            " | device.name == 'a'\n"
            " | ......^");
  EXPECT_THAT(answer("device.driver == d.io", device),
              HasSubstr("<input>:1:18: undeclared reference to 'd' (in container '')"));
  EXPECT_THAT(answer("1 == 'a'", device),
              HasSubstr("found no matching overload for '_==_' applied to '(int, string)'"));
  EXPECT_THAT(answer("", device), HasSubstr("Syntax error: mismatched input '<EOF>'"));
  EXPECT_EQ(answer("device.driver", device),
            "must evaluate to bool or the unknown type, not string");
  EXPECT_EQ(answer("device.attributes['gpu.example.com'].model", device),
            "CEL result of type string could not be converted to bool: type conversion error from "
            "'string' to 'bool'");
}

TEST(SelectorTest, AnEvaluationStopsAtItsCostLimit) {
  const Outcome<Selector> selector =
      Selector::compile("lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))");
  ASSERT_TRUE(selector) << selector.error().message;
  Scratch scratch;
  const Outcome<bool> result = selector->matches(gpu(), scratch);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "operation cancelled: actual cost limit exceeded");
}

// Lists that double at each step, formats that are longer than what they cost.
TEST(SelectorTest, AnEvaluationStopsAtItsMemoryLimit) {
  std::string doubling = "lists.range(1000)";
  for (int i = 0; i < 20; ++i) doubling = "cel.bind(l, " + doubling + ", l + l)";
  EXPECT_EQ(answer(doubling + ".size() > 0", gpu()), "list too long");

  std::string format = "lists.range(3000).map(i, '";
  for (int i = 0; i < 500; ++i) format += "%.900f";
  format += "'.format(lists.range(500).map(x, 1.5))).size() > 0";
  EXPECT_EQ(answer(format, gpu()), "operation cancelled: memory limit exceeded");
}

TEST(SelectorTest, AVersionThatIsNoneIsRefused) {
  Device device("d");
  const Outcome<void> added = device.add_attribute("v", Version{"1.2"});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message,
            "attribute v: parse semantic version: No Major.Minor.Patch elements found");
}

}  // namespace
}  // namespace quorate::cel
