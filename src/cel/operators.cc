#include <cmath>
#include <limits>

#include "src/base/exact_quantity.h"
#include "src/cel/ast.h"
#include "src/cel/collections.h"
#include "src/cel/libraries.h"
#include "src/cel/matching.h"
#include "src/cel/times.h"

// Arithmetic, order and the other operators. Ints and uints never wrap: they are an error instead.
namespace quorate::cel {
namespace {

constexpr Value kIntOverflow = Value::error("integer overflow");
constexpr Value kUintOverflow = Value::error("unsigned integer overflow");
constexpr Value kDurationOverflow = Value::error("duration overflow");
constexpr Value kTimestampOverflow = Value::error("timestamp overflow");
constexpr Value kNoSuchOverload = Value::error("no such overload");

Value moment(Int128 seconds, Int128 nanos) {
  seconds += nanos / kNanosPerSecond;
  nanos %= kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --seconds;
  }
  if (seconds < kFirstSecond || seconds > kLastSecond) return kTimestampOverflow;
  return Value::timestamp(static_cast<std::int64_t>(seconds), static_cast<std::uint32_t>(nanos));
}

Value concatenate_text(const Call& call) {
  const std::string_view a = call[0].text();
  const std::string_view b = call[1].text();
  if (a.size() + b.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Value::error("string too long");
  }
  char* bytes = static_cast<char*>(call.arena.allocate(a.size() + b.size() + 1, 1));
  std::copy(a.begin(), a.end(), bytes);
  std::copy(b.begin(), b.end(), bytes + a.size());
  const std::string_view joined(bytes, a.size() + b.size());
  return call[0].is(Kind::String) ? Value::string(joined) : Value::bytes(joined);
}

// Two lists as one. Nothing is copied: joining costs one unit whatever the lengths are.
class Joined final : public List {
 public:
  Joined(const List& first, const List& second)
      : first_(first), second_(second), split_(first.size()), size_(split_ + second.size()) {}
  std::size_t size() const override { return size_; }
  Value at(std::size_t index) const override {
    return index < split_ ? first_.at(index) : second_.at(index - split_);
  }

 private:
  const List& first_;
  const List& second_;
  std::size_t split_;
  std::size_t size_;
};

constexpr std::size_t kLongestList = 10'000'000;

Value concatenate_lists(const Call& call) {
  const List& a = call[0].as_list();
  const List& b = call[1].as_list();
  if (a.size() == 0) return call[1];
  if (b.size() == 0) return call[0];
  if (a.size() + b.size() > kLongestList) return Value::error("list too long");
  return Value::list(call.arena.make<Joined>(a, b));
}

bool has_sum(Kind kind) {
  switch (kind) {
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
    case Kind::Duration:
    case Kind::Timestamp:
    case Kind::String:
    case Kind::Bytes:
    case Kind::List:
      return true;
    default:
      return false;
  }
}
bool has_difference(Kind kind) {
  return is_number(kind) || kind == Kind::Duration || kind == Kind::Timestamp;
}
bool has_order(Kind kind) {
  return kind == Kind::Bool || kind == Kind::String || kind == Kind::Bytes || has_difference(kind);
}

Value add(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (!has_sum(a.kind())) return no_such_operation(call);
  if (a.is(Kind::Timestamp) && b.is(Kind::Duration)) {
    return moment(a.seconds(), Int128{a.subsecond_nanos()} + b.nanos());
  }
  if (a.is(Kind::Duration) && b.is(Kind::Timestamp)) {
    return moment(b.seconds(), Int128{b.subsecond_nanos()} + a.nanos());
  }
  if (a.kind() != b.kind()) return kNoSuchOverload;
  std::int64_t sum = 0;
  std::uint64_t unsigned_sum = 0;
  switch (a.kind()) {
    case Kind::Int:
      return __builtin_add_overflow(a.as_int(), b.as_int(), &sum) ? kIntOverflow
                                                                  : Value::integer(sum);
    case Kind::Uint:
      return __builtin_add_overflow(a.as_uint(), b.as_uint(), &unsigned_sum)
                 ? kUintOverflow
                 : Value::unsigned_integer(unsigned_sum);
    case Kind::Double:
      return Value::number(a.as_double() + b.as_double());
    case Kind::Duration:
      return __builtin_add_overflow(a.nanos(), b.nanos(), &sum) ? kDurationOverflow
                                                                : Value::duration(sum);
    case Kind::String:
    case Kind::Bytes:
      return concatenate_text(call);
    case Kind::List:
      return concatenate_lists(call);
    default:
      return kNoSuchOverload;
  }
}

// The time from b to a.
Value between(const Value& a, const Value& b) {
  const Int128 nanos = (Int128{a.seconds()} - b.seconds()) * kNanosPerSecond +
                       (Int128{a.subsecond_nanos()} - Int128{b.subsecond_nanos()});
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  if (nanos > kMost || nanos < -kMost - 1) return kIntOverflow;
  return Value::duration(static_cast<std::int64_t>(nanos));
}

Value subtract(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (!has_difference(a.kind())) return no_such_operation(call);
  if (a.is(Kind::Timestamp) && b.is(Kind::Duration)) {
    return moment(a.seconds(), Int128{a.subsecond_nanos()} - b.nanos());
  }
  if (a.kind() != b.kind()) return kNoSuchOverload;
  std::int64_t difference = 0;
  std::uint64_t unsigned_difference = 0;
  switch (a.kind()) {
    case Kind::Int:
      return __builtin_sub_overflow(a.as_int(), b.as_int(), &difference)
                 ? kIntOverflow
                 : Value::integer(difference);
    case Kind::Uint:
      return __builtin_sub_overflow(a.as_uint(), b.as_uint(), &unsigned_difference)
                 ? kUintOverflow
                 : Value::unsigned_integer(unsigned_difference);
    case Kind::Double:
      return Value::number(a.as_double() - b.as_double());
    case Kind::Duration:
      return __builtin_sub_overflow(a.nanos(), b.nanos(), &difference)
                 ? kDurationOverflow
                 : Value::duration(difference);
    case Kind::Timestamp:
      return between(a, b);
    default:
      return kNoSuchOverload;
  }
}

Value multiply(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (!is_number(a.kind())) return no_such_operation(call);
  if (a.kind() != b.kind()) return kNoSuchOverload;
  std::int64_t product = 0;
  std::uint64_t unsigned_product = 0;
  switch (a.kind()) {
    case Kind::Int:
      return __builtin_mul_overflow(a.as_int(), b.as_int(), &product) ? kIntOverflow
                                                                      : Value::integer(product);
    case Kind::Uint:
      return __builtin_mul_overflow(a.as_uint(), b.as_uint(), &unsigned_product)
                 ? kUintOverflow
                 : Value::unsigned_integer(unsigned_product);
    case Kind::Double:
      return Value::number(a.as_double() * b.as_double());
    default:
      return kNoSuchOverload;
  }
}

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Value divide(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (!is_number(a.kind())) return no_such_operation(call);
  if (a.kind() != b.kind()) return kNoSuchOverload;
  switch (a.kind()) {
    case Kind::Int:
      if (b.as_int() == 0) return Value::error("division by zero");
      if (a.as_int() == kLeast && b.as_int() == -1) return kIntOverflow;
      return Value::integer(a.as_int() / b.as_int());
    case Kind::Uint:
      if (b.as_uint() == 0) return Value::error("division by zero");
      return Value::unsigned_integer(a.as_uint() / b.as_uint());
    case Kind::Double:
      return Value::number(a.as_double() / b.as_double());
    default:
      return kNoSuchOverload;
  }
}

Value modulo(const Call& call) {
  const Value& a = call[0];
  const Value& b = call[1];
  if (!a.is(Kind::Int) && !a.is(Kind::Uint)) return no_such_operation(call);
  if (a.kind() != b.kind()) return kNoSuchOverload;
  switch (a.kind()) {
    case Kind::Int:
      if (b.as_int() == 0) return Value::error("modulus by zero");
      if (a.as_int() == kLeast && b.as_int() == -1) return kIntOverflow;
      return Value::integer(a.as_int() % b.as_int());
    case Kind::Uint:
      if (b.as_uint() == 0) return Value::error("modulus by zero");
      return Value::unsigned_integer(a.as_uint() % b.as_uint());
    default:
      return kNoSuchOverload;
  }
}

Value negate(const Call& call) {
  const Value& a = call[0];
  switch (a.kind()) {
    case Kind::Int:
      return a.as_int() == kLeast ? kIntOverflow : Value::integer(-a.as_int());
    case Kind::Double:
      return Value::number(-a.as_double());
    case Kind::Duration:
      return a.nanos() == kLeast ? kDurationOverflow : Value::duration(-a.nanos());
    default:
      return kNoSuchOverload;
  }
}

Value logical_not(const Call& call) {
  return call[0].is(Kind::Bool) ? Value::boolean(!call[0].as_bool()) : kNoSuchOverload;
}

template <bool (*Holds)(Ordering)>
Value ordered(const Call& call) {
  if (!has_order(call[0].kind())) return no_such_operation(call);
  const Comparison found = compare(call[0], call[1]);
  if (!found.comparable) return kNoSuchOverload;
  if (found.order == Ordering::Unordered) return Value::error("NaN values cannot be ordered");
  return Value::boolean(Holds(found.order));
}
bool is_less(Ordering o) { return o == Ordering::Less; }
bool is_at_most(Ordering o) { return o != Ordering::Greater; }
bool is_greater(Ordering o) { return o == Ordering::Greater; }
bool is_at_least(Ordering o) { return o != Ordering::Less; }

Value in(const Call& call) {
  if (call[1].is(Kind::List)) return Value::boolean(contains(call[1].as_list(), call[0]));
  if (call[1].is(Kind::Map)) return Value::boolean(call[1].as_map().contains(call[0]));
  return kNoSuchOverload;
}

// Evaluated by nodes of their own; declared here for the checker.
Value special(const Call&) { return kNoSuchOverload; }

}  // namespace

#define QUORATE_CEL_ORDER(NAME, ID, HOLDS)                                                     \
  {NAME, ID "_bool", "(bool, bool) bool", ordered<HOLDS>, CostRule::One},                      \
      {NAME, ID "_int64", "(int, int) bool", ordered<HOLDS>, CostRule::One},                   \
      {NAME, ID "_int64_double", "(int, double) bool", ordered<HOLDS>, CostRule::One},         \
      {NAME, ID "_int64_uint64", "(int, uint) bool", ordered<HOLDS>, CostRule::One},           \
      {NAME, ID "_uint64", "(uint, uint) bool", ordered<HOLDS>, CostRule::One},                \
      {NAME, ID "_uint64_double", "(uint, double) bool", ordered<HOLDS>, CostRule::One},       \
      {NAME, ID "_uint64_int64", "(uint, int) bool", ordered<HOLDS>, CostRule::One},           \
      {NAME, ID "_double", "(double, double) bool", ordered<HOLDS>, CostRule::One},            \
      {NAME, ID "_double_int64", "(double, int) bool", ordered<HOLDS>, CostRule::One},         \
      {NAME, ID "_double_uint64", "(double, uint) bool", ordered<HOLDS>, CostRule::One},       \
      {NAME, ID "_string", "(string, string) bool", ordered<HOLDS>, CostRule::Order},          \
      {NAME, ID "_bytes", "(bytes, bytes) bool", ordered<HOLDS>, CostRule::Order},             \
      {NAME, ID "_timestamp", "(timestamp, timestamp) bool", ordered<HOLDS>, CostRule::One}, { \
    NAME, ID "_duration", "(duration, duration) bool", ordered<HOLDS>, CostRule::One           \
  }

std::span<const Declaration> operator_library() {
  static constexpr Declaration kLibrary[] = {
      {op::kConditional, "conditional", "(bool, A, A) A", special, CostRule::Choice},
      {op::kAnd, "logical_and", "(bool, bool) bool", special, CostRule::Logical},
      {op::kOr, "logical_or", "(bool, bool) bool", special, CostRule::Logical},
      {op::kNot, "logical_not", "(bool) bool", logical_not},
      {op::kNotStrictlyFalse, "not_strictly_false", "(bool) bool", special},
      {op::kEquals, "equals", "(A, A) bool", special, CostRule::Equality},
      {op::kNotEquals, "not_equals", "(A, A) bool", special, CostRule::Order},
      {op::kAdd, "add_bytes", "(bytes, bytes) bytes", add, CostRule::Concat},
      {op::kAdd, "add_double", "(double, double) double", add},
      {op::kAdd, "add_duration_duration", "(duration, duration) duration", add},
      {op::kAdd, "add_duration_timestamp", "(duration, timestamp) timestamp", add},
      {op::kAdd, "add_timestamp_duration", "(timestamp, duration) timestamp", add},
      {op::kAdd, "add_int64", "(int, int) int", add},
      {op::kAdd, "add_list", "(list(A), list(A)) list(A)", add, CostRule::ConcatLists},
      {op::kAdd, "add_string", "(string, string) string", add, CostRule::Concat},
      {op::kAdd, "add_uint64", "(uint, uint) uint", add},
      {op::kDivide, "divide_double", "(double, double) double", divide},
      {op::kDivide, "divide_int64", "(int, int) int", divide},
      {op::kDivide, "divide_uint64", "(uint, uint) uint", divide},
      {op::kModulo, "modulo_int64", "(int, int) int", modulo},
      {op::kModulo, "modulo_uint64", "(uint, uint) uint", modulo},
      {op::kMultiply, "multiply_double", "(double, double) double", multiply},
      {op::kMultiply, "multiply_int64", "(int, int) int", multiply},
      {op::kMultiply, "multiply_uint64", "(uint, uint) uint", multiply},
      {op::kNegate, "negate_double", "(double) double", negate},
      {op::kNegate, "negate_int64", "(int) int", negate},
      {op::kSubtract, "subtract_double", "(double, double) double", subtract},
      {op::kSubtract, "subtract_duration_duration", "(duration, duration) duration", subtract},
      {op::kSubtract, "subtract_int64", "(int, int) int", subtract},
      {op::kSubtract, "subtract_timestamp_duration", "(timestamp, duration) timestamp", subtract},
      {op::kSubtract, "subtract_timestamp_timestamp", "(timestamp, timestamp) duration", subtract},
      {op::kSubtract, "subtract_uint64", "(uint, uint) uint", subtract},
      QUORATE_CEL_ORDER(op::kLess, "less", is_less),
      QUORATE_CEL_ORDER(op::kLessEquals, "less_equals", is_at_most),
      QUORATE_CEL_ORDER(op::kGreater, "greater", is_greater),
      QUORATE_CEL_ORDER(op::kGreaterEquals, "greater_equals", is_at_least),
      {op::kIndex, "index_list", "(list(A), int) A", special, CostRule::Index},
      {op::kIndex, "index_map", "(map(A, B), A) B", special, CostRule::Index},
      {op::kIndex, "optional_list_index_int", "(optional(list(V)), int) optional(V)", special,
       CostRule::Index},
      {op::kIndex, "optional_map_index_value", "(optional(map(K, V)), K) optional(V)", special,
       CostRule::Index},
      {op::kOptIndex, "list_optindex_optional_int", "(list(V), int) optional(V)", special,
       CostRule::Index},
      {op::kOptIndex, "optional_list_optindex_optional_int", "(optional(list(V)), int) optional(V)",
       special, CostRule::Index},
      {op::kOptIndex, "map_optindex_optional_value", "(map(K, V), K) optional(V)", special,
       CostRule::Index},
      {op::kOptIndex, "optional_map_optindex_optional_value",
       "(optional(map(K, V)), K) optional(V)", special, CostRule::Index},
      {op::kOptSelect, "select_optional_field", "(dyn, string) optional(V)", special,
       CostRule::Index},
      {op::kIn, "in_list", "(A, list(A)) bool", in, CostRule::InList},
      {op::kIn, "in_map", "(A, map(A, B)) bool", in},
  };
  return kLibrary;
}

#undef QUORATE_CEL_ORDER

}  // namespace quorate::cel
