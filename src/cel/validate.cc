#include "src/cel/validate.h"

#include <memory>
#include <string>

#include "src/cel/node.h"
#include "src/cel/string_format.h"
#include "src/cel/times.h"

namespace quorate::cel {
namespace {

bool equivalent(const Type& a, const Type& b) { return same_type(a, b); }

class Validator {
 public:
  explicit Validator(std::vector<Issue>& issues) : issues_(issues) {}

  void visit(const Expr& e, bool within_format) {
    switch (e.kind) {
      case ExprKind::Call:
        call(e);
        break;
      case ExprKind::List:
        if (!within_format) list(e);
        break;
      case ExprKind::Map:
        if (!within_format) map(e);
        break;
      default:
        break;
    }
    within_format = within_format || (e.kind == ExprKind::Call && e.name == "format");
    for (const Expr* part : e.args) visit(*part, within_format);
  }

 private:
  void tell(const Expr& at, std::string message) {
    issues_.push_back({at.offset, std::move(message)});
  }

  void call(const Expr& e) {
    // The first argument behind a receiver, as cel-go looks at it.
    const std::size_t index = e.is_member ? 1 : 0;
    if (e.args.size() <= index) return;
    const Expr& arg = *e.args[index];
    if (e.name == "format" && e.is_member) return format(e, arg);
    if (arg.kind == ExprKind::Literal && arg.literal.is(Kind::Int) && e.name == "timestamp" &&
        (arg.literal.as_int() < kFirstSecond || arg.literal.as_int() > kLastSecond)) {
      return tell(arg, "invalid timestamp argument");
    }
    if (arg.kind != ExprKind::Literal || !arg.literal.is(Kind::String)) return;
    const std::string_view text = arg.literal.text();
    bool good = true;
    if (e.name == "duration") good = parse_go_duration(text).has_value();
    if (e.name == "timestamp") good = parse_timestamp(text).has_value();
    if (e.name == "matches") {
      std::string fault;
      good = prepare_pattern(text, fault) != nullptr;
    }
    if (!good) tell(arg, "invalid " + std::string(e.name) + " argument");
  }

  void format(const Expr& call, const Expr& values) {
    const Expr& text = *call.args[0];
    if (text.kind != ExprKind::Literal || !text.literal.is(Kind::String) ||
        values.kind != ExprKind::List) {
      return;
    }
    std::vector<const Type*> given;
    for (const Expr* value : values.args) given.push_back(value->type);
    if (const std::optional<FormatFault> fault = check_format(text.literal.text(), given)) {
      const Expr& at =
          fault->argument < 0 ? call : *values.args[static_cast<std::size_t>(fault->argument)];
      tell(at, fault->message);
    }
  }

  static const Type& element_type(const Expr& e, bool optional) {
    return optional && !e.type->parameters.empty() ? *e.type->parameters[0] : *e.type;
  }
  void compare(const Expr& at, const Type& expected, const Type& found, bool& told) {
    if (told || equivalent(expected, found)) return;
    told = true;
    tell(at,
         "expected type '" + format_type(expected) + "' but found '" + format_type(found) + "'");
  }

  void list(const Expr& e) {
    bool told = false;
    const auto type = [&](std::size_t i) -> const Type& {
      return element_type(*e.args[i], !e.optional.empty() && e.optional[i]);
    };
    for (std::size_t i = 1; i < e.args.size(); ++i) compare(*e.args[i], type(0), type(i), told);
  }

  void map(const Expr& e) {
    const auto type = [&](std::size_t i) -> const Type& {
      return element_type(*e.args[i], i % 2 == 1 && !e.optional.empty() && e.optional[i / 2]);
    };
    for (std::size_t i = 2; i < e.args.size(); ++i) {
      bool told = false;
      compare(*e.args[i], type(i % 2), type(i), told);
    }
  }

  std::vector<Issue>& issues_;
};

}  // namespace

void validate(const Ast& ast, std::vector<Issue>& issues) {
  Validator(issues).visit(*ast.root, false);
}

}  // namespace quorate::cel
