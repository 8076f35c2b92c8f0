#include "src/cel/unify.h"

#include <string>

namespace quorate::cel {
namespace {

bool is_variable(const Type& t) { return t.kind == TypeKind::Parameter; }
bool is_wild(const Type& t) { return is_dyn(t) || is_error(t); }

// Types that null may stand for, as the first type checkers had it.
bool nullable(const Type& t) {
  switch (t.kind) {
    case TypeKind::Null:
    case TypeKind::Opaque:
    case TypeKind::Object:
    case TypeKind::Any:
    case TypeKind::Duration:
    case TypeKind::Timestamp:
      return true;
    default:
      return false;
  }
}

bool equal_or_less_specific(const Type& a, const Type& b) {
  if (is_dyn(a) || is_variable(a)) return true;
  if (is_dyn(b) || is_variable(b)) return false;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::Opaque:
    case TypeKind::List:
    case TypeKind::Map:
      if (a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
      for (std::size_t i = 0; i < a.parameters.size(); ++i) {
        if (!equal_or_less_specific(*a.parameters[i], *b.parameters[i])) return false;
      }
      return true;
    case TypeKind::Type:
      return true;
    default:
      return same_type(a, b);
  }
}

}  // namespace

const Type* Unifier::new_variable() {
  return pool_.parameter("_var" + std::to_string(variables_++));
}

const Type* Unifier::instantiate(const Type* type,
                                 std::vector<std::pair<std::string_view, const Type*>>& renamed) {
  if (is_variable(*type)) {
    for (const auto& [name, variable] : renamed) {
      if (name == type->name) return variable;
    }
    return renamed.emplace_back(type->name, new_variable()).second;
  }
  if (type->parameters.empty()) return type;
  std::vector<const Type*> parameters;
  for (const Type* p : type->parameters) parameters.push_back(instantiate(p, renamed));
  switch (type->kind) {
    case TypeKind::List:
      return pool_.list(parameters[0]);
    case TypeKind::Map:
      return pool_.map(parameters[0], parameters[1]);
    case TypeKind::Type:
      return pool_.type_of(parameters[0]);
    default:
      return pool_.opaque(type->name, parameters);
  }
}

const Type* Unifier::find(const Type* variable) const {
  if (!is_variable(*variable)) return nullptr;
  const auto found = bound_.find(variable->name);
  return found == bound_.end() ? nullptr : found->second;
}

void Unifier::set(const Type* variable, const Type* type) {
  trail_.push_back({variable->name, find(variable)});
  bound_[variable->name] = type;
}

void Unifier::undo_to(std::size_t mark) {
  while (trail_.size() > mark) {
    const Change change = trail_.back();
    trail_.pop_back();
    if (change.before == nullptr) {
      bound_.erase(change.variable);
    } else {
      bound_[change.variable] = change.before;
    }
  }
}

bool Unifier::occurs_in(const Type* variable, const Type* within) const {
  if (same_type(*variable, *within)) return true;
  if (is_variable(*within)) {
    const Type* bound = find(within);
    return bound != nullptr && occurs_in(variable, bound);
  }
  for (const Type* p : within->parameters) {
    if (occurs_in(variable, p)) return true;
  }
  return false;
}

const Type* Unifier::most_general(const Type* a, const Type* b) {
  return equal_or_less_specific(*a, *b) ? a : b;
}

Unifier::Substitution Unifier::bind(const Type* a, const Type* variable) {
  if (a->kind == variable->kind && same_type(*a, *variable)) return {true, true};
  if (const Type* bound = find(variable)) {
    if (a->kind == bound->kind && same_type(*a, *bound)) return {true, true};
    if (!unify(a, bound)) return {false, true};
    const Type* general = most_general(a, bound);
    if (!occurs_in(variable, general)) set(variable, general);
    return {true, true};
  }
  if (occurs_in(variable, a)) return {false, false};
  set(variable, a);
  return {true, false};
}

bool Unifier::unify_all(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!unify(a[i], b[i])) return false;
  }
  return true;
}

bool Unifier::unify(const Type* a, const Type* b) {
  if (is_variable(*b)) {
    const Substitution found = bind(a, b);
    if (found.valid) return true;
    if (found.existed) return false;
  }
  if (is_variable(*a)) return bind(b, a).valid;
  if (is_wild(*a) || is_wild(*b)) return true;
  if (a->kind == TypeKind::Null) return nullable(*b);
  if (b->kind == TypeKind::Null) return nullable(*a);
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::Type:
      return true;
    case TypeKind::Opaque:
    case TypeKind::List:
    case TypeKind::Map:
      return a->name == b->name && unify_all(a->parameters, b->parameters);
    default:
      return same_type(*a, *b);
  }
}

bool Unifier::assignable(const Type* a, const Type* b) {
  const std::size_t mark = trail_.size();
  if (unify(a, b)) return true;
  undo_to(mark);
  return false;
}

bool Unifier::assignable(std::span<const Type* const> a, std::span<const Type* const> b) {
  const std::size_t mark = trail_.size();
  if (unify_all(a, b)) return true;
  undo_to(mark);
  return false;
}

const Type* Unifier::substitute(const Type* type, bool free_to_dyn) {
  if (const Type* bound = find(type)) return substitute(bound, free_to_dyn);
  if (is_variable(*type)) return free_to_dyn ? &types::kDyn : type;
  if (type->parameters.empty()) return type;
  bool changed = false;
  std::vector<const Type*> parameters;
  for (const Type* p : type->parameters) {
    parameters.push_back(substitute(p, free_to_dyn));
    changed = changed || parameters.back() != p;
  }
  if (!changed) return type;
  switch (type->kind) {
    case TypeKind::List:
      return pool_.list(parameters[0]);
    case TypeKind::Map:
      return pool_.map(parameters[0], parameters[1]);
    case TypeKind::Type:
      return pool_.type_of(parameters[0]);
    default:
      return pool_.opaque(type->name, parameters);
  }
}

}  // namespace quorate::cel
