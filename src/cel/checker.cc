#include "src/cel/checker.h"

#include <string>
#include <utility>

#include "src/cel/unify.h"

namespace quorate::cel {
namespace {

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, std::vector<Issue>& issues)
      : ast_(ast), environment_(environment), issues_(issues), unifier_(*ast.types) {}

  void run() {
    check(*ast_.root);
    for (Expr& e : ast_.nodes) {
      if (e.type != nullptr) e.type = unifier_.substitute(e.type, true);
    }
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void tell(const Expr& at, std::string message) {
    issues_.push_back({at.offset, std::move(message)});
  }
  static std::string quoted(const Type& type) { return "'" + format_type(type) + "'"; }

  const Type* check(Expr& e) {
    if (e.type == nullptr) e.type = type_of(e);
    return e.type;
  }
  const Type* type_of(Expr& e);
  const Type* literal(const Expr& e);
  const Type* ident(Expr& e);
  const Type* select(Expr& e);
  const Type* field(const Expr& at, Expr& operand, std::string_view name, bool optional);
  const Type* call(Expr& e);
  const Type* optional_select(Expr& e);
  const Type* resolve(Expr& e, std::span<const Overload> overloads);
  const Type* logical(Expr& e, const Overload& overload);
  const Type* list(Expr& e);
  const Type* map(Expr& e);
  const Type* comprehension(Expr& e);
  const Type* join(const Type* previous, const Type* current);
  const Type* unwrap_element(const Expr& at, const Type* type);

  const Type* find_local(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return local->type;
    }
    return nullptr;
  }
  bool name_to_reference(Expr& e, std::string_view name);
  const Type* undeclared(const Expr& e, std::string_view name) {
    tell(e, "undeclared reference to '" + std::string(name) + "' (in container '')");
    return &types::kError;
  }

  Ast& ast_;
  const Environment& environment_;
  std::vector<Issue>& issues_;
  Unifier unifier_;
  std::vector<Local> locals_;
};

const Type* Checker::literal(const Expr& e) {
  switch (e.literal.kind()) {
    case Kind::Null:
      return &types::kNull;
    case Kind::Bool:
      return &types::kBool;
    case Kind::Int:
      return &types::kInt;
    case Kind::Uint:
      return &types::kUint;
    case Kind::Double:
      return &types::kDouble;
    case Kind::String:
      return &types::kString;
    case Kind::Bytes:
      return &types::kBytes;
    default:
      return &types::kError;
  }
}

const Type* Checker::type_of(Expr& e) {
  switch (e.kind) {
    case ExprKind::Literal:
      return literal(e);
    case ExprKind::Ident:
      return ident(e);
    case ExprKind::Select:
      return select(e);
    case ExprKind::Call:
      return call(e);
    case ExprKind::List:
      return list(e);
    case ExprKind::Map:
      return map(e);
    case ExprKind::Struct:
      return undeclared(e, e.name);
    case ExprKind::Comprehension:
      return comprehension(e);
    case ExprKind::Unusable:
      return &types::kError;
  }
  return &types::kError;
}

// Makes `e` a reference to the variable or type of that name; false: there is none.
bool Checker::name_to_reference(Expr& e, std::string_view name) {
  const bool rooted = name.starts_with('.');
  if (rooted) name.remove_prefix(1);
  const Type* type = rooted ? nullptr : find_local(name);
  if (type == nullptr) {
    if (const int index = environment_.find_variable(name); index >= 0) {
      type = environment_.variables()[static_cast<std::size_t>(index)].type;
    } else if (const Type* named = environment_.find_type_name(name)) {
      e.is_type_name = true;
      e.literal = Value::type(named);
      type = ast_.types->type_of(named);
    }
  }
  if (type == nullptr) return false;
  e.kind = ExprKind::Ident;
  e.name = name;
  e.type = type;
  return true;
}

const Type* Checker::ident(Expr& e) {
  return name_to_reference(e, e.name) ? e.type : undeclared(e, e.name);
}

// "a.b.c" when a selection is nothing but names.
std::string qualified_name(const Expr& e) {
  if (e.kind == ExprKind::Ident) return std::string(e.name);
  if (e.kind != ExprKind::Select || e.test_only) return {};
  std::string prefix = qualified_name(*e.args[0]);
  return prefix.empty() ? prefix : prefix + '.' + std::string(e.name);
}

const Type* Checker::select(Expr& e) {
  if (std::string name = qualified_name(e);
      !name.empty() && find_local(name.substr(0, name.find('.'))) == nullptr) {
    if (name_to_reference(e, ast_.names.emplace_back(std::move(name)))) {
      e.args.clear();
      return e.type;
    }
    ast_.names.pop_back();
  }
  const Type* result = field(e, *e.args[0], e.name, false);
  return e.test_only ? &types::kBool : unifier_.substitute(result);
}

const Type* Checker::field(const Expr& at, Expr& operand, std::string_view name, bool optional) {
  const Type* target = unifier_.substitute(check(operand));
  const bool from_optional = is_optional(*target);
  if (from_optional) target = target->parameters[0];

  const Type* result = &types::kDyn;
  switch (target->kind) {
    case TypeKind::Map:
      result = target->parameters[1];
      break;
    case TypeKind::Object:
      result = environment_.find_field(target->name, name);
      if (result == nullptr) {
        tell(at, environment_.has_fields(target->name)
                     ? "undefined field '" + std::string(name) + "'"
                     : "unexpected failed resolution of '" + std::string(target->name) + "'");
        result = &types::kError;
      }
      break;
    case TypeKind::Parameter:
      unifier_.assignable(&types::kDyn, target);
      break;
    case TypeKind::Dyn:
    case TypeKind::Any:
    case TypeKind::Error:
      break;
    default:
      tell(at, "type " + quoted(*target) + " does not support field selection");
  }
  return from_optional || optional ? ast_.types->optional(result) : result;
}

const Type* Checker::optional_select(Expr& e) {
  e.args[1]->type = &types::kString;
  const std::span<const Overload> overloads = environment_.find_function(op::kOptSelect);
  for (const Overload& overload : overloads) e.overloads.push_back(&overload);
  return unifier_.substitute(field(e, *e.args[0], e.args[1]->literal.text(), true));
}

const Type* Checker::call(Expr& e) {
  if (e.name == op::kOptSelect) return optional_select(e);
  const std::size_t first = e.is_member ? 1 : 0;
  for (std::size_t i = first; i < e.args.size(); ++i) check(*e.args[i]);

  if (e.is_member) {
    // `a.b.f(x)` may be the function a.b.f.
    if (std::string prefix = qualified_name(*e.args[0]); !prefix.empty()) {
      const std::string name = prefix + '.' + std::string(e.name);
      const std::string_view bare = std::string_view(name).substr(name.starts_with('.') ? 1 : 0);
      const std::span<const Overload> overloads = environment_.find_function(bare);
      if (!overloads.empty()) {
        e.is_member = false;
        e.args.erase(e.args.begin());
        e.name = overloads[0].function;
        return resolve(e, overloads);
      }
    }
    check(*e.args[0]);
  } else if (e.name.starts_with('.')) {
    e.name.remove_prefix(1);
  }
  const std::span<const Overload> overloads = environment_.find_function(e.name);
  return overloads.empty() ? undeclared(e, e.name) : resolve(e, overloads);
}

// && and || tell which side is not bool.
const Type* Checker::logical(Expr& e, const Overload& overload) {
  e.overloads = {&overload};
  const Type* result = &types::kBool;
  for (const Expr* arg : e.args) {
    if (unifier_.assignable(arg->type, &types::kBool)) continue;
    tell(*arg, "expected type 'bool' but found " + quoted(*arg->type));
    result = &types::kError;
  }
  return result;
}

const Type* Checker::resolve(Expr& e, std::span<const Overload> overloads) {
  if (e.name == op::kAnd || e.name == op::kOr) return logical(e, overloads[0]);
  std::vector<const Type*> given;
  for (const Expr* arg : e.args) given.push_back(arg->type);

  const Type* result = nullptr;
  std::vector<std::pair<std::string_view, const Type*>> renamed;
  for (const Overload& overload : overloads) {
    if (overload.is_member != e.is_member || overload.args.size() != given.size()) continue;
    const Type* declared_result = overload.result;
    std::vector<const Type*> declared = overload.args;
    if (overload.is_generic) {
      renamed.clear();
      for (const Type*& arg : declared) arg = unifier_.instantiate(arg, renamed);
      declared_result = unifier_.instantiate(declared_result, renamed);
    }
    if (!unifier_.assignable(given, declared)) continue;
    e.overloads.push_back(&overload);
    const Type* found = unifier_.substitute(declared_result);
    if (result == nullptr) {
      result = found;
    } else if (!is_dyn(*result) && !same_type(*found, *result)) {
      result = &types::kDyn;
    }
  }
  if (result != nullptr) return result;

  std::string signature;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool receiver = e.is_member && i == 0;
    const std::string type = format_type(*unifier_.substitute(given[i], true));
    if (receiver) {
      signature = type + ".(";
      continue;
    }
    if (signature.empty()) signature = "(";
    signature += (signature.back() == '(' ? "" : ", ") + type;
  }
  if (signature.empty()) signature = "(";
  tell(e, "found no matching overload for '" + std::string(e.name) + "' applied to '" + signature +
              ")'");
  return &types::kError;
}

// Mixed literals are told by validate(), which knows where they are allowed.
const Type* Checker::join(const Type* previous, const Type* current) {
  if (previous == nullptr) return current;
  if (unifier_.assignable(previous, current)) return Unifier::most_general(previous, current);
  return &types::kDyn;
}

// `[?x]` and `{?k: x}` take optionals.
const Type* Checker::unwrap_element(const Expr& at, const Type* type) {
  if (is_optional(*type)) return type->parameters[0];
  if (!is_dyn(*type)) {
    tell(at,
         "expected type " + quoted(*ast_.types->optional(type)) + " but found " + quoted(*type));
  }
  return type;
}

const Type* Checker::list(Expr& e) {
  const Type* element = nullptr;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    const Type* type = check(*e.args[i]);
    if (!e.optional.empty() && e.optional[i]) type = unwrap_element(*e.args[i], type);
    element = join(element, type);
  }
  return ast_.types->list(element == nullptr ? unifier_.new_variable() : element);
}

const Type* Checker::map(Expr& e) {
  const Type* key = nullptr;
  const Type* value = nullptr;
  for (std::size_t i = 0; i < e.args.size(); i += 2) {
    key = join(key, check(*e.args[i]));
    const Type* type = check(*e.args[i + 1]);
    if (!e.optional.empty() && e.optional[i / 2]) type = unwrap_element(*e.args[i + 1], type);
    value = join(value, type);
  }
  if (key == nullptr) {
    key = unifier_.new_variable();
    value = unifier_.new_variable();
  }
  return ast_.types->map(key, value);
}

const Type* Checker::comprehension(Expr& e) {
  const Type* range = unifier_.substitute(check(*e.args[0]));
  const Type* accumulator = check(*e.args[1]);
  const bool pairs = !e.second.empty();
  const Type* first = &types::kDyn;
  const Type* second = &types::kDyn;
  switch (range->kind) {
    case TypeKind::List:
      first = pairs ? &types::kInt : range->parameters[0];
      second = range->parameters[0];
      break;
    case TypeKind::Map:
      first = range->parameters[0];
      second = range->parameters[1];
      break;
    case TypeKind::Dyn:
    case TypeKind::Error:
    case TypeKind::Parameter:
      unifier_.assignable(&types::kDyn, range);
      break;
    default:
      tell(*e.args[0], "expression of type " + quoted(*range) +
                           " cannot be range of a comprehension (must be list, map, or dynamic)");
      first = second = &types::kError;
  }
  const std::size_t outer = locals_.size();
  const auto expect = [&](Expr& part, const Type* type) {
    check(part);
    if (unifier_.assignable(type, part.type)) return;
    tell(part, "expected type " + quoted(*unifier_.substitute(type)) + " but found " +
                   quoted(*unifier_.substitute(part.type)));
  };
  locals_.push_back({e.accumulator, accumulator});
  locals_.push_back({e.first, first});
  if (pairs) locals_.push_back({e.second, second});
  expect(*e.args[2], &types::kBool);
  expect(*e.args[3], accumulator);
  locals_.resize(outer + 1);  // the result sees the accumulator only
  check(*e.args[4]);
  locals_.resize(outer);
  return unifier_.substitute(e.args[4]->type);
}

}  // namespace

void check_types(Ast& ast, const Environment& environment, std::vector<Issue>& issues) {
  if (ast.root != nullptr) Checker(ast, environment, issues).run();
}

}  // namespace quorate::cel
