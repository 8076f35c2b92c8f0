#include "src/devices/cel_selector.h"

#include <gtest/gtest.h>

#include "src/devices/testing/world.h"

namespace quorate::devices {
namespace {

// "yes", "no", or the error.
std::string answer(std::string_view expression, const dra::Device& device) {
  const auto selector = compile_cel(expression);
  if (!selector) return "refused";
  const Outcome<bool> holds = (*selector)->matches("d", device);
  return !holds ? holds.error().message : *holds ? "yes" : "no";
}

TEST(CelSelector, V05AMissingKeyIsAnError) {
  const dra::Device device = dev("a", {.attributes = {{"x", text_value("1")}}});
  EXPECT_EQ(answer(R"(device.attributes["d"].model == "x")", device),
            "CEL runtime error: no such key: model. consider using CEL optional chaining (.? "
            "followed by orValue()) or guarding the check with has() for optional fields");
  EXPECT_EQ(answer(R"(device.attributes["d"].?model.orValue("") == "x")", device), "no");
  EXPECT_EQ(answer(R"("model" in device.attributes["other"])", device), "no");
  EXPECT_EQ(answer("device.driver == \"d\"", device), "yes");
  EXPECT_EQ(answer("device.driver", device), "refused");
}

TEST(CelSelector, V06QuantitiesAndVersions) {
  const dra::Device device = dev(
      "a",
      {.attributes = {{"driverVersion", {dra::Attribute::Type::Version, false, {}, {"550.54.15"}}}},
       .capacity = {{"d/memory", "40Gi"}}});
  EXPECT_EQ(answer(R"(device.capacity["d"].memory.compareTo(quantity("40960Mi")) == 0)", device),
            "yes");
  EXPECT_EQ(
      answer(R"(device.attributes["d"].driverVersion.isGreaterThan(semver("550.9.0")))", device),
      "yes");
}

}  // namespace
}  // namespace quorate::devices
