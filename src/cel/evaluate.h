#pragma once

#include <cstdint>
#include <span>

#include "src/cel/node.h"
#include "src/cel/value.h"

namespace quorate::cel {

// One evaluation under way.
class Evaluation {
 public:
  Evaluation(Arena& arena, std::span<Value> slots, std::uint64_t cost_limit)
      : arena_(arena), slots_(slots), limit_(cost_limit) {}

  // Thrown when the cost exceeds the limit; nothing absorbs that.
  struct TooCostly {};

  Value evaluate(const Node& node);
  std::uint64_t cost() const { return cost_; }

 private:
  void pay(std::uint64_t units) {
    cost_ += units;
    if (cost_ > limit_) [[unlikely]]
      throw TooCostly{};
  }
  Value fail(std::string_view text) const;

  Value bound(const Node& node);
  Value select(const Node& node);
  Value index(const Node& node);
  Value conjunction(const Node& node);
  Value disjunction(const Node& node);
  Value conditional(const Node& node);
  Value equality(const Node& node);
  Value in_set(const Node& node);
  Value or_else(const Node& node);
  Value call(const Node& node);
  Value list(const Node& node);
  Value map(const Node& node);
  Value append(const Node& node);
  Value insert(const Node& node);
  Value fold(const Node& node);
  bool step(const Node& node);

  // What `key` finds in `container`; nullptr: nothing. A fault is an error in `fault`.
  bool find(const Value& container, const Value& key, Value& found, Value& fault) const;
  Value lookup(const Value& container, const Value& key, bool optional) const;

  Arena& arena_;
  std::span<Value> slots_;
  std::uint64_t cost_ = 0;
  const std::uint64_t limit_;
};

}  // namespace quorate::cel
