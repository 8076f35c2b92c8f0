#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "src/cel/ast.h"
#include "src/cel/function.h"
#include "src/cel/program.h"

namespace quorate::cel {

enum class NodeKind : std::uint8_t {
  Constant,
  Input,      // a variable of the environment, by slot
  Local,      // a variable of a comprehension, by slot
  Bound,      // a cel.bind variable: computed at its first use
  Select,     // args[0].text
  Test,       // has(args[0].text)
  OptSelect,  // args[0].?text
  Index,      // args[0][args[1]]
  OptIndex,   // args[0][?args[1]]
  And,
  Or,
  Conditional,
  NotStrictlyFalse,
  Equals,
  NotEquals,
  InSet,        // args[0] in a literal list: without cost of its own, as cel-go has it
  OrElse,       // optional.or(optional)
  OrValue,      // optional.orValue(value)
  Call,         // the one overload that applies
  CallGuarded,  // the first overload that the values match
  List,
  Map,
  Append,  // adds args[0] to the list that a comprehension makes
  Insert,  // adds an entry to the map that a comprehension makes
  Fold,    // args = {range, initial, condition, step, result}
  Bind,    // args = {result}; what the variable stands for is in its Bound nodes
};

// One step of a program. Nodes lie in the plan's arena, in the order in which they are evaluated
// last to first, and are never destroyed one by one.
struct Node {
  NodeKind kind = NodeKind::Constant;
  CostRule rule = CostRule::Free;
  bool grows = false;          // Fold: the accumulator is a list or map of its own
  bool two_variables = false;  // Fold
  bool stops_early = false;    // Call: arguments behind an error are not evaluated
  bool terse = false;          // Call: does not say what it was called with
  std::uint8_t root_cost = 0;  // Index: of the part of `cost` that is paid without a key
  std::uint32_t slot = 0;      // Input, Local, Bound, Append, Insert; Fold: of its accumulator
  std::uint32_t cost = 0;      // paid whenever the node is evaluated
  std::span<const Node* const> args;
  std::span<const Overload* const> overloads;  // Call: one
  std::span<const bool> optional;              // List, Map
  std::string_view text;                       // field or function name
  Value value;                                 // Constant; InSet: a map of them
  const Prepared* prepared = nullptr;
};

struct Program::Plan {
  std::unique_ptr<Arena> constants;  // owns the source, literals and folded values
  std::unique_ptr<TypePool> types;
  Arena nodes;
  std::vector<std::unique_ptr<Prepared>> prepared;
  std::string_view source;
  const Type* type = nullptr;
  const Node* root = nullptr;
  std::uint32_t slots = 0;
  std::uint64_t cost_limit = 0;
};

// A pattern compiled once, for functions that take one in the argument that this names.
std::unique_ptr<Prepared> prepare_pattern(std::string_view pattern, std::string& fault);
// The argument of `overload` that is a pattern, or -1.
int pattern_argument(const Overload& overload);

}  // namespace quorate::cel
