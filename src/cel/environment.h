#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/cel/function.h"
#include "src/cel/parser.h"
#include "src/cel/types.h"

namespace quorate::cel {

struct Variable {
  std::string_view name;
  const Type* type = nullptr;
};

// What expressions may name: variables, functions, types and their fields, with the limits that
// hold for them. Built once, then shared and never changed.
class Environment {
 public:
  Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Building. Names are copied.
  TypePool& types() { return types_; }
  void add_library(std::span<const Declaration> library);
  void add_variable(std::string_view name, const Type* type);
  void add_field(std::string_view object, std::string_view field, const Type* type);
  void add_type_name(std::string_view name, const Type* type);
  ParseLimits limits;
  std::uint64_t cost_limit = 1'000'000;  // of one evaluation

  // Asking.
  std::span<const Variable> variables() const { return variables_; }
  // The position of a variable, or -1.
  int find_variable(std::string_view name) const;
  // The overloads of a function in their order of declaration; empty: there is no such function.
  std::span<const Overload> find_function(std::string_view name) const;
  // The type that a name stands for as a value ("int" in `type(x) == int`), or nullptr.
  const Type* find_type_name(std::string_view name) const;
  bool has_fields(std::string_view object) const { return fields_.contains(object); }
  const Type* find_field(std::string_view object, std::string_view field) const;

 private:
  const Type* parse_type(std::string_view& text, bool& generic);

  TypePool types_;
  std::vector<Variable> variables_;
  std::map<std::string, std::vector<Overload>, std::less<>> functions_;
  std::map<std::string, const Type*, std::less<>> type_names_;
  std::map<std::string, std::map<std::string, const Type*, std::less<>>, std::less<>> fields_;
};

// The libraries that Kubernetes 1.37 offers to every expression.
void add_kubernetes_libraries(Environment& environment);

}  // namespace quorate::cel
