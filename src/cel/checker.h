#pragma once

#include <vector>

#include "src/cel/ast.h"
#include "src/cel/environment.h"
#include "src/cel/source.h"

namespace quorate::cel {

// Finds the type of every node and the overloads of every call, as cel-go's checker does: by
// unification, with dyn assignable both ways. The tree is usable when no issue was told.
void check_types(Ast& ast, const Environment& environment, std::vector<Issue>& issues);

}  // namespace quorate::cel
