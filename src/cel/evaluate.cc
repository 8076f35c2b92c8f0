#include "src/cel/evaluate.h"

#include <array>
#include <string>

#include "src/cel/collections.h"
#include "src/cel/cost.h"
#include "src/cel/matching.h"
#include "src/cel/numbers.h"

namespace quorate::cel {
namespace {

constexpr Value kNoSuchOverload = Value::error("no such overload");

// A key as error texts name it.
std::string key_text(const Value& key) {
  switch (key.kind()) {
    case Kind::String:
      return std::string(key.text());
    case Kind::Uint:
      return std::to_string(key.as_uint());
    case Kind::Double:
      return format_double(key.as_double());
    default:
      return to_string(key);
  }
}

// Of an optional selection: what is missing is not counted.
bool is_none(const Value& value) {
  return value.is(Kind::Optional) && value.as_optional() == nullptr;
}

Value wrap(Arena& arena, const Value& value) {
  return value.is_error() ? value : make_optional(arena, value);
}

}  // namespace

Value Evaluation::fail(std::string_view text) const { return make_error(arena_, text); }

Value Evaluation::evaluate(const Node& node) {
  switch (node.kind) {
    case NodeKind::Constant:
      pay(node.cost);
      return node.value;
    case NodeKind::Input:
    case NodeKind::Local:
      pay(node.cost);
      return slots_[node.slot];
    case NodeKind::Bound:
      return bound(node);
    case NodeKind::Select:
    case NodeKind::Test:
    case NodeKind::OptSelect:
      return select(node);
    case NodeKind::Index:
    case NodeKind::OptIndex:
      return index(node);
    case NodeKind::And:
      return conjunction(node);
    case NodeKind::Or:
      return disjunction(node);
    case NodeKind::Conditional:
      return conditional(node);
    case NodeKind::NotStrictlyFalse: {
      const Value value = evaluate(*node.args[0]);
      pay(node.cost);
      return Value::boolean(!value.is_false());
    }
    case NodeKind::Equals:
    case NodeKind::NotEquals:
      return equality(node);
    case NodeKind::InSet:
      return in_set(node);
    case NodeKind::OrElse:
    case NodeKind::OrValue:
      return or_else(node);
    case NodeKind::Call:
    case NodeKind::CallGuarded:
      return call(node);
    case NodeKind::List:
      return list(node);
    case NodeKind::Map:
      return map(node);
    case NodeKind::Append:
      return append(node);
    case NodeKind::Insert:
      return insert(node);
    case NodeKind::Fold:
      return fold(node);
    case NodeKind::Bind:
      slots_[node.slot] = Value::error({});  // not computed yet
      return evaluate(*node.args[0]);
  }
  return kNoSuchOverload;
}

// An error without a text marks a variable that nobody has asked for yet.
Value Evaluation::bound(const Node& node) {
  Value& slot = slots_[node.slot];
  if (slot.is_error() && slot.text().data() == nullptr) {
    const Value value = evaluate(*node.args[0]);
    slots_[node.slot] = value;
  }
  pay(node.cost);
  return slots_[node.slot];
}

bool Evaluation::find(const Value& container, const Value& key, Value& found, Value& fault) const {
  if (container.is(Kind::Map)) {
    const Value* value = container.as_map().find(key);
    if (value != nullptr) found = *value;
    return value != nullptr;
  }
  if (container.is(Kind::List)) {
    const List& elements = container.as_list();
    std::int64_t position = -1;
    switch (key.kind()) {
      case Kind::Int:
        position = key.as_int();
        break;
      case Kind::Uint:
        position = key.as_uint() > elements.size() ? -1 : static_cast<std::int64_t>(key.as_uint());
        break;
      case Kind::Double:
        if (!whole_int(key.as_double(), position)) {
          fault = fail("unsupported index value " + key_text(key) + " in list");
          return false;
        }
        break;
      default:
        fault = fail("unsupported index type '" + std::string(type_name(key)) + "' in list");
        return false;
    }
    if (position < 0 || static_cast<std::uint64_t>(position) >= elements.size()) return false;
    found = elements.at(static_cast<std::size_t>(position));
    return true;
  }
  return false;
}

// `optional`: what is missing is optional.none(), and what is there is optional.of().
Value Evaluation::lookup(const Value& container, const Value& key, bool optional) const {
  Value found;
  Value fault;
  if (container.is(Kind::Optional)) {
    const Value* inner = container.as_optional();
    if (inner == nullptr) return container;
    return lookup(*inner, key, true);
  }
  if (find(container, key, found, fault)) return optional ? wrap(arena_, found) : found;
  if (fault.is_error()) return fault;
  if (optional) return Value::optional(nullptr);
  if (container.is(Kind::List)) return fail("index out of bounds: " + key_text(key));
  return fail("no such key: " + key_text(key));
}

Value Evaluation::select(const Node& node) {
  const Value operand = evaluate(*node.args[0]);
  if (operand.is_error()) {
    // The attribute that begins at a call is counted even where it has no value.
    if (node.kind != NodeKind::Test) pay(node.cost - 1);
    if (node.kind == NodeKind::Test && node.cost == 0) --cost_;
    return operand;
  }
  const Value key = Value::string(node.text);
  if (node.kind != NodeKind::Test) {
    const Value found = lookup(operand, key, node.kind == NodeKind::OptSelect);
    const bool optional = node.kind == NodeKind::OptSelect || operand.is(Kind::Optional);
    pay(node.cost - (optional && is_none(found) ? 1 : 0));
    return found;
  }
  pay(node.cost);
  const Value present = lookup(operand, key, true);
  return present.is_error() ? present : Value::boolean(present.as_optional() != nullptr);
}

Value Evaluation::index(const Node& node) {
  const Value operand = evaluate(*node.args[0]);
  if (operand.is_error()) {
    pay(node.root_cost);
    return operand;
  }
  const Value key = evaluate(*node.args[1]);
  if (key.is_error()) {
    pay(node.kind == NodeKind::OptIndex ? node.root_cost : node.cost);
    return key;
  }
  Value found;
  if (operand.is(Kind::Map) && !is_key(key)) {
    found = fail("unsupported key type: " + std::string(type_name(key)));
  } else {
    found = lookup(operand, key, node.kind == NodeKind::OptIndex);
  }
  const bool optional = node.kind == NodeKind::OptIndex || operand.is(Kind::Optional);
  pay(node.cost - (optional && is_none(found) && node.cost > 0 ? 1 : 0));
  return found;
}

Value Evaluation::conjunction(const Node& node) {
  const Value left = evaluate(*node.args[0]);
  if (left.is_false()) return left;
  const Value right = evaluate(*node.args[1]);
  if (right.is_false()) return right;
  if (left.is_error()) return left;
  if (!left.is(Kind::Bool)) return kNoSuchOverload;
  if (right.is_error() || right.is(Kind::Bool)) return right;
  return kNoSuchOverload;
}

Value Evaluation::disjunction(const Node& node) {
  const Value left = evaluate(*node.args[0]);
  if (left.is_true()) return left;
  const Value right = evaluate(*node.args[1]);
  if (right.is_true()) return right;
  if (left.is_error()) return left;
  if (!left.is(Kind::Bool)) return kNoSuchOverload;
  if (right.is_error() || right.is(Kind::Bool)) return right;
  return kNoSuchOverload;
}

Value Evaluation::conditional(const Node& node) {
  const Value condition = evaluate(*node.args[0]);
  if (condition.is_error()) return condition;
  if (!condition.is(Kind::Bool)) return kNoSuchOverload;
  return evaluate(*node.args[condition.as_bool() ? 1 : 2]);
}

Value Evaluation::equality(const Node& node) {
  const std::array<Value, 2> args = {evaluate(*node.args[0]), evaluate(*node.args[1])};
  Value result;
  if (args[0].is_error()) {
    result = args[0];
  } else if (args[1].is_error()) {
    result = args[1];
  } else if (node.kind == NodeKind::Equals && refuses_equality(args[0], args[1])) {
    result = kNoSuchOverload;
  } else {
    result = Value::boolean(equal(args[0], args[1]) == (node.kind == NodeKind::Equals));
  }
  pay(call_cost(node.rule, args, result));
  return result;
}

Value Evaluation::in_set(const Node& node) {
  const Value value = evaluate(*node.args[0]);
  if (value.is_error()) return value;
  return Value::boolean(node.value.as_map().contains(value));
}

Value Evaluation::or_else(const Node& node) {
  const Value first = evaluate(*node.args[0]);
  if (first.is_error()) return first;
  if (!first.is(Kind::Optional)) return kNoSuchOverload;
  if (first.as_optional() == nullptr) return evaluate(*node.args[1]);
  return node.kind == NodeKind::OrElse ? first : *first.as_optional();
}

Value Evaluation::call(const Node& node) {
  constexpr std::size_t kUsual = 4;
  std::array<Value, kUsual> usual;
  const std::size_t count = node.args.size();
  const std::span<Value> args =
      count <= kUsual ? std::span<Value>(usual).first(count) : arena_.make_array<Value>(count);
  const Value* fault = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    args[i] = evaluate(*node.args[i]);
    if (fault == nullptr && args[i].is_error()) {
      fault = &args[i];
      if (node.stops_early && i + 1 < count) return args[i];
    }
  }
  Value result;
  if (fault != nullptr) {
    result = *fault;
  } else {
    const Overload* overload = node.overloads[0];
    if (node.kind == NodeKind::CallGuarded) overload = first_match(node.overloads, args);
    if (overload != nullptr) {
      result = overload->implementation(Call{arena_, args, node.prepared, node.text});
    } else {
      result = node.terse ? kNoSuchOverload : no_such_overload(arena_, node.text, args);
    }
  }
  pay(call_cost(node.rule, args, result));
  return result;
}

Value Evaluation::list(const Node& node) {
  const std::span<Value> values = arena_.make_array<Value>(node.args.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    Value value = evaluate(*node.args[i]);
    if (value.is_error()) {
      pay(node.cost);
      return value;
    }
    if (!node.optional.empty() && node.optional[i]) {
      if (!value.is(Kind::Optional)) {
        return fail("cannot initialize optional list element from non-optional value " +
                    to_string(value));
      }
      if (value.as_optional() == nullptr) continue;
      value = *value.as_optional();
    }
    values[count++] = value;
  }
  pay(node.cost);
  return Value::list(arena_.make<ArrayList>(std::span<const Value>(values.first(count))));
}

Value Evaluation::map(const Node& node) {
  ArrayMap* entries = arena_.make<ArrayMap>(arena_);
  for (std::size_t i = 0; i < node.args.size(); i += 2) {
    const Value key = evaluate(*node.args[i]);
    Value value = key.is_error() ? key : evaluate(*node.args[i + 1]);
    if (value.is_error()) {
      pay(node.cost);
      return value;
    }
    if (!node.optional.empty() && node.optional[i / 2]) {
      if (!value.is(Kind::Optional)) {
        return fail("cannot initialize optional entry '" + key_text(key) +
                    "' from non-optional value " + to_string(value));
      }
      if (value.as_optional() == nullptr) continue;
      value = *value.as_optional();
    }
    entries->assign(key, value);
  }
  pay(node.cost);
  return Value::map(entries);
}

// The accumulator's slot holds a list or map that this evaluation alone knows.
Value Evaluation::append(const Node& node) {
  const Value element = evaluate(*node.args[0]);
  pay(node.cost);
  if (element.is_error()) return element;
  const Value accumulator = slots_[node.slot];
  if (accumulator.is_error()) return accumulator;
  auto& list = const_cast<GrowingList&>(  // NOLINT: made by fold() below
      static_cast<const GrowingList&>(accumulator.as_list()));
  list.push_back(element);
  return accumulator;
}

Value Evaluation::insert(const Node& node) {
  const Value accumulator = slots_[node.slot];
  const bool pairs = node.args.size() > 1;
  pay(1);  // reading the accumulator
  if (pairs && accumulator.is_error()) return accumulator;
  const Value first = evaluate(*node.args[0]);
  if (pairs && first.is_error()) return first;
  const Value second = pairs ? evaluate(*node.args[1]) : Value();
  pay(1);
  if (accumulator.is_error()) return accumulator;
  if (first.is_error()) return first;
  if (second.is_error()) return second;
  auto& map = const_cast<ArrayMap&>(  // NOLINT: made by fold() below
      static_cast<const ArrayMap&>(accumulator.as_map()));
  const auto add = [&](const Value& key, const Value& value) {
    return map.insert(key, value) ? accumulator
                                  : fail("insert failed: key " + key_text(key) + " already exists");
  };
  if (pairs) return add(first, second);
  if (!first.is(Kind::Map)) return kNoSuchOverload;
  const Map& entries = first.as_map();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto [key, value] = entries.entry(i);
    if (const Value added = add(key, value); added.is_error()) return added;
  }
  return accumulator;
}

bool Evaluation::step(const Node& node) {
  const Value condition = evaluate(*node.args[2]);
  if (condition.is(Kind::Bool) && !condition.as_bool()) return false;
  const Value next = evaluate(*node.args[3]);
  slots_[node.slot] = next;
  return true;
}

Value Evaluation::fold(const Node& node) {
  const Value range = evaluate(*node.args[0]);
  if (range.is_error()) return range;
  if (!range.is(Kind::List) && !range.is(Kind::Map)) {
    const std::string name(go_type(range.kind()));
    if (node.two_variables) return fail("unsupported comprehension range type: " + name);
    return fail("got '" + name + "', expected iterable type");
  }
  Value& accumulator = slots_[node.slot];
  if (!node.grows) {
    accumulator = evaluate(*node.args[1]);
  } else if (node.args[1]->value.is(Kind::Map)) {
    accumulator = Value::map(arena_.make<ArrayMap>(arena_));
  } else {
    accumulator = Value::list(arena_.make<GrowingList>(arena_));
  }
  if (range.is(Kind::List)) {
    const List& list = range.as_list();
    const std::size_t size = list.size();
    for (std::size_t i = 0; i < size; ++i) {
      const Value element = list.at(i);
      slots_[node.slot + 1] =
          node.two_variables ? Value::integer(static_cast<std::int64_t>(i)) : element;
      if (node.two_variables) slots_[node.slot + 2] = element;
      if (!step(node)) break;
    }
  } else {
    const Map& map = range.as_map();
    const std::size_t size = map.size();
    for (std::size_t i = 0; i < size; ++i) {
      const auto [key, value] = map.entry(i);
      slots_[node.slot + 1] = key;
      if (node.two_variables) slots_[node.slot + 2] = value;
      if (!step(node)) break;
    }
  }
  return evaluate(*node.args[4]);
}

}  // namespace quorate::cel
