#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "src/cel/arena.h"
#include "src/cel/environment.h"
#include "src/cel/value.h"

// Objects without a schema, such as JSON, as values of the language.
namespace quorate::cel {

// An environment with the Kubernetes libraries and variables of type dyn: "object", "oldObject".
std::unique_ptr<const Environment> dynamic_environment(
    std::initializer_list<std::string_view> variables);

// Builds one value from a walk over the host's data: scalars as they come, begin_… and end_… around
// what lists and objects hold, and key() before each value of an object. The last of equal keys
// counts. Whole numbers become int (uint beyond its range), others double.
//
//   builder.begin_object();
//   builder.key("replicas");
//   builder.integer(3);
//   builder.end();
//   Value object = builder.take();  // {"replicas": 3}
class ValueBuilder {
 public:
  // Values live in the arena; texts are copied into it.
  explicit ValueBuilder(Arena& arena) : arena_(arena) {}

  void null() { add(Value::null()); }
  void boolean(bool b) { add(Value::boolean(b)); }
  void integer(std::int64_t i) { add(Value::integer(i)); }
  void unsigned_integer(std::uint64_t u);
  void number(double d) { add(Value::number(d)); }
  void string(std::string_view text);
  void begin_list();
  void begin_object();
  void key(std::string_view text);
  void end();  // of the innermost list or object

  // The value built; everything begun has ended.
  Value take() const { return result_; }

 private:
  struct Open {
    class GrowingList* list = nullptr;
    class ArrayMap* map = nullptr;
    Value key;
  };
  void add(const Value& value);

  Arena& arena_;
  std::vector<Open> open_;
  Value result_;
};

}  // namespace quorate::cel
