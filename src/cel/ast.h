#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/cel/arena.h"
#include "src/cel/types.h"
#include "src/cel/value.h"

namespace quorate::cel {

struct Overload;

enum class ExprKind : std::uint8_t {
  Literal,
  Ident,
  Select,         // args[0].name; with test_only: has(args[0].name)
  Call,           // name(args…); with is_member args[0] is the receiver
  List,           // [args…]
  Map,            // {args[0]: args[1], args[2]: args[3], …}
  Struct,         // a message literal; no environment of ours declares messages
  Comprehension,  // args = {range, initial accumulator, condition, step, result}
  Unusable,       // stands where parsing failed
};

// One node of the syntax tree, macros expanded. Nodes belong to their Ast; one node may stand in
// two places (`optMap` asks and takes from the same target).
struct Expr {
  ExprKind kind = ExprKind::Unusable;
  std::uint32_t offset = 0;  // of the byte that errors about it point to
  std::uint32_t depth = 0;   // nested operators, calls and selections, as cel-go counts them
  bool test_only = false;
  bool is_member = false;
  std::string_view name;
  std::vector<Expr*> args;
  std::vector<bool> optional;  // List: per element; Map: per entry; empty: none is
  Value literal;

  // Comprehension: the names of its variables; `second` is empty for one-variable ones. With
  // `is_bind` the accumulator is a cel.bind variable.
  std::string_view first, second, accumulator;
  bool is_bind = false;

  // Filled in by the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads;  // of Call: those that may apply
  bool is_type_name = false;               // of Ident: a name of a type; `literal` is that type
};

struct Ast {
  std::unique_ptr<Arena> constants = std::make_unique<Arena>();  // owns the source and literals
  std::string_view source;
  std::deque<Expr> nodes;
  std::deque<std::string> names;
  std::unique_ptr<TypePool> types = std::make_unique<TypePool>();
  Expr* root = nullptr;

  Expr* add(ExprKind kind, std::uint32_t offset) {
    Expr& node = nodes.emplace_back();
    node.kind = kind;
    node.offset = offset;
    return &node;
  }
};

// Names of the functions that stand for operators.
namespace op {
inline constexpr std::string_view kConditional = "_?_:_", kAnd = "_&&_", kOr = "_||_", kNot = "!_",
                                  kEquals = "_==_", kNotEquals = "_!=_", kLess = "_<_",
                                  kLessEquals = "_<=_", kGreater = "_>_", kGreaterEquals = "_>=_",
                                  kIn = "@in", kAdd = "_+_", kSubtract = "_-_", kMultiply = "_*_",
                                  kDivide = "_/_", kModulo = "_%_", kNegate = "-_", kIndex = "_[_]",
                                  kOptIndex = "_[?_]", kOptSelect = "_?._",
                                  kNotStrictlyFalse = "@not_strictly_false",
                                  kMapInsert = "cel.@mapInsert";
}  // namespace op

// The accumulator of macros; no expression can name it.
inline constexpr std::string_view kAccumulator = "@result";
inline constexpr std::string_view kUnusedVariable = "#unused";

}  // namespace quorate::cel
