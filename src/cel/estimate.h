#pragma once

#include "src/cel/ast.h"
#include "src/cel/environment.h"
#include "src/cel/program.h"

namespace quorate::cel {

// What an evaluation of a checked tree may cost, from literals and the declared sizes of types, by
// the rules of cel-go's checker/cost.go and the Kubernetes estimator: the API server refuses what
// this exceeds.
CostEstimate estimate_cost(const Ast& ast, const Environment& environment);

}  // namespace quorate::cel
