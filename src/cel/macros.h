#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cel/ast.h"
#include "src/cel/source.h"

namespace quorate::cel {

// A call as parsed, before it is known whether it is a macro.
struct ParsedCall {
  std::uint32_t offset = 0;
  std::string_view function;
  Expr* receiver = nullptr;  // nullptr: a global call
  std::vector<Expr*> args;
};

// What the call expands to, or nullptr when it is no macro. A malformed use of a macro is told and
// expands to something unusable.
//
// Macros: has; all, exists, exists_one (existsOne), map, filter of one and, where it makes sense,
// two variables; transformList, transformMap, transformMapEntry; cel.bind; optMap, optFlatMap.
Expr* expand_macro(Ast& ast, const ParsedCall& call, std::vector<Issue>& issues);

}  // namespace quorate::cel
