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

// Comparing each with each is paid for when it is done, so what nobody could pay is not begun.
constexpr std::size_t kMostComparisons = 10'000'000;
bool too_large(const Call& call) {
  const std::size_t size = call[0].as_list().size();
  return size > 0 && call[1].as_list().size() > kMostComparisons / size;
}
constexpr Value kTooLarge = Value::error("operation cancelled: actual cost limit exceeded");

Value set_contains(const Call& call) {
  if (too_large(call)) return kTooLarge;
  return Value::boolean(contains_all(call[0].as_list(), call[1].as_list()));
}
Value set_equivalent(const Call& call) {
  if (too_large(call)) return kTooLarge;
  const List& a = call[0].as_list();
  const List& b = call[1].as_list();
  return Value::boolean(contains_all(a, b) && contains_all(b, a));
}
Value set_intersects(const Call& call) {
  if (too_large(call)) return kTooLarge;
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
