#include "src/cel/dynamic.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

#include "src/cel/program.h"

namespace quorate::cel {
namespace {

// {"kind": "Job", "spec": {"suspend": true, "parallelism": 4, "ratio": 0.5, "args": ["a", "b"]}}
Value job(Arena& arena) {
  ValueBuilder builder(arena);
  builder.begin_object();
  builder.key("kind");
  builder.string("Job");
  builder.key("spec");
  builder.begin_object();
  builder.key("suspend");
  builder.boolean(true);
  builder.key("parallelism");
  builder.integer(4);
  builder.key("ratio");
  builder.number(0.5);
  builder.key("big");
  builder.unsigned_integer(18446744073709551615U);
  builder.key("args");
  builder.begin_list();
  builder.string("a");
  builder.string("b");
  builder.end();
  builder.end();
  builder.end();
  return builder.take();
}

std::string evaluate(std::string_view expression) {
  static const auto environment = dynamic_environment({"object", "oldObject"});
  const Outcome<Program> program = compile(*environment, expression);
  if (!program) return program.error().message;
  Arena arena;
  const Value variables[] = {job(arena), Value::null()};
  Scratch scratch;
  return to_string(program->evaluate(variables, scratch).value);
}

TEST(DynamicTest, ObjectsAreReadWithoutASchema) {
  EXPECT_EQ(evaluate("object.kind == 'Job' && object.spec.suspend"), "true");
  EXPECT_EQ(evaluate("object.spec.parallelism + 1"), "5");
  EXPECT_EQ(evaluate("object.spec.ratio * 2.0"), "double(1)");
  EXPECT_EQ(evaluate("object.spec.big"), "18446744073709551615u");
  EXPECT_EQ(evaluate("object.spec.args.map(a, a + '!')"), R"(["a!", "b!"])");
  EXPECT_EQ(evaluate("object.spec.?completions.orValue(object.spec.parallelism)"), "4");
  EXPECT_EQ(evaluate("has(object.status) || oldObject == null"), "true");
}

TEST(DynamicTest, WhatIsNotThereIsAnErrorOfTheEvaluation) {
  EXPECT_EQ(evaluate("object.spec.completions"), "error: no such key: completions");
  EXPECT_EQ(evaluate("object.kind.name"), "error: no such key: name");
  EXPECT_EQ(evaluate("object.spec.parallelism + 'x'"), "error: no such overload");
  EXPECT_THAT(evaluate("self.spec"), testing::HasSubstr("undeclared reference to 'self'"));
}

TEST(DynamicTest, TheLastOfEqualKeysCounts) {
  Arena arena;
  ValueBuilder builder(arena);
  builder.begin_object();
  for (const int i : {1, 2}) {
    builder.key("a");
    builder.integer(i);
  }
  builder.end();
  EXPECT_EQ(to_string(builder.take()), R"({"a": 2})");
}

TEST(DynamicTest, LimitsHoldForEachEnvironment) {
  Environment environment;
  add_kubernetes_libraries(environment);
  environment.limits.most_depth = 3;
  environment.cost_limit = 5;
  EXPECT_TRUE(compile(environment, "1 + 2 + 3 + 4"));
  const Outcome<Program> deep = compile(environment, "1 + 2 + 3 + 4 + 5");
  ASSERT_FALSE(deep);
  EXPECT_THAT(deep.error().message, testing::HasSubstr("max recursion depth exceeded"));
  const Outcome<Program> costly = compile(environment, "[1, 2, 3].all(x, x > 0)");
  ASSERT_TRUE(costly);
  Scratch scratch;
  EXPECT_EQ(costly->evaluate({}, scratch).value.text(),
            "operation cancelled: actual cost limit exceeded");
}

}  // namespace
}  // namespace quorate::cel
