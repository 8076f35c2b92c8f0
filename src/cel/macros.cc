#include "src/cel/macros.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace quorate::cel {
namespace {

// Builds the nodes that a macro expands to; all stand where the macro's call stands.
class Expander {
 public:
  Expander(Ast& ast, const ParsedCall& call, std::vector<Issue>& issues)
      : ast_(ast), call_(call), issues_(issues) {}

  Expr* has();
  Expr* all(std::size_t variables);
  Expr* exists(std::size_t variables);
  Expr* exists_one(std::size_t variables);
  Expr* map();
  Expr* filter();
  Expr* transform_list();
  Expr* transform_map(bool whole_entries);
  Expr* bind();
  Expr* sort_by();
  Expr* opt_map(bool flat);

 private:
  Expr* node(ExprKind kind) { return ast_.add(kind, call_.offset); }
  Expr* literal(Value value) {
    Expr* e = node(ExprKind::Literal);
    e->literal = value;
    return e;
  }
  Expr* ident(std::string_view name) {
    Expr* e = node(ExprKind::Ident);
    e->name = name;
    return e;
  }
  Expr* accumulator() { return ident(kAccumulator); }
  Expr* call(std::string_view function, std::initializer_list<Expr*> args, bool is_member = false) {
    Expr* e = node(ExprKind::Call);
    e->name = function;
    e->args = args;
    e->is_member = is_member;
    return e;
  }
  Expr* list(std::initializer_list<Expr*> elements) {
    Expr* e = node(ExprKind::List);
    e->args = elements;
    return e;
  }
  Expr* fail(std::uint32_t offset, std::string message) {
    issues_.push_back({offset, std::move(message)});
    return node(ExprKind::Unusable);
  }

  // The first `count` arguments as names of variables; false when they are not usable as such.
  bool take_variables(std::size_t count, std::string_view not_a_name);
  // `depth` is not counted for what a macro makes: cel-go counts what was written.
  Expr* comprehension(Expr* initial, Expr* condition, Expr* step, Expr* result);
  Expr* fold_into_list(std::size_t variables, Expr* condition, Expr* element);
  Expr* opt_condition(Expr* when_present);

  Ast& ast_;
  const ParsedCall& call_;
  std::vector<Issue>& issues_;
  std::string_view first_, second_;
};

bool Expander::take_variables(std::size_t count, std::string_view not_a_name) {
  std::array<std::string_view, 2> names;
  for (std::size_t i = 0; i < count; ++i) {
    const Expr& arg = *call_.args[i];
    if (arg.kind != ExprKind::Ident || arg.name.starts_with('.')) {
      fail(arg.offset, std::string(not_a_name));
      return false;
    }
    if (arg.name == "__result__") {
      fail(arg.offset, "iteration variable overwrites accumulator variable");
      return false;
    }
    names[i] = arg.name;
  }
  if (count == 2 && names[0] == names[1]) {
    fail(call_.args[1]->offset, "duplicate variable name: " + std::string(names[0]));
    return false;
  }
  first_ = names[0];
  second_ = names[1];
  return true;
}

constexpr std::string_view kNotAName = "argument must be a simple name";

Expr* Expander::comprehension(Expr* initial, Expr* condition, Expr* step, Expr* result) {
  Expr* e = node(ExprKind::Comprehension);
  e->first = first_;
  e->second = second_;
  e->accumulator = kAccumulator;
  e->args = {call_.receiver, initial, condition, step, result};
  return e;
}

Expr* Expander::has() {
  Expr* arg = call_.args[0];
  if (arg->kind != ExprKind::Select || arg->test_only) {
    return fail(arg->offset, "invalid argument to has() macro");
  }
  Expr* e = node(ExprKind::Select);
  e->name = arg->name;
  e->args = arg->args;
  e->test_only = true;
  return e;
}

Expr* Expander::all(std::size_t variables) {
  if (!take_variables(variables, kNotAName)) return node(ExprKind::Unusable);
  return comprehension(literal(Value::boolean(true)), call(op::kNotStrictlyFalse, {accumulator()}),
                       call(op::kAnd, {accumulator(), call_.args[variables]}), accumulator());
}

Expr* Expander::exists(std::size_t variables) {
  if (!take_variables(variables, kNotAName)) return node(ExprKind::Unusable);
  return comprehension(literal(Value::boolean(false)),
                       call(op::kNotStrictlyFalse, {call(op::kNot, {accumulator()})}),
                       call(op::kOr, {accumulator(), call_.args[variables]}), accumulator());
}

Expr* Expander::exists_one(std::size_t variables) {
  if (!take_variables(variables, kNotAName)) return node(ExprKind::Unusable);
  return comprehension(
      literal(Value::integer(0)), literal(Value::boolean(true)),
      call(op::kConditional,
           {call_.args[variables], call(op::kAdd, {accumulator(), literal(Value::integer(1))}),
            accumulator()}),
      call(op::kEquals, {accumulator(), literal(Value::integer(1))}));
}

// [] grows by `element` for each item of the range, or for each that meets `condition`.
Expr* Expander::fold_into_list(std::size_t variables, Expr* condition, Expr* element) {
  if (!take_variables(variables, variables == 1 ? "argument is not an identifier" : kNotAName)) {
    return node(ExprKind::Unusable);
  }
  if (element == nullptr) element = ident(first_);
  Expr* step = call(op::kAdd, {accumulator(), list({element})});
  if (condition != nullptr) step = call(op::kConditional, {condition, step, accumulator()});
  return comprehension(list({}), literal(Value::boolean(true)), step, accumulator());
}

Expr* Expander::map() {
  const bool filters = call_.args.size() == 3;
  return fold_into_list(1, filters ? call_.args[1] : nullptr, call_.args.back());
}

Expr* Expander::filter() { return fold_into_list(1, call_.args[1], nullptr); }

Expr* Expander::transform_list() {
  const bool filters = call_.args.size() == 4;
  return fold_into_list(2, filters ? call_.args[2] : nullptr, call_.args.back());
}

Expr* Expander::transform_map(bool whole_entries) {
  if (!take_variables(2, kNotAName)) return node(ExprKind::Unusable);
  Expr* transform = call_.args.back();
  Expr* step = whole_entries ? call(op::kMapInsert, {accumulator(), transform})
                             : call(op::kMapInsert, {accumulator(), ident(first_), transform});
  if (call_.args.size() == 4) {
    step = call(op::kConditional, {call_.args[2], step, accumulator()});
  }
  return comprehension(node(ExprKind::Map), literal(Value::boolean(true)), step, accumulator());
}

Expr* Expander::bind() {
  const Expr& variable = *call_.args[0];
  if (variable.kind != ExprKind::Ident || variable.name.starts_with('.')) {
    return fail(variable.offset, "cel.bind() variable names must be simple identifiers");
  }
  Expr* e = node(ExprKind::Comprehension);
  e->first = kUnusedVariable;
  e->accumulator = variable.name;
  e->is_bind = true;
  e->args = {list({}), call_.args[1], literal(Value::boolean(false)), ident(variable.name),
             call_.args[2]};
  return e;
}

// cel.bind(input, list, input.@sortByAssociatedKeys(input.map(x, key)))
Expr* Expander::sort_by() {
  constexpr std::string_view kInput = "@__sortBy_input__";
  Expr* list_of = call_.receiver;
  switch (list_of->kind) {
    case ExprKind::List:
    case ExprKind::Select:
    case ExprKind::Ident:
    case ExprKind::Comprehension:
    case ExprKind::Call:
      break;
    default:
      return fail(list_of->offset,
                  "sortBy can only be applied to a list, identifier, comprehension, call or select "
                  "expression");
  }
  if (!take_variables(1, kNotAName)) return node(ExprKind::Unusable);
  Expr* keys = comprehension(list({}), literal(Value::boolean(true)),
                             call(op::kAdd, {accumulator(), list({call_.args[1]})}), accumulator());
  keys->args[0] = ident(kInput);
  Expr* e = node(ExprKind::Comprehension);
  e->first = kUnusedVariable;
  e->accumulator = kInput;
  e->is_bind = true;
  e->args = {list({}), list_of, literal(Value::boolean(false)), ident(kInput),
             call("@sortByAssociatedKeys", {ident(kInput), keys}, true)};
  return e;
}

Expr* Expander::opt_condition(Expr* when_present) {
  return call(op::kConditional,
              {call("hasValue", {call_.receiver}, true), when_present, call("optional.none", {})});
}

Expr* Expander::opt_map(bool flat) {
  if (!take_variables(1, "optMap() variable name must be a simple identifier")) {
    return node(ExprKind::Unusable);
  }
  Expr* e = node(ExprKind::Comprehension);
  e->first = kUnusedVariable;
  e->accumulator = first_;
  e->is_bind = true;
  e->args = {list({}), call("value", {call_.receiver}, true), literal(Value::boolean(false)),
             ident(first_), call_.args[1]};
  return opt_condition(flat ? e : call("optional.of", {e}));
}

}  // namespace

Expr* expand_macro(Ast& ast, const ParsedCall& call, std::vector<Issue>& issues) {
  const std::string_view name = call.function;
  const std::size_t count = call.args.size();
  Expander expander(ast, call, issues);
  if (call.receiver == nullptr) return name == "has" && count == 1 ? expander.has() : nullptr;

  const bool plain = count == 2;
  const bool pairs = count == 3;
  if (name == "all" && (plain || pairs)) return expander.all(count - 1);
  if (name == "exists" && (plain || pairs)) return expander.exists(count - 1);
  if ((name == "exists_one" && (plain || pairs)) || (name == "existsOne" && pairs)) {
    return expander.exists_one(count - 1);
  }
  if (name == "map" && (plain || pairs)) return expander.map();
  if (name == "filter" && plain) return expander.filter();
  if (name == "transformList" && (pairs || count == 4)) return expander.transform_list();
  if (name == "transformMap" && (pairs || count == 4)) return expander.transform_map(false);
  if (name == "transformMapEntry" && (pairs || count == 4)) return expander.transform_map(true);
  if (name == "sortBy" && plain) return expander.sort_by();
  if (name == "optMap" && plain) return expander.opt_map(false);
  if (name == "optFlatMap" && plain) return expander.opt_map(true);
  const bool is_cel = call.receiver->kind == ExprKind::Ident && call.receiver->name == "cel";
  if (name == "bind" && pairs && is_cel) return expander.bind();
  return nullptr;
}

}  // namespace quorate::cel
