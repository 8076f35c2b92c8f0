#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/cel/ast.h"
#include "src/cel/environment.h"
#include "src/cel/node.h"
#include "src/cel/program.h"

namespace quorate::cel {

// Turns a checked tree into the nodes that are evaluated: names become slots, functions the code
// that they call, and what depends on literals only becomes a value.
class Compiler {
 public:
  Compiler(Ast& ast, const Environment& environment);

  // Errors: Invalid - a literal that cannot be converted ("int('x')"), which cel-go finds here too.
  Outcome<Program> run();

 private:
  struct Local {
    std::string_view name;
    std::uint32_t slot;
    const Node* bound;  // what a cel.bind variable stands for; nullptr: a loop variable
    bool is_grown;      // an accumulator that is a list or map of its own
  };

  const Node* plan(const Expr& e);
  const Node* plan_once(const Expr& e);
  // As the branch of ?:, where cel-go does not count the root of a selection.
  const Node* plan_branch(const Expr& e);
  const Node* literal(Value value, std::uint32_t cost = 0);
  const Node* ident(const Expr& e);
  const Node* select(const Expr& e);
  const Node* call(const Expr& e);
  const Node* index(const Expr& e, NodeKind kind);
  const Node* function(const Expr& e);
  const Node* fold_constant(Node& node);
  const Node* list(const Expr& e);
  const Node* map(const Expr& e);
  const Node* comprehension(const Expr& e);
  const Node* bind(const Expr& e);
  const Node* grow(const Expr& e);

  Node* node(NodeKind kind, std::vector<const Node*> args = {});
  std::vector<const Node*> plan_all(const std::vector<Expr*>& parts);
  template <class T>
  std::span<const T> keep(const std::vector<T>& values);
  std::string_view keep_text(std::string_view text) { return plan_->constants->copy(text); }
  const Local* find_local(std::string_view name) const;
  void fail(std::string message);

  Ast& ast_;
  const Environment& environment_;
  std::unique_ptr<Program::Plan> plan_ = std::make_unique<Program::Plan>();
  std::vector<Local> locals_;
  // A node of the tree that stands in two places is planned once.
  std::unordered_map<const Expr*, const Node*> planned_;
  std::string fault_;
};

}  // namespace quorate::cel
