#include "src/cel/function.h"

#include "src/cel/collections.h"

namespace quorate::cel {

Value Call::fail(std::string_view message) const { return make_error(arena, message); }

Value no_such_overload(const Call&) { return Value::error("no such overload"); }

Value no_such_operation(const Call& call) {
  return call.fail("no such overload: " + std::string(call.function));
}

Value no_such_overload(Arena& arena, std::string_view function, std::span<const Value> args) {
  std::string text = "no such overload: " + std::string(function) + '(';
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += ", ";
    text += type_name(args[i]);
  }
  return make_error(arena, text + ')');
}

}  // namespace quorate::cel
