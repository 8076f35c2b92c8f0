#include <algorithm>
#include <vector>

#include "src/cel/collections.h"
#include "src/cel/libraries.h"
#include "src/cel/matching.h"

// Lists: Kubernetes' own functions and cel-go's ext.Lists (version 3).
namespace quorate::cel {
namespace {

constexpr std::int64_t kLongestRange = 1'000'000;
constexpr Value kNoSuchOverload = Value::error("no such overload");

Value is_sorted(const Call& call) {
  const List& list = call[0].as_list();
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Comparison found = compare(list.at(i - 1), list.at(i));
    if (found.comparable && found.order == Ordering::Greater) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value add(const Value& a, const Value& b) {
  std::int64_t sum = 0;
  std::uint64_t unsigned_sum = 0;
  if (a.kind() != b.kind()) return kNoSuchOverload;
  switch (a.kind()) {
    case Kind::Int:
      return __builtin_add_overflow(a.as_int(), b.as_int(), &sum) ? Value::error("integer overflow")
                                                                  : Value::integer(sum);
    case Kind::Uint:
      return __builtin_add_overflow(a.as_uint(), b.as_uint(), &unsigned_sum)
                 ? Value::error("unsigned integer overflow")
                 : Value::unsigned_integer(unsigned_sum);
    case Kind::Double:
      return Value::number(a.as_double() + b.as_double());
    case Kind::Duration:
      return __builtin_add_overflow(a.nanos(), b.nanos(), &sum) ? Value::error("duration overflow")
                                                                : Value::duration(sum);
    default:
      return kNoSuchOverload;
  }
}

Value sum_from(const Call& call, Value total) {
  const List& list = call[0].as_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    total = add(total, list.at(i));
    if (total.is_error()) return total;
  }
  return total;
}
Value sum_int(const Call& call) { return sum_from(call, Value::integer(0)); }
Value sum_uint(const Call& call) { return sum_from(call, Value::unsigned_integer(0)); }
Value sum_double(const Call& call) { return sum_from(call, Value::number(0)); }
Value sum_duration(const Call& call) { return sum_from(call, Value::duration(0)); }

template <Ordering Replaces>
Value extreme(const Call& call) {
  const List& list = call[0].as_list();
  if (list.size() == 0) {
    return Value::error(Replaces == Ordering::Greater ? "min called on empty list"
                                                      : "max called on empty list");
  }
  Value best = list.at(0);
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Value next = list.at(i);
    const Comparison found = compare(best, next);
    if (found.comparable && found.order == Replaces) best = next;
  }
  return best;
}

Value index_of(const Call& call) {
  const List& list = call[0].as_list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (equal(list.at(i), call[1])) return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}
Value last_index_of(const Call& call) {
  const List& list = call[0].as_list();
  for (std::size_t i = list.size(); i-- > 0;) {
    if (equal(list.at(i), call[1])) return Value::integer(static_cast<std::int64_t>(i));
  }
  return Value::integer(-1);
}

Value slice(const Call& call) {
  const List& list = call[0].as_list();
  const std::int64_t start = call[1].as_int();
  const std::int64_t end = call[2].as_int();
  const std::string what =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return call.fail(what + "negative indexes not supported");
  if (start > end) {
    return call.fail(what + "start index must be less than or equal to end index");
  }
  if (static_cast<std::uint64_t>(end) > list.size()) {
    return call.fail(what + "list is length " + std::to_string(list.size()));
  }
  const std::span<Value> values =
      call.arena.make_array<Value>(static_cast<std::size_t>(end - start));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = list.at(static_cast<std::size_t>(start) + i);
  }
  return Value::list(call.arena.make<ArrayList>(std::span<const Value>(values)));
}

void flatten_into(GrowingList& out, const List& list, std::int64_t depth) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (element.is(Kind::List) && depth > 0) {
      flatten_into(out, element.as_list(), depth - 1);
    } else {
      out.push_back(element);
    }
  }
}
Value flatten(const Call& call) {
  const std::int64_t depth = call.args.size() > 1 ? call[1].as_int() : 1;
  if (depth < 0) return Value::error("level must be non-negative");
  GrowingList* out = call.arena.make<GrowingList>(call.arena);
  flatten_into(*out, call[0].as_list(), depth);
  return Value::list(out);
}

Value reverse(const Call& call) {
  const List& list = call[0].as_list();
  const std::span<Value> values = call.arena.make_array<Value>(list.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = list.at(values.size() - 1 - i);
  return Value::list(call.arena.make<ArrayList>(std::span<const Value>(values)));
}

// The first of each set of equal elements, in their order.
Value distinct(const Call& call) {
  const List& list = call[0].as_list();
  ArrayMap* seen = call.arena.make<ArrayMap>(call.arena);
  GrowingList* out = call.arena.make<GrowingList>(call.arena);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (seen->insert(element, Value())) out->push_back(element);
  }
  return Value::list(out);
}

// 0, 1, … without storing them.
class Range final : public List {
 public:
  explicit Range(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  Value at(std::size_t index) const override {
    return Value::integer(static_cast<std::int64_t>(index));
  }

 private:
  std::size_t size_;
};
Value range(const Call& call) {
  const std::int64_t n = call[0].as_int();
  if (n < 0) {
    return call.fail("lists.range: size must be non-negative, got " + std::to_string(n));
  }
  if (n > kLongestRange) {
    return call.fail("lists.range: size " + std::to_string(n) + " exceeds maximum allowed (" +
                     std::to_string(kLongestRange) + ")");
  }
  return Value::list(call.arena.make<Range>(static_cast<std::size_t>(n)));
}

// The elements of the first list in the order of the keys; equal keys keep their order.
Value sort_by_keys(const Call& call, const List& list, const List& keys) {
  if (list.size() != keys.size()) {
    return call.fail(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got " +
        std::to_string(list.size()) + " and " + std::to_string(keys.size()) +
        " elements respectively");
  }
  if (list.size() == 0) return call[0];
  const Kind kind = keys.at(0).kind();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!compare(keys.at(i), keys.at(i)).comparable) {
      return Value::error("list elements must be comparable");
    }
    if (keys.at(i).kind() != kind) return Value::error("list elements must have the same type");
  }
  std::vector<std::size_t> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return compare(keys.at(a), keys.at(b)).order == Ordering::Less;
  });
  const std::span<Value> values = call.arena.make_array<Value>(list.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = list.at(order[i]);
  return Value::list(call.arena.make<ArrayList>(std::span<const Value>(values)));
}
Value sort(const Call& call) { return sort_by_keys(call, call[0].as_list(), call[0].as_list()); }
Value sort_by(const Call& call) { return sort_by_keys(call, call[0].as_list(), call[1].as_list()); }

Value includes(const Call& call) {
  if (!call[0].is(Kind::List)) return Value::boolean(equal(call[0], call[1]));
  return Value::boolean(contains(call[0].as_list(), call[1]));
}

}  // namespace

#define QUORATE_CEL_COMPARABLE(TYPE)                                                            \
  {"isSorted", "list_" TYPE "_is_sorted_bool", "list(" TYPE ").() bool", is_sorted,             \
   CostRule::ListTraversal},                                                                    \
      {"max", "list_" TYPE "_max_" TYPE, "list(" TYPE ").() " TYPE, extreme<Ordering::Less>,    \
       CostRule::ListTraversal},                                                                \
      {"min", "list_" TYPE "_min_" TYPE, "list(" TYPE ").() " TYPE, extreme<Ordering::Greater>, \
       CostRule::ListTraversal},                                                                \
      {"sort", "list_" TYPE "_sort", "list(" TYPE ").() list(" TYPE ")", sort,                  \
       CostRule::ListSort},                                                                     \
  {                                                                                             \
    "@sortByAssociatedKeys", "list_" TYPE "_sortByAssociatedKeys",                              \
        "list(T).(list(" TYPE ")) list(T)", sort_by, CostRule::ListSortBy                       \
  }
#define QUORATE_CEL_SUMMABLE(TYPE, SUM) \
  { "sum", "list_" TYPE "_sum_" TYPE, "list(" TYPE ").() " TYPE, SUM, CostRule::ListTraversal }

std::span<const Declaration> list_library() {
  static constexpr Declaration kLibrary[] = {
      QUORATE_CEL_COMPARABLE("int"),
      QUORATE_CEL_COMPARABLE("uint"),
      QUORATE_CEL_COMPARABLE("double"),
      QUORATE_CEL_COMPARABLE("bool"),
      QUORATE_CEL_COMPARABLE("duration"),
      QUORATE_CEL_COMPARABLE("timestamp"),
      QUORATE_CEL_COMPARABLE("string"),
      QUORATE_CEL_COMPARABLE("bytes"),
      QUORATE_CEL_SUMMABLE("int", sum_int),
      QUORATE_CEL_SUMMABLE("uint", sum_uint),
      QUORATE_CEL_SUMMABLE("double", sum_double),
      QUORATE_CEL_SUMMABLE("duration", sum_duration),
      {"indexOf", "list_a_index_of_int", "list(A).(A) int", index_of, CostRule::ListTraversal},
      {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) int", last_index_of,
       CostRule::ListTraversal},
      {"slice", "list_slice", "list(T).(int, int) list(T)", slice, CostRule::ListSlice},
      {"flatten", "list_flatten", "list(list(T)).() list(T)", flatten, CostRule::ListFlatten},
      {"flatten", "list_flatten_int", "list(dyn).(int) list(dyn)", flatten, CostRule::ListFlatten},
      {"lists.range", "lists_range", "(int) list(int)", range, CostRule::ListRange},
      {"reverse", "list_reverse", "list(T).() list(T)", reverse, CostRule::ListReverse},
      {"distinct", "list_distinct", "list(T).() list(T)", distinct, CostRule::ListDistinct},
  };
  return kLibrary;
}

#undef QUORATE_CEL_COMPARABLE
#undef QUORATE_CEL_SUMMABLE

std::span<const Declaration> includes_library() {
  static constexpr Declaration kLibrary[] = {
      {"includes", "list_includes_dyn_dyn", "dyn.(dyn) bool", includes, CostRule::Includes},
  };
  return kLibrary;
}

}  // namespace quorate::cel
