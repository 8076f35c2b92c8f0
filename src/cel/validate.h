#pragma once

#include <vector>

#include "src/cel/ast.h"
#include "src/cel/source.h"

namespace quorate::cel {

// What Kubernetes refuses in a well-typed expression: literal durations, timestamps, patterns and
// format strings that cannot be used, and list and map literals whose parts differ in type.
void validate(const Ast& ast, std::vector<Issue>& issues);

}  // namespace quorate::cel
