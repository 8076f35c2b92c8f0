#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/cel/types.h"

namespace quorate::cel {

// What type variables stand for, found by making types agree. A failed attempt leaves no trace.
class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  const Type* new_variable();
  // A copy of `type` with new variables in place of its parameters; equal names become one variable
  // as long as `renamed` is the same.
  const Type* instantiate(const Type* type,
                          std::vector<std::pair<std::string_view, const Type*>>& renamed);

  // Whether a value of type `a` can be where `b` is expected.
  bool assignable(const Type* a, const Type* b);
  bool assignable(std::span<const Type* const> a, std::span<const Type* const> b);

  // `type` with variables replaced by what they stand for; free ones by dyn when so asked.
  const Type* substitute(const Type* type, bool free_to_dyn = false);

  static const Type* most_general(const Type* a, const Type* b);

 private:
  bool unify(const Type* a, const Type* b);
  bool unify_all(std::span<const Type* const> a, std::span<const Type* const> b);
  struct Substitution {
    bool valid = false;
    bool existed = false;
  };
  Substitution bind(const Type* a, const Type* variable);
  bool occurs_in(const Type* variable, const Type* within) const;
  const Type* find(const Type* variable) const;
  void set(const Type* variable, const Type* type);
  void undo_to(std::size_t mark);

  struct Change {
    std::string_view variable;
    const Type* before;
  };

  TypePool& pool_;
  std::uint32_t variables_ = 0;
  std::unordered_map<std::string_view, const Type*> bound_;  // looked up only, never listed
  std::vector<Change> trail_;
};

}  // namespace quorate::cel
