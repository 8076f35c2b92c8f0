#include "src/cel/collections.h"
#include "src/cel/libraries.h"

// Optional values; or() and orValue() are nodes of their own, since they may skip their argument.
namespace quorate::cel {
namespace {

constexpr Value kNone = Value::optional(nullptr);

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return !value.as_bool();
    case Kind::Int:
      return value.as_int() == 0;
    case Kind::Uint:
      return value.as_uint() == 0;
    case Kind::Double:
      return value.as_double() == 0;
    case Kind::String:
    case Kind::Bytes:
      return value.text().empty();
    case Kind::List:
      return value.as_list().size() == 0;
    case Kind::Map:
      return value.as_map().size() == 0;
    case Kind::Duration:
      return value.nanos() == 0;
    case Kind::Optional:
      return value.as_optional() == nullptr || is_zero(*value.as_optional());
    default:
      return false;
  }
}

Value of(const Call& call) { return make_optional(call.arena, call[0]); }
Value of_non_zero(const Call& call) {
  return is_zero(call[0]) ? kNone : make_optional(call.arena, call[0]);
}
Value none(const Call&) { return kNone; }
Value value(const Call& call) {
  const Value* inner = call[0].as_optional();
  return inner == nullptr ? Value::error("optional.none() dereference") : *inner;
}
Value has_value(const Call& call) { return Value::boolean(call[0].as_optional() != nullptr); }
Value special(const Call& call) { return no_such_overload(call); }

Value first(const Call& call) {
  const List& list = call[0].as_list();
  return list.size() == 0 ? kNone : make_optional(call.arena, list.at(0));
}
Value last(const Call& call) {
  const List& list = call[0].as_list();
  return list.size() == 0 ? kNone : make_optional(call.arena, list.at(list.size() - 1));
}
Value unwrap(const Call& call) {
  const List& list = call[0].as_list();
  GrowingList* values = call.arena.make<GrowingList>(call.arena);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!element.is(Kind::Optional)) {
      return call.fail("value " + to_string(element) + " is not optional");
    }
    if (element.as_optional() != nullptr) values->push_back(*element.as_optional());
  }
  return Value::list(values);
}

}  // namespace

std::span<const Declaration> optional_library() {
  static constexpr Declaration kLibrary[] = {
      {"optional.of", "optional_of", "(V) optional(V)", of},
      {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) optional(V)", of_non_zero},
      {"optional.none", "optional_none", "() optional(V)", none},
      {"value", "optional_value", "optional(V).() V", value},
      {"hasValue", "optional_hasValue", "optional(V).() bool", has_value},
      {"or", "optional_or_optional", "optional(V).(optional(V)) optional(V)", special},
      {"orValue", "optional_orValue_value", "optional(V).(V) V", special},
      {"first", "list_first", "list(V).() optional(V)", first},
      {"last", "list_last", "list(V).() optional(V)", last},
      {"optional.unwrap", "optional_unwrap", "(list(optional(V))) list(V)", unwrap},
      {"unwrapOpt", "optional_unwrapOpt", "list(optional(V)).() list(V)", unwrap},
  };
  return kLibrary;
}

}  // namespace quorate::cel
