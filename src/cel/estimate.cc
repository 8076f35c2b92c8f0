#include "src/cel/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/cel/cost.h"
#include "src/cel/utf8.h"

namespace quorate::cel {
namespace {

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return b > kUnbounded - a ? kUnbounded : a + b;
}
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}
std::uint64_t scale(std::uint64_t a, double factor) {
  const double product = std::ceil(static_cast<double>(a) * factor);
  return product >= 18446744073709551616.0 ? kUnbounded : static_cast<std::uint64_t>(product);
}

// A range of sizes or of costs.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  static constexpr Range exactly(std::uint64_t n) { return {n, n}; }
  static constexpr Range unknown() { return {0, kUnbounded}; }
  friend Range operator+(Range a, Range b) {
    return {plus(a.least, b.least), plus(a.most, b.most)};
  }
  friend Range operator*(Range a, Range b) {
    return {times(a.least, b.least), times(a.most, b.most)};
  }
  friend Range operator*(Range a, double factor) {
    return {scale(a.least, factor), scale(a.most, factor)};
  }
  friend Range operator|(Range a, Range b) {
    return {std::min(a.least, b.least), std::max(a.most, b.most)};
  }
};

// The sizes of what a list or map holds.
struct Entries {
  bool is_list = false;
  Range key, value;
};

// Where in the declared types a value comes from. A step is a field, or an element of a list or
// map. nullptr: nowhere that is declared.
struct Place {
  const Type* type = nullptr;
  // Below a map whose values are of unknown type, any name leads to such a value again.
  bool is_root = false;
};

struct Local {
  std::string_view name;
  Place place;
  std::optional<Range> size;
  std::optional<Entries> entries;
};

struct CallCost {
  Range cost;
  std::optional<Range> result_size;
};

class Estimator {
 public:
  explicit Estimator(const Environment& environment) : environment_(environment) {}

  Range cost(const Expr& e);

 private:
  Range ident(const Expr& e);
  Range select(const Expr& e);
  Range call(const Expr& e);
  Range list(const Expr& e);
  Range map(const Expr& e);
  Range comprehension(const Expr& e);
  Range bind(const Expr& e);
  CallCost function(const Expr& e, const Overload& overload, Range parts,
                    const std::vector<Range>& costs);
  CallCost search_cost(const Expr& text, const Expr& pattern, Range parts, bool sized);
  CallCost traversal_cost(const Expr& e, CostRule rule, Range parts);
  CallCost replace_cost(const Expr& e, Range parts);
  CallCost split_cost(const Expr& e, Range parts);
  CallCost join_cost(const Expr& e, Range parts);
  CallCost list_cost(const Expr& e, CostRule rule, const Overload& overload, Range parts);

  const Local* find_local(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return &*local;
    }
    return nullptr;
  }
  Place place_of(const Expr& e) const {
    if (e.kind == ExprKind::Ident) {
      if (const Local* local = find_local(e.name)) return local->place;
    }
    const auto found = places_.find(&e);
    return found == places_.end() ? Place() : found->second;
  }
  Place child(const Place& place, std::string_view field) const;
  static Place element(const Place& place) {
    if (place.type == nullptr) return {};
    if (place.type->kind == TypeKind::List) return {place.type->parameters[0], false};
    if (place.type->kind == TypeKind::Map) return {place.type->parameters[1], false};
    return {};
  }
  static Place key(const Place& place) {
    if (place.type == nullptr || place.type->kind != TypeKind::Map) return {};
    return {place.type->parameters[0], false};
  }
  static std::optional<Range> declared_size(const Place& place) {
    if (place.type == nullptr) return std::nullopt;
    return Range{0, place.type->most_elements};
  }
  std::optional<Range> size_of(const Expr& e);
  Range size_or_unknown(const Expr& e) { return size_of(e).value_or(Range::unknown()); }
  std::optional<Entries> entries_of(const Expr& e) const;
  void push_loop_variable(std::string_view name, const Expr& range, bool wants_key);

  const Environment& environment_;
  std::unordered_map<const Expr*, Place> places_;
  std::unordered_map<const Expr*, Range> sizes_;
  std::unordered_map<const Expr*, Entries> entries_;
  std::unordered_map<const Expr*, Range> costs_;
  std::vector<Local> locals_;
};

Place Estimator::child(const Place& place, std::string_view field) const {
  if (place.type == nullptr) return {};
  if (place.type->kind == TypeKind::Object) {
    return {environment_.find_field(place.type->name, field), false};
  }
  // An attribute is found under any name.
  if (place.type->kind == TypeKind::Map && is_dyn(*place.type->parameters[1]))
    return element(place);
  return {};
}

std::optional<Range> literal_size(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Literal:
      switch (e.literal.kind()) {
        case Kind::String:
          return Range::exactly(count_characters(e.literal.text()));
        case Kind::Bytes:
          return Range::exactly(e.literal.text().size());
        default:
          return Range::exactly(1);
      }
    case ExprKind::List:
      return Range::exactly(e.args.size());
    case ExprKind::Map:
      return Range::exactly(e.args.size() / 2);
    default:
      return std::nullopt;
  }
}

bool is_scalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::Bool:
    case TypeKind::Double:
    case TypeKind::Duration:
    case TypeKind::Int:
    case TypeKind::Timestamp:
    case TypeKind::Uint:
      return true;
    default:
      return is_optional(type) && is_scalar(*type.parameters[0]);
  }
}

std::optional<Range> Estimator::size_of(const Expr& e) {
  if (const auto found = sizes_.find(&e); found != sizes_.end()) return found->second;
  if (const std::optional<Range> literal = literal_size(e)) return literal;
  if (const std::optional<Range> declared = declared_size(place_of(e))) {
    sizes_[&e] = *declared;
    return declared;
  }
  if (e.type != nullptr && is_scalar(*e.type)) return Range::exactly(1);
  if (e.kind == ExprKind::Ident) {
    if (const Local* local = find_local(e.name)) return local->size;
  }
  return std::nullopt;
}

std::optional<Entries> Estimator::entries_of(const Expr& e) const {
  if (const auto found = entries_.find(&e); found != entries_.end()) return found->second;
  if (e.kind == ExprKind::Ident) {
    if (const Local* local = find_local(e.name)) return local->entries;
  }
  return std::nullopt;
}

Range Estimator::cost(const Expr& e) {
  // A node that stands in two places costs the same in both: its variables are the same.
  if (const auto found = costs_.find(&e); found != costs_.end()) return found->second;
  Range range;
  switch (e.kind) {
    case ExprKind::Ident:
      range = ident(e);
      break;
    case ExprKind::Select:
      range = select(e);
      break;
    case ExprKind::Call:
      range = call(e);
      break;
    case ExprKind::List:
      range = list(e);
      break;
    case ExprKind::Map:
      range = map(e);
      break;
    case ExprKind::Comprehension:
      range = e.is_bind ? bind(e) : comprehension(e);
      break;
    case ExprKind::Literal:
    case ExprKind::Struct:
    case ExprKind::Unusable:
      break;
  }
  costs_.emplace(&e, range);
  return range;
}

Range Estimator::ident(const Expr& e) {
  if (const Local* local = find_local(e.name)) {
    places_[&e] = local->place;
  } else if (const int index = environment_.find_variable(e.name); index >= 0) {
    places_[&e] = {environment_.variables()[static_cast<std::size_t>(index)].type, true};
  }
  return Range::exactly(1);
}

Range Estimator::select(const Expr& e) {
  Range sum = cost(*e.args[0]);
  if (e.test_only) return sum;
  switch (e.args[0]->type->kind) {
    case TypeKind::Map:
    case TypeKind::Object:
      sum = sum + Range::exactly(1);
      break;
    default:
      break;
  }
  places_[&e] = child(place_of(*e.args[0]), e.name);
  return sum;
}

Range Estimator::list(const Expr& e) {
  Range sum = Range::exactly(kListCost);
  Range size{e.args.empty() ? 0 : kUnbounded, 0};
  for (const Expr* element : e.args) {
    sum = sum + cost(*element);
    size = size | size_or_unknown(*element);
  }
  entries_[&e] = {true, Range::exactly(1), size};
  return sum;
}

Range Estimator::map(const Expr& e) {
  Range sum = Range::exactly(kMapCost);
  const std::uint64_t start = e.args.empty() ? 0 : kUnbounded;
  Range key{start, 0};
  Range value{start, 0};
  for (std::size_t i = 0; i < e.args.size(); i += 2) {
    sum = sum + cost(*e.args[i]) + cost(*e.args[i + 1]);
    key = key | size_or_unknown(*e.args[i]);
    value = value | size_or_unknown(*e.args[i + 1]);
  }
  entries_[&e] = {false, key, value};
  return sum;
}

void Estimator::push_loop_variable(std::string_view name, const Expr& range, bool wants_key) {
  const std::optional<Entries> entries = entries_of(range);
  const bool is_list = entries ? entries->is_list : range.type->kind == TypeKind::List;
  Local local{name, {}, std::nullopt, std::nullopt};
  if (entries) local.size = wants_key ? entries->key : entries->value;
  const Place place = place_of(range);
  if (!wants_key) {
    local.place = element(place);
  } else if (!is_list) {
    local.place = key(place);
  }
  locals_.push_back(local);
}

Range Estimator::comprehension(const Expr& e) {
  const Expr& range = *e.args[0];
  const Expr& initial = *e.args[1];
  Range sum = cost(range) + cost(initial);
  const std::size_t outer = locals_.size();
  // What a macro accumulates comes from nowhere declared.
  locals_.push_back({e.accumulator, {}, size_of(initial), entries_of(initial)});
  if (e.second.empty()) {
    const std::optional<Entries> entries = entries_of(range);
    const bool is_list = entries ? entries->is_list : range.type->kind == TypeKind::List;
    push_loop_variable(e.first, range, !is_list);
  } else {
    push_loop_variable(e.first, range, true);
    push_loop_variable(e.second, range, false);
  }
  const Range condition = cost(*e.args[2]);
  const Range step = cost(*e.args[3]);
  locals_.resize(outer + 1);
  sum = sum + cost(*e.args[4]);
  locals_.resize(outer);

  const Range count = size_or_unknown(range);
  sum = sum + count * (step + condition);
  if (initial.kind == ExprKind::Literal) {
    if (const std::optional<Range> size = size_of(initial)) sizes_[&e] = *size;
  } else if (initial.kind == ExprKind::List || initial.kind == ExprKind::Map) {
    sizes_[&e] = count;
    if (const std::optional<Entries> made = entries_of(*e.args[3])) entries_[&e] = *made;
  }
  return sum;
}

Range Estimator::bind(const Expr& e) {
  Range sum = cost(*e.args[0]) + cost(*e.args[1]);
  locals_.push_back(
      {e.accumulator, place_of(*e.args[1]), size_of(*e.args[1]), entries_of(*e.args[1])});
  sum = sum + cost(*e.args[4]);
  const std::optional<Range> size = size_of(*e.args[4]);
  const std::optional<Entries> entries = entries_of(*e.args[4]);
  locals_.pop_back();
  if (size) sizes_[&e] = *size;
  if (entries) entries_[&e] = *entries;
  return sum;
}

Range Estimator::call(const Expr& e) {
  if (e.name == "dyn") {
    const Range sum = Range::exactly(1) + cost(*e.args[0]);
    if (const auto size = size_of(*e.args[0])) sizes_[&e] = *size;
    if (const auto entries = entries_of(*e.args[0])) entries_[&e] = *entries;
    return sum;
  }
  Range receiver;
  Range parts;
  std::vector<Range> costs;
  for (std::size_t i = 0; i < e.args.size(); ++i) {
    costs.push_back(cost(*e.args[i]));
    if (e.is_member && i == 0) {
      receiver = costs[0];
    } else {
      parts = parts + costs[i];
    }
  }
  if (e.overloads.empty()) return {};
  Range total{kUnbounded, 0};
  std::optional<Range> result;
  const auto join_result = [&](const std::optional<Range>& size) {
    if (size) result = result ? *result | *size : *size;
  };
  for (const Overload* overload : e.overloads) {
    const CallCost found = function(e, *overload, parts, costs);
    total = total | found.cost;
    join_result(found.result_size);
    if (overload->id == "index_list" || overload->id == "index_map") {
      const std::optional<Entries> entries = entries_of(*e.args[0]);
      result = entries ? std::optional(entries->value) : std::nullopt;
      places_[&e] = element(place_of(*e.args[0]));
    }
    if (!result) result = size_of(e);
  }
  if (result) sizes_[&e] = *result;
  return receiver + total;
}

constexpr std::uint64_t kRegexOfFormat = 128;
constexpr std::uint64_t kFormatName = 64;

// The text and pattern of a search: (1 + text) × pattern.
CallCost Estimator::search_cost(const Expr& text, const Expr& pattern, Range parts, bool sized) {
  const Range size = size_or_unknown(text);
  const Range cost = ((size + Range::exactly(1)) * kPerCharacter) *
                     (size_or_unknown(pattern) * kPerPatternCharacter);
  return {cost + parts, sized ? std::optional(Range{0, size.most}) : std::nullopt};
}

CallCost Estimator::traversal_cost(const Expr& e, CostRule rule, Range parts) {
  const Expr& target = *e.args[0];
  const Range size = size_or_unknown(target);
  Range each = Range::exactly(1);
  if (!target.type->parameters.empty()) {
    // The first parameter is what a list holds; texts are walked through as well.
    const Type& held = *target.type->parameters[0];
    if (held.kind == TypeKind::String || held.kind == TypeKind::Bytes) {
      const std::optional<Range> declared = declared_size(element(place_of(target)));
      each = each + declared.value_or(Range::unknown()) * kPerCharacter;
    }
    return {size * each + parts, std::nullopt};
  }
  if (rule == CostRule::Includes) return {size * each + parts, std::nullopt};
  return {size * kPerCharacter + parts, std::nullopt};
}

CallCost Estimator::replace_cost(const Expr& e, Range parts) {
  const Range text = size_or_unknown(*e.args[0]);
  const Range from = size_or_unknown(*e.args[1]);
  const Range to = size_or_unknown(*e.args[2]);
  const auto divide_up = [](std::uint64_t a, std::uint64_t b) {
    const double quotient = std::ceil(static_cast<double>(a) / static_cast<double>(b));
    return quotient >= 18446744073709551616.0 ? kUnbounded : static_cast<std::uint64_t>(quotient);
  };
  Range count;
  Range kept;
  if (from.least == 0) {
    count.most = plus(text.most, 1);
    kept.most = text.most;
  } else if (to.most <= from.least) {
    kept.most = text.most;
  } else {
    count.most = divide_up(text.most, from.least);
  }
  if (from.most == 0) {
    count.least = plus(text.least, 1);
    kept.least = text.least;
  } else if (from.most <= to.least) {
    kept.least = text.least;
  } else {
    count.least = divide_up(text.least, from.most);
  }
  return {text * (2 * kPerCharacter) + parts, count * to + kept};
}

CallCost Estimator::split_cost(const Expr& e, Range parts) {
  const Range text = size_or_unknown(*e.args[0]);
  std::uint64_t most = text.most;
  if (e.args.size() > 2 && e.args[2]->kind == ExprKind::Literal &&
      e.args[2]->literal.is(Kind::Int)) {
    most = static_cast<std::uint64_t>(e.args[2]->literal.as_int());
  }
  return {text * (2 * kPerCharacter) + parts, Range{0, most}};
}

CallCost Estimator::join_cost(const Expr& e, Range parts) {
  const Expr& target = *e.args[0];
  const Range count = size_or_unknown(target);
  Range size;
  if (!target.type->parameters.empty()) {
    const std::optional<Range> declared = declared_size(element(place_of(target)));
    size = count * declared.value_or(Range::unknown());
  }
  if (e.args.size() > 1) {
    const Range separators{count.least > 0 ? count.least - 1 : 0,
                           count.most > 0 ? count.most - 1 : 0};
    size = size + size_or_unknown(*e.args[1]) * separators;
  }
  return {size * kPerCharacter + parts, size};
}

// A literal int as an unsigned number, or `other`.
std::uint64_t literal_number(const Expr& e, std::uint64_t other) {
  if (e.kind != ExprKind::Literal || !e.literal.is(Kind::Int)) return other;
  if (e.literal.as_int() < 0) return 0;
  return static_cast<std::uint64_t>(e.literal.as_int());
}

// Functions that make a list. Their parts are counted by the caller.
CallCost Estimator::list_cost(const Expr& e, CostRule rule, const Overload& overload, Range parts) {
  const Range size = size_or_unknown(*e.args[rule == CostRule::ListSortBy ? 1 : 0]);
  double factor = 1;
  Range made = size;
  switch (rule) {
    case CostRule::ListSlice:
      made = Range::exactly(literal_number(*e.args[2], size.most) - literal_number(*e.args[1], 0));
      break;
    case CostRule::ListRange:
      made = Range::exactly(literal_number(*e.args[0], kUnbounded));
      break;
    case CostRule::ListFlatten:
      if (e.args.size() > 1) factor = static_cast<double>(literal_number(*e.args[1], kUnbounded));
      break;
    case CostRule::ListDistinct:
      factor = 2;
      made = size * size;
      break;
    case CostRule::ListSort:
    case CostRule::ListSortBy: {
      const TypeKind kind =
          overload.args[rule == CostRule::ListSortBy ? 1 : 0]->parameters[0]->kind;
      factor = kind == TypeKind::String || kind == TypeKind::Bytes ? 2 + kPerCharacter : 2;
      made = size * size;
      break;
    }
    default:
      break;
  }
  return {made * factor + Range::exactly(1 + kListCost) + parts, made};
}

CallCost Estimator::function(const Expr& e, const Overload& overload, Range parts,
                             const std::vector<Range>& costs) {
  const CostRule rule = overload.cost;
  const auto size = [&](std::size_t i) { return size_or_unknown(*e.args[i]); };
  const auto simple = [&](Range cost) { return CallCost{cost + parts, std::nullopt}; };
  switch (rule) {
    case CostRule::Logical:
      return {{costs[0].least, plus(costs[0].most, costs[1].most)}, std::nullopt};
    case CostRule::Choice: {
      const std::optional<Entries> yes = entries_of(*e.args[1]);
      const std::optional<Entries> no = entries_of(*e.args[2]);
      if (yes && no) entries_[&e] = {yes->is_list, yes->key | no->key, yes->value | no->value};
      return {costs[0] + (costs[1] | costs[2]), size(1) | size(2)};
    }
    case CostRule::Equality: {
      const Type& left = *e.args[0]->type;
      if (same_type(left, *e.args[1]->type)) {
        if (same_type(left, types::kQuantity) || same_type(left, types::kSemver) ||
            same_type(left, types::kIp) || same_type(left, types::kCidr)) {
          return simple(Range::exactly(1));
        }
        if (same_type(left, types::kFormat)) return simple(Range{1, kFormatName} * kPerCharacter);
        if (same_type(left, types::kUrl)) {
          const std::optional<Range> known = size_of(*e.args[1]);
          return simple(Range{1, known ? known->most : 1} * kPerCharacter);
        }
      }
      [[fallthrough]];
    }
    case CostRule::Order: {
      const std::uint64_t most = std::min(size(0).most, size(1).most);
      return simple(Range{most > 0 ? 1U : 0U, most} * kPerCharacter);
    }
    case CostRule::Concat:
    case CostRule::ConcatLists: {
      const Range made = size(0) + size(1);
      const std::optional<Entries> a = entries_of(*e.args[0]);
      const std::optional<Entries> b = entries_of(*e.args[1]);
      if (a && b) entries_[&e] = {a->is_list, a->key | b->key, a->value | b->value};
      const Range cost = rule == CostRule::Concat ? made * kPerCharacter : Range::exactly(1);
      return {cost + parts, made};
    }
    case CostRule::Affix:
      return simple(size(1) * kPerCharacter);
    case CostRule::ToBytes: {
      const Range text = size(0);
      return {text * kPerCharacter + parts, Range{text.least, text.most * 4}};
    }
    case CostRule::ToText: {
      const Range bytes = size(0);
      return {bytes * kPerCharacter + parts, Range{bytes.least / 4, bytes.most}};
    }
    case CostRule::Quote: {
      const Range text = size(0);
      return {text * kPerCharacter + parts, Range{text.least + 2, text.most * 2 + 2}};
    }
    case CostRule::FormatText:
      return simple(size(0) * kPerCharacter);
    case CostRule::InList:
      return simple(size(1) * 1.0);
    case CostRule::Matches:
      return search_cost(*e.args[0], *e.args[1], parts, false);
    case CostRule::Find:
      return search_cost(*e.args[0], *e.args[1], parts, true);
    case CostRule::Contains:
      return simple((size(0) * kPerCharacter) * (size(1) * kPerCharacter));
    case CostRule::ListTraversal:
    case CostRule::Includes:
      return traversal_cost(e, rule, parts);
    case CostRule::Transform:
    case CostRule::Url:
      return {size(0) * kPerCharacter + parts, size(0)};
    case CostRule::Parse:
      return simple(size(0) * kPerCharacter);
    case CostRule::Replace:
      return replace_cost(e, parts);
    case CostRule::Split:
      return split_cost(e, parts);
    case CostRule::Join:
      return join_cost(e, parts);
    case CostRule::IsCanonical:
      return simple(size(0) * (2 * kPerCharacter));
    case CostRule::ContainsIp:
      return simple(Range{8, 32} * kPerCharacter);
    case CostRule::ContainsIpText:
      return simple(Range{8, 32} * kPerCharacter + size(1) * kPerCharacter);
    case CostRule::ContainsCidr:
    case CostRule::ContainsCidrText: {
      const Range compared =
          Range{8, 32} * kPerCharacter + Range{4, 16} * kPerCharacter + Range::exactly(1);
      return simple(rule == CostRule::ContainsCidr ? compared : compared + size(1) * kPerCharacter);
    }
    case CostRule::Validate:
      return simple((size(1) * kPerCharacter) *
                    (static_cast<double>(kRegexOfFormat) * kPerPatternCharacter));
    case CostRule::SetsOnce:
      return simple(size(0) * size(1) * 1.0 + Range::exactly(1));
    case CostRule::SetsTwice:
      return simple(size(0) * size(1) * 2.0 + Range::exactly(1));
    case CostRule::ListSlice:
    case CostRule::ListRange:
    case CostRule::ListReverse:
    case CostRule::ListFlatten:
    case CostRule::ListDistinct:
    case CostRule::ListSort:
    case CostRule::ListSortBy:
      return list_cost(e, rule, overload, parts);
    case CostRule::One:
    case CostRule::Free:
    case CostRule::Dyn:
    case CostRule::Index:
    case CostRule::CidrIp:
    case CostRule::Accessor:
      break;
  }
  return simple(Range::exactly(1));
}

}  // namespace

CostEstimate estimate_cost(const Ast& ast, const Environment& environment) {
  const Range range = Estimator(environment).cost(*ast.root);
  return {range.least, range.most};
}

}  // namespace quorate::cel
