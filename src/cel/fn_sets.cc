#include "src/cel/libraries.h"
#include "src/cel/matching.h"

// Lists as sets (cel-go's ext.Sets).
namespace quorate::cel {
namespace {

bool contains_all(const List& list, const List& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!contains(list, wanted.at(i))) return false;
  }
  return true;
}

Value set_contains(const Call& call) {
  return Value::boolean(contains_all(call[0].as_list(), call[1].as_list()));
}
Value set_equivalent(const Call& call) {
  const List& a = call[0].as_list();
  const List& b = call[1].as_list();
  return Value::boolean(contains_all(a, b) && contains_all(b, a));
}
Value set_intersects(const Call& call) {
  const List& a = call[0].as_list();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (contains(call[1].as_list(), a.at(i))) return Value::boolean(true);
  }
  return Value::boolean(false);
}

}  // namespace

std::span<const Declaration> set_library() {
  static constexpr Declaration kLibrary[] = {
      {"sets.contains", "list_sets_contains_list", "(list(T), list(T)) bool", set_contains,
       CostRule::SetsOnce},
      {"sets.equivalent", "list_sets_equivalent_list", "(list(T), list(T)) bool", set_equivalent,
       CostRule::SetsTwice},
      {"sets.intersects", "list_sets_intersects_list", "(list(T), list(T)) bool", set_intersects,
       CostRule::SetsOnce},
  };
  return kLibrary;
}

}  // namespace quorate::cel
