#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/cel/ast.h"
#include "src/cel/source.h"

namespace quorate::cel {

struct ParseLimits {
  std::size_t most_bytes = 100'000;
  std::uint32_t most_depth = 250;  // nested operators, calls and selections
  std::size_t most_nodes = 100'000;
};

// Reads an expression and expands its macros. The tree is usable when no issue was told. After a
// syntax error nothing more is read; faults of literals, names and macros are all told.
Ast parse(std::string_view source, const ParseLimits& limits, std::vector<Issue>& issues);

}  // namespace quorate::cel
