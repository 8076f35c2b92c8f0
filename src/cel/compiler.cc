#include "src/cel/compiler.h"

#include <algorithm>

#include "src/cel/collections.h"
#include "src/cel/cost.h"
#include "src/cel/matching.h"

namespace quorate::cel {
namespace {

// Selections and what they select from: cel-go resolves a whole chain of them as one attribute.
bool is_attribute(const Node& node) {
  switch (node.kind) {
    case NodeKind::Input:
    case NodeKind::Local:
    case NodeKind::Bound:
    case NodeKind::Select:
    case NodeKind::Test:
    case NodeKind::OptSelect:
    case NodeKind::Index:
    case NodeKind::OptIndex:
    case NodeKind::Conditional:
      return true;
    default:
      return false;
  }
}

bool is_constant(const Node& node) { return node.kind == NodeKind::Constant; }
// A constant to cel-go too; what only we fold still costs.
bool is_free_constant(const Node* node) { return is_constant(*node) && node->cost == 0; }

constexpr bool is_conversion(std::string_view name) {
  return name == "bool" || name == "bytes" || name == "double" || name == "duration" ||
         name == "dyn" || name == "int" || name == "string" || name == "timestamp" ||
         name == "type" || name == "uint";
}

// Calls whose answer may be computed once when their arguments are literals. What they cost is
// still paid at each evaluation.
bool is_foldable(CostRule rule, std::string_view name) {
  return rule == CostRule::Parse || rule == CostRule::Url || name.starts_with("format.") ||
         name == op::kNegate;
}

bool all_keys(const List& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_key(list.at(i))) return false;
  }
  return true;
}

bool uses_dyn(const Type& type) {
  return is_dyn(type) || is_error(type) || type.kind == TypeKind::Parameter ||
         std::ranges::any_of(type.parameters, [](const Type* p) { return uses_dyn(*p); });
}

// Operators and size() look at the kinds of their arguments themselves.
bool looks_itself(std::string_view name) {
  return name.find('_') != std::string_view::npos || name == op::kIn || name == "size";
}

// Whether values of the arguments' static types may not match the one overload that applies.
bool needs_guard(const Expr& e) {
  if (looks_itself(e.name)) return false;
  if (e.overloads.size() != 1) return true;
  return std::ranges::any_of(e.args, [](const Expr* arg) { return uses_dyn(*arg->type); });
}

}  // namespace

Compiler::Compiler(Ast& ast, const Environment& environment)
    : ast_(ast), environment_(environment) {
  plan_->constants = std::move(ast_.constants);
  plan_->types = std::move(ast_.types);
  plan_->source = ast_.source;
  plan_->type = ast_.root->type;
  plan_->cost_limit = environment.cost_limit;
  plan_->slots = static_cast<std::uint32_t>(environment.variables().size());
}

Outcome<Program> Compiler::run() {
  plan_->root = plan(*ast_.root);
  if (!fault_.empty()) return error(Errc::Invalid, "program instantiation failed: " + fault_);
  return Program(std::move(plan_));
}

void Compiler::fail(std::string message) {
  if (fault_.empty()) fault_ = std::move(message);
}

template <class T>
std::span<const T> Compiler::keep(const std::vector<T>& values) {
  const std::span<T> kept = plan_->nodes.make_array<T>(values.size());
  std::copy(values.begin(), values.end(), kept.begin());
  return kept;
}

Node* Compiler::node(NodeKind kind, std::vector<const Node*> args) {
  Node* made = plan_->nodes.make<Node>();
  made->kind = kind;
  made->args = keep(args);
  return made;
}

std::vector<const Node*> Compiler::plan_all(const std::vector<Expr*>& parts) {
  std::vector<const Node*> nodes;
  for (const Expr* part : parts) nodes.push_back(plan(*part));
  return nodes;
}

const Compiler::Local* Compiler::find_local(std::string_view name) const {
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name == name) return &*local;
  }
  return nullptr;
}

const Node* Compiler::literal(Value value, std::uint32_t cost) {
  Node* made = node(NodeKind::Constant);
  made->value = value;
  made->cost = cost;
  return made;
}

const Node* Compiler::plan(const Expr& e) {
  if (const auto found = planned_.find(&e); found != planned_.end()) return found->second;
  const Node* made = plan_once(e);
  planned_.emplace(&e, made);
  return made;
}

const Node* Compiler::plan_once(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Literal:
      return literal(e.literal);
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
    case ExprKind::Comprehension:
      return e.is_bind ? bind(e) : comprehension(e);
    case ExprKind::Struct:
    case ExprKind::Unusable:
      break;
  }
  fail("unusable expression");
  return literal(Value::null());
}

const Node* Compiler::plan_branch(const Expr& e) {
  const Node* planned = plan(e);
  if (!is_attribute(*planned) || planned->kind == NodeKind::Conditional ||
      planned->kind == NodeKind::Test) {
    return planned;
  }
  // The chain is copied down to its root, which is then free.
  Node* top = plan_->nodes.make<Node>(*planned);
  Node* at = top;
  while (at->kind != NodeKind::Input && at->kind != NodeKind::Local &&
         at->kind != NodeKind::Bound && is_attribute(*at->args[0]) &&
         at->args[0]->kind != NodeKind::Conditional) {
    Node* below = plan_->nodes.make<Node>(*at->args[0]);
    std::vector<const Node*> args(at->args.begin(), at->args.end());
    args[0] = below;
    at->args = keep(args);
    at = below;
  }
  if (at->cost > 0) --at->cost;
  return top;
}

const Node* Compiler::ident(const Expr& e) {
  if (e.is_type_name) return literal(e.literal);
  const Local* local = find_local(e.name);
  Node* made = nullptr;
  if (local != nullptr) {
    made = local->bound == nullptr ? node(NodeKind::Local) : node(NodeKind::Bound, {local->bound});
    made->slot = local->slot;
  } else {
    made = node(NodeKind::Input);
    made->slot = static_cast<std::uint32_t>(environment_.find_variable(e.name));
  }
  made->cost = 1;
  return made;
}

// Selecting costs 1. The attribute that begins at the value of a call costs 1 as well; a presence
// test gives that one back.
const Node* Compiler::select(const Expr& e) {
  const Node* operand = plan(*e.args[0]);
  Node* made = node(e.test_only ? NodeKind::Test : NodeKind::Select, {operand});
  made->text = keep_text(e.name);
  const bool attribute = is_attribute(*operand);
  made->cost = e.test_only ? (attribute ? 0 : 1) : (attribute ? 1 : 2);
  return made;
}

const Node* Compiler::index(const Expr& e, NodeKind kind) {
  const Node* operand = plan(*e.args[0]);
  const Node* key = plan(*e.args[1]);
  if (is_free_constant(key) && !is_key(key->value)) {
    fail("invalid qualifier type: " + std::string(type_name(key->value)));
  }
  if (kind == NodeKind::OptIndex && e.name == op::kOptSelect) kind = NodeKind::OptSelect;
  Node* made = node(kind, {operand, key});
  if (kind == NodeKind::OptSelect) made->text = keep_text(key->value.text());
  // A key that is an attribute itself was counted as one already.
  made->root_cost = is_attribute(*operand) ? 0 : 1;
  made->cost = made->root_cost + (is_attribute(*key) ? 0U : 1U);
  return made;
}

const Node* Compiler::call(const Expr& e) {
  if (e.name == op::kAnd) return node(NodeKind::And, plan_all(e.args));
  if (e.name == op::kOr) return node(NodeKind::Or, plan_all(e.args));
  if (e.name == op::kConditional) {
    return node(NodeKind::Conditional,
                {plan(*e.args[0]), plan_branch(*e.args[1]), plan_branch(*e.args[2])});
  }
  if (e.name == op::kIndex) return index(e, NodeKind::Index);
  if (e.name == op::kOptIndex || e.name == op::kOptSelect) return index(e, NodeKind::OptIndex);
  if (e.name == op::kEquals || e.name == op::kNotEquals) {
    const bool equals = e.name == op::kEquals;
    Node* made = node(equals ? NodeKind::Equals : NodeKind::NotEquals, plan_all(e.args));
    // Kubernetes counts == of its own types, not !=.
    made->rule = equals ? CostRule::Equality : CostRule::Order;
    return made;
  }
  if (e.name == op::kNotStrictlyFalse) {
    Node* made = node(NodeKind::NotStrictlyFalse, plan_all(e.args));
    made->cost = 1;
    return made;
  }
  if (e.is_member && e.args.size() == 2 && (e.name == "or" || e.name == "orValue")) {
    return node(e.name == "or" ? NodeKind::OrElse : NodeKind::OrValue, plan_all(e.args));
  }
  if (e.name == op::kAdd || e.name == op::kMapInsert) {
    if (const Node* grown = grow(e)) return grown;
  }
  return function(e);
}

// `@result + [x]` and `cel.@mapInsert(@result, …)` add to what the comprehension alone holds.
const Node* Compiler::grow(const Expr& e) {
  const Expr& target = *e.args[0];
  const Local* local = target.kind == ExprKind::Ident ? find_local(target.name) : nullptr;
  if (local == nullptr || !local->is_grown) return nullptr;
  const auto slot = local->slot;  // planning the parts moves the locals
  const bool inserts = e.name == op::kMapInsert;
  std::vector<const Node*> parts;
  if (inserts) {
    for (std::size_t i = 1; i < e.args.size(); ++i) parts.push_back(plan(*e.args[i]));
  } else {
    const Expr& added = *e.args[1];
    if (added.kind != ExprKind::List || added.args.size() != 1) return nullptr;
    parts.push_back(plan(*added.args[0]));
  }
  Node* made = node(inserts ? NodeKind::Insert : NodeKind::Append, parts);
  made->slot = slot;
  // The accumulator is read, a list of one is made unless it is a literal, and the two are joined.
  made->cost = 2;
  if (!inserts && !is_free_constant(parts[0])) made->cost += kListCost;
  return made;
}

const Node* Compiler::function(const Expr& e) {
  std::vector<const Node*> args = plan_all(e.args);
  const Overload& first = *e.overloads[0];
  const bool single = e.overloads.size() == 1;

  if (single && first.cost == CostRule::InList && is_constant(*args[1]) &&
      args[1]->value.is(Kind::List)) {
    const List& list = args[1]->value.as_list();
    if (list.size() == 0) return literal(Value::boolean(false));
    if (all_keys(list)) {
      ArrayMap* set = plan_->constants->make<ArrayMap>(*plan_->constants);
      for (std::size_t i = 0; i < list.size(); ++i) set->assign(list.at(i), Value());
      Node* made = node(NodeKind::InSet, {args[0]});
      made->value = Value::map(set);
      return made;
    }
  }

  Node* made = node(needs_guard(e) ? NodeKind::CallGuarded : NodeKind::Call, args);
  made->text = first.function;
  made->overloads = keep(std::vector<const Overload*>(e.overloads.begin(), e.overloads.end()));
  made->rule = single ? first.cost : ambiguous(first.cost);
  if (const int at = single ? pattern_argument(first) : -1; at >= 0) {
    const Node& pattern = *args[static_cast<std::size_t>(at)];
    if (is_constant(pattern) && pattern.value.is(Kind::String)) {
      std::string fault;
      plan_->prepared.push_back(prepare_pattern(pattern.value.text(), fault));
      made->prepared = plan_->prepared.back().get();
      if (made->prepared == nullptr) fail(fault);
    }
  }
  made->stops_early = args.size() > 2 || made->prepared != nullptr ||
                      first.cost == CostRule::FormatText || (!single && !looks_itself(e.name));
  made->terse = first.cost == CostRule::Affix || first.cost == CostRule::Contains ||
                first.cost == CostRule::Matches;
  return fold_constant(*made);
}

const Node* Compiler::fold_constant(Node& made) {
  if (!std::ranges::all_of(made.args, [](const Node* arg) { return is_constant(*arg); })) {
    return &made;
  }
  const bool conversion = is_conversion(made.text) && made.args.size() == 1;
  if (!conversion && !is_foldable(made.rule, made.text)) return &made;
  std::vector<Value> values;
  std::uint64_t cost = 0;
  for (const Node* arg : made.args) {
    values.push_back(arg->value);
    cost += arg->cost;
  }
  const Overload* overload = made.overloads[0];
  if (made.kind == NodeKind::CallGuarded) overload = first_match(made.overloads, values);
  const Value value = overload == nullptr
                          ? no_such_overload(*plan_->constants, made.text, values)
                          : overload->implementation(Call{*plan_->constants, values});
  if (conversion && cost == 0) {
    if (value.is_error()) fail(std::string(value.text()));
    return literal(value);
  }
  if (value.is_error()) return &made;
  return literal(value, static_cast<std::uint32_t>(cost + call_cost(made.rule, values, value)));
}

const Node* Compiler::list(const Expr& e) {
  const std::vector<const Node*> parts = plan_all(e.args);
  const bool constant = e.optional.empty() && std::ranges::all_of(parts, is_free_constant);
  if (constant) {
    std::vector<Value> values;
    for (const Node* part : parts) values.push_back(part->value);
    return literal(make_list(*plan_->constants, values));
  }
  Node* made = node(NodeKind::List, parts);
  made->optional = keep(std::vector<bool>(e.optional));
  made->cost = kListCost;
  return made;
}

const Node* Compiler::map(const Expr& e) {
  const std::vector<const Node*> parts = plan_all(e.args);
  const bool constant = e.optional.empty() && std::ranges::all_of(parts, is_free_constant);
  if (constant) {
    ArrayMap* entries = plan_->constants->make<ArrayMap>(*plan_->constants);
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      entries->assign(parts[i]->value, parts[i + 1]->value);
    }
    return literal(Value::map(entries));
  }
  Node* made = node(NodeKind::Map, parts);
  made->optional = keep(std::vector<bool>(e.optional));
  made->cost = kMapCost;
  return made;
}

// The variables of one comprehension have slots of their own, which no other one uses: a bound
// variable may be computed while another comprehension is under way.
const Node* Compiler::comprehension(const Expr& e) {
  const Node* range = plan(*e.args[0]);
  const Node* initial = plan(*e.args[1]);
  const bool grows = e.args[1]->kind == ExprKind::List || e.args[1]->kind == ExprKind::Map;
  const std::uint32_t slot = plan_->slots;
  plan_->slots += 3;
  const std::size_t outer = locals_.size();
  locals_.push_back({e.accumulator, slot, nullptr, grows});
  locals_.push_back({e.first, slot + 1, nullptr, false});
  if (!e.second.empty()) locals_.push_back({e.second, slot + 2, nullptr, false});
  const Node* condition = plan(*e.args[2]);
  const Node* step = plan(*e.args[3]);
  locals_.resize(outer + 1);
  const Node* result = plan(*e.args[4]);
  locals_.resize(outer);

  Node* made = node(NodeKind::Fold, {range, initial, condition, step, result});
  made->slot = slot;
  made->grows = grows;
  made->two_variables = !e.second.empty();
  return made;
}

const Node* Compiler::bind(const Expr& e) {
  const Node* value = plan(*e.args[1]);
  const std::uint32_t slot = plan_->slots++;
  locals_.push_back({e.accumulator, slot, value, false});
  const Node* result = plan(*e.args[4]);
  locals_.pop_back();
  Node* made = node(NodeKind::Bind, {result});
  made->slot = slot;
  return made;
}

}  // namespace quorate::cel
