#include "src/cel/dynamic.h"

#include <limits>

#include "src/base/check.h"
#include "src/cel/collections.h"

namespace quorate::cel {

std::unique_ptr<const Environment> dynamic_environment(
    std::initializer_list<std::string_view> variables) {
  auto environment = std::make_unique<Environment>();
  add_kubernetes_libraries(*environment);
  for (const std::string_view name : variables) environment->add_variable(name, &types::kDyn);
  return environment;
}

void ValueBuilder::add(const Value& value) {
  if (open_.empty()) {
    result_ = value;
  } else if (open_.back().list != nullptr) {
    open_.back().list->push_back(value);
  } else {
    open_.back().map->assign(open_.back().key, value);
  }
}

void ValueBuilder::unsigned_integer(std::uint64_t u) {
  const bool fits = u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  add(fits ? Value::integer(static_cast<std::int64_t>(u)) : Value::unsigned_integer(u));
}

void ValueBuilder::string(std::string_view text) { add(make_string(arena_, text)); }

void ValueBuilder::begin_list() {
  GrowingList* list = arena_.make<GrowingList>(arena_);
  add(Value::list(list));
  open_.push_back({list, nullptr, {}});
}

void ValueBuilder::begin_object() {
  ArrayMap* map = arena_.make<ArrayMap>(arena_);
  add(Value::map(map));
  open_.push_back({nullptr, map, {}});
}

void ValueBuilder::key(std::string_view text) {
  check(!open_.empty() && open_.back().map != nullptr, "a key stands within an object");
  open_.back().key = make_string(arena_, text);
}

void ValueBuilder::end() {
  check(!open_.empty(), "what ends has begun");
  open_.pop_back();
}

}  // namespace quorate::cel
