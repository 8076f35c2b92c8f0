#include "src/cel/program.h"

#include <algorithm>
#include <utility>

#include "src/cel/checker.h"
#include "src/cel/compiler.h"
#include "src/cel/estimate.h"
#include "src/cel/evaluate.h"
#include "src/cel/node.h"
#include "src/cel/parser.h"
#include "src/cel/source.h"
#include "src/cel/validate.h"

namespace quorate::cel {

Program::Program(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

const Type& Program::type() const { return *plan_->type; }
std::string_view Program::source() const { return plan_->source; }

Evaluated Program::evaluate(std::span<const Value> variables, Scratch& scratch) const {
  return evaluate(variables, scratch, plan_->cost_limit);
}

Evaluated Program::evaluate(std::span<const Value> variables, Scratch& scratch,
                            std::uint64_t cost_limit) const {
  scratch.arena.reset();
  if (scratch.slots.size() < plan_->slots) scratch.slots.resize(plan_->slots);
  std::copy(variables.begin(), variables.end(), scratch.slots.begin());
  Evaluation evaluation(scratch.arena, scratch.slots, cost_limit);
  try {
    const Value value = evaluation.evaluate(*plan_->root);
    return {value, evaluation.cost()};
  } catch (const ArenaFull&) {
    return {Value::error("operation cancelled: memory limit exceeded"), evaluation.cost()};
  } catch (const Evaluation::TooCostly&) {
    return {Value::error("operation cancelled: actual cost limit exceeded"), evaluation.cost()};
  }
}

namespace {

// Errors: Invalid - the issues, printed.
Outcome<Ast> parse_and_check(const Environment& environment, std::string_view source) {
  std::vector<Issue> issues;
  Ast ast = parse(source, environment.limits, issues);
  if (issues.empty()) check_types(ast, environment, issues);
  if (issues.empty()) validate(ast, issues);
  if (!issues.empty()) return error(Errc::Invalid, format_issues(source, std::move(issues)));
  return ast;
}

}  // namespace

Outcome<Program> compile(const Environment& environment, std::string_view source) {
  Outcome<Ast> ast = parse_and_check(environment, source);
  if (!ast) return tl::unexpected(std::move(ast.error()));
  return Compiler(*ast, environment).run();
}

Outcome<Compiled> compile_and_estimate(const Environment& environment, std::string_view source) {
  Outcome<Ast> ast = parse_and_check(environment, source);
  if (!ast) return tl::unexpected(std::move(ast.error()));
  const CostEstimate estimate = estimate_cost(*ast, environment);
  Outcome<Program> program = Compiler(*ast, environment).run();
  if (!program) return tl::unexpected(std::move(program.error()));
  return Compiled{std::move(*program), estimate};
}

}  // namespace quorate::cel
