#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"
#include "src/cel/arena.h"
#include "src/cel/environment.h"
#include "src/cel/value.h"

namespace quorate::cel {

struct Node;

// What an evaluation needs besides its inputs: memory that is used again by the next one. One per
// thread. A result is valid until the next evaluation with the same scratch.
struct Scratch {
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  Arena arena{kMostBytes};
  std::vector<Value> slots;
};

struct Evaluated {
  Value value;             // an error when the expression has none
  std::uint64_t cost = 0;  // in the units of CEL's runtime cost, as Kubernetes counts them
};

// An expression, compiled. Immutable: any number of threads evaluate it at once, each with its own
// scratch.
class Program {
 public:
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // `variables` are the values of the environment's variables, in its order. The inputs outlive the
  // use of the result.
  Evaluated evaluate(std::span<const Value> variables, Scratch& scratch) const;
  Evaluated evaluate(std::span<const Value> variables, Scratch& scratch,
                     std::uint64_t cost_limit) const;

  const Type& type() const;
  std::string_view source() const;

 private:
  friend class Compiler;
  struct Plan;
  explicit Program(std::unique_ptr<Plan> plan);
  std::unique_ptr<Plan> plan_;
};

// Compiles `source`. The environment outlives the program.
// Errors: Invalid - the issues, as cel-go prints them: "ERROR: <input>:1:8: undefined field 'x'
// (in …" with the line and a mark below it.
Outcome<Program> compile(const Environment& environment, std::string_view source);

// The range of what an evaluation may cost, from the types and the sizes they declare.
struct CostEstimate {
  std::uint64_t least = 0;
  std::uint64_t most = 0;  // 2^64-1: no bound is known
};

// As compile(), with the estimate by which the API server refuses expressions.
struct Compiled {
  Program program;
  CostEstimate estimate;
};
Outcome<Compiled> compile_and_estimate(const Environment& environment, std::string_view source);

}  // namespace quorate::cel
