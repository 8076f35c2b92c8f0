#include "src/cel/parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "src/cel/collections.h"
#include "src/cel/lexer.h"
#include "src/cel/macros.h"

namespace quorate::cel {
namespace {

// Thrown within this file only: nothing behind a syntax error can be read.
struct SyntaxError {};

class Parser {
 public:
  Parser(Ast& ast, const ParseLimits& limits, std::vector<Issue>& issues)
      : ast_(ast), limits_(limits), issues_(issues), tokens_(tokenize(ast.source, issues)) {}

  void run() {
    try {
      ast_.root = expression();
      if (!at(TokenKind::End)) {
        if (peek(1).kind == TokenKind::End) tell_token("extraneous input ", " expecting <EOF>");
        unexpected("<EOF>");
      }
    } catch (const SyntaxError&) {
      ast_.root = nullptr;
    }
  }

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  bool at(TokenKind kind) const { return peek().kind == kind; }
  Token take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    take();
    return true;
  }
  Token expect(TokenKind kind, std::string_view what) {
    if (!at(kind)) unexpected(what);
    return take();
  }

  // Tells a syntax error at the next token, in the words of cel-go's parser.
  [[noreturn]] void tell_token(std::string_view before, std::string_view after) {
    const Token& token = peek();
    const std::string text = at(TokenKind::End) ? "<EOF>" : std::string(token.text);
    issues_.push_back({token.offset, "Syntax error: " + std::string(before) + "'" + text + "'" +
                                         std::string(after)});
    throw SyntaxError{};
  }
  [[noreturn]] void unexpected(std::string_view expecting) {
    tell_token("mismatched input ", " expecting " + std::string(expecting));
  }
  [[noreturn]] void stop(std::string message) {
    issues_.push_back({kNowhere, std::move(message)});
    throw SyntaxError{};
  }
  Expr* fail(std::uint32_t offset, std::string message) {
    issues_.push_back({offset, std::move(message)});
    return node(ExprKind::Unusable, offset);
  }

  Expr* node(ExprKind kind, std::uint32_t offset) {
    if (ast_.nodes.size() >= limits_.most_nodes) stop("expression has too many parts");
    return ast_.add(kind, offset);
  }
  // A node whose depth is one more than that of its deepest part.
  Expr* nest(Expr* e, bool counts = true) {
    std::uint32_t deepest = e->depth;
    for (const Expr* arg : e->args) deepest = std::max(deepest, arg->depth);
    e->depth = deepest + (counts ? 1 : 0);
    if (e->depth > limits_.most_depth) stop("max recursion depth exceeded");
    return e;
  }
  Expr* operation(std::string_view function, std::uint32_t offset, std::vector<Expr*> args,
                  bool counts = true) {
    Expr* e = node(ExprKind::Call, offset);
    e->name = function;
    e->args = std::move(args);
    return nest(e, counts);
  }
  Expr* call(ParsedCall parsed);

  Expr* expression();
  Expr* logical(TokenKind op, std::string_view function, Expr* (Parser::*operand)());
  Expr* balanced(std::string_view function, std::vector<Expr*>& terms,
                 const std::vector<std::uint32_t>& offsets, std::size_t first, std::size_t last);
  Expr* disjunction() { return logical(TokenKind::Or, op::kOr, &Parser::conjunction); }
  Expr* conjunction() { return logical(TokenKind::And, op::kAnd, &Parser::relation); }
  Expr* relation();
  Expr* sum();
  Expr* product();
  Expr* unary();
  Expr* member();
  Expr* primary();
  Expr* name_or_call();
  Expr* list_literal();
  Expr* map_literal();
  Expr* message_literal(std::string_view name);
  bool begins_message() const;
  Expr* number(bool negative);
  Expr* text_literal();
  Expr* constant(std::uint32_t offset, Value value) {
    Expr* e = node(ExprKind::Literal, offset);
    e->literal = value;
    return e;
  }
  Token identifier() {
    if (at(TokenKind::Reserved)) return take();
    return expect(TokenKind::Identifier, "IDENTIFIER");
  }
  Token field_name() {
    if (at(TokenKind::EscapedIdentifier)) {
      Token token = take();
      token.text = token.text.substr(1, token.text.size() - 2);
      return token;
    }
    if (!at(TokenKind::Identifier) && !at(TokenKind::Reserved)) {
      const std::string text = at(TokenKind::End) ? "" : std::string(peek().text);
      issues_.push_back(
          {peek().offset, "Syntax error: no viable alternative at input '." + text + "'"});
      throw SyntaxError{};
    }
    return take();
  }
  std::vector<Expr*> arguments();

  Ast& ast_;
  const ParseLimits& limits_;
  std::vector<Issue>& issues_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::uint32_t nested_ = 0;  // expressions within expressions
};

Expr* Parser::expression() {
  if (++nested_ > limits_.most_depth) {
    stop("expression recursion limit exceeded: " + std::to_string(limits_.most_depth));
  }
  Expr* result = disjunction();
  if (at(TokenKind::Question)) {
    const Token question = take();
    Expr* yes = disjunction();
    expect(TokenKind::Colon, "':'");
    Expr* no = expression();
    result = operation(op::kConditional, question.offset, {result, yes, no});
  }
  --nested_;
  return result;
}

// Chains of && and || become balanced trees, so that long ones are not deep.
Expr* Parser::logical(TokenKind op, std::string_view function, Expr* (Parser::*operand)()) {
  std::vector<Expr*> terms = {(this->*operand)()};
  std::vector<std::uint32_t> offsets;
  while (at(op)) {
    offsets.push_back(take().offset);
    terms.push_back((this->*operand)());
  }
  return terms.size() == 1 ? terms[0] : balanced(function, terms, offsets, 0, offsets.size() - 1);
}

Expr* Parser::balanced(std::string_view function, std::vector<Expr*>& terms,
                       const std::vector<std::uint32_t>& offsets, std::size_t first,
                       std::size_t last) {
  const std::size_t middle = (first + last + 1) / 2;
  Expr* left =
      middle == first ? terms[middle] : balanced(function, terms, offsets, first, middle - 1);
  Expr* right =
      middle == last ? terms[middle + 1] : balanced(function, terms, offsets, middle + 1, last);
  return operation(function, offsets[middle], {left, right}, false);
}

std::string_view relation_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Equals:
      return op::kEquals;
    case TokenKind::NotEquals:
      return op::kNotEquals;
    case TokenKind::Less:
      return op::kLess;
    case TokenKind::LessEquals:
      return op::kLessEquals;
    case TokenKind::Greater:
      return op::kGreater;
    case TokenKind::GreaterEquals:
      return op::kGreaterEquals;
    case TokenKind::In:
      return op::kIn;
    default:
      return {};
  }
}

std::string_view product_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Star:
      return op::kMultiply;
    case TokenKind::Slash:
      return op::kDivide;
    case TokenKind::Percent:
      return op::kModulo;
    default:
      return {};
  }
}

Expr* Parser::relation() {
  Expr* left = sum();
  while (!relation_of(peek().kind).empty()) {
    const Token token = take();
    Expr* right = sum();
    left = operation(relation_of(token.kind), token.offset, {left, right});
  }
  return left;
}

Expr* Parser::sum() {
  Expr* left = product();
  while (at(TokenKind::Plus) || at(TokenKind::Minus)) {
    const Token token = take();
    Expr* right = product();
    left = operation(token.kind == TokenKind::Plus ? op::kAdd : op::kSubtract, token.offset,
                     {left, right});
  }
  return left;
}

Expr* Parser::product() {
  Expr* left = unary();
  while (!product_of(peek().kind).empty()) {
    const Token token = take();
    Expr* right = unary();
    left = operation(product_of(token.kind), token.offset, {left, right});
  }
  return left;
}

Expr* Parser::unary() {
  const TokenKind kind = peek().kind;
  if (kind != TokenKind::Not && kind != TokenKind::Minus) return member();
  const auto is_number = [&](std::size_t ahead) {
    const TokenKind k = peek(ahead).kind;
    return k == TokenKind::Int || k == TokenKind::Double;
  };
  if (kind == TokenKind::Minus && is_number(1)) return member();  // a negative literal

  const std::uint32_t offset = peek().offset;
  std::size_t count = 0;
  while (at(kind)) {
    take();
    ++count;
  }
  Expr* operand = member();
  if (count % 2 == 0) return operand;
  return operation(kind == TokenKind::Not ? op::kNot : op::kNegate, offset, {operand}, false);
}

Expr* Parser::call(ParsedCall parsed) {
  std::uint32_t deepest = parsed.receiver == nullptr ? 0 : parsed.receiver->depth;
  for (const Expr* arg : parsed.args) deepest = std::max(deepest, arg->depth);
  const bool is_member = parsed.receiver != nullptr;
  Expr* e = expand_macro(ast_, parsed, issues_);
  if (e == nullptr) {
    e = node(ExprKind::Call, parsed.offset);
    e->name = parsed.function;
    e->is_member = is_member;
    if (is_member) e->args.push_back(parsed.receiver);
    e->args.insert(e->args.end(), parsed.args.begin(), parsed.args.end());
  }
  e->depth = deepest + (is_member ? 1 : 0);
  if (e->depth > limits_.most_depth) stop("max recursion depth exceeded");
  return e;
}

std::vector<Expr*> Parser::arguments() {
  std::vector<Expr*> args;
  if (!at(TokenKind::RightParen)) {
    do args.push_back(expression());
    while (accept(TokenKind::Comma));
  }
  if (!at(TokenKind::RightParen)) tell_token("mismatched input ", " expecting {')', ','}");
  take();
  return args;
}

Expr* Parser::member() {
  Expr* e = primary();
  for (;;) {
    if (at(TokenKind::Dot)) {
      const Token dot = take();
      const bool optional = accept(TokenKind::Question);
      const Token name = field_name();
      if (!optional && at(TokenKind::LeftParen)) {
        const std::uint32_t offset = take().offset;
        e = call({offset, name.text, e, arguments()});
      } else if (optional) {
        Expr* field = constant(name.offset, Value::string(name.text));
        e = operation(op::kOptSelect, dot.offset, {e, field});
      } else {
        Expr* select = node(ExprKind::Select, dot.offset);
        select->name = name.text;
        select->args = {e};
        e = nest(select);
      }
    } else if (at(TokenKind::LeftBracket)) {
      const std::uint32_t offset = take().offset;
      const bool optional = accept(TokenKind::Question);
      Expr* index = expression();
      expect(TokenKind::RightBracket, "']'");
      e = operation(optional ? op::kOptIndex : op::kIndex, offset, {e, index});
    } else {
      return e;
    }
  }
}

Expr* Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::LeftParen: {
      take();
      Expr* e = expression();
      if (!at(TokenKind::RightParen)) tell_token("missing ')' at ", "");
      take();
      return e;
    }
    case TokenKind::LeftBracket:
      return list_literal();
    case TokenKind::LeftBrace:
      return map_literal();
    case TokenKind::Minus:
      take();
      return number(true);
    case TokenKind::Int:
    case TokenKind::Uint:
    case TokenKind::Double:
      return number(false);
    case TokenKind::String:
    case TokenKind::Bytes:
      return text_literal();
    case TokenKind::True:
    case TokenKind::False:
      return constant(take().offset, Value::boolean(token.kind == TokenKind::True));
    case TokenKind::Null:
      return constant(take().offset, Value::null());
    case TokenKind::Dot:
    case TokenKind::Identifier:
    case TokenKind::Reserved:
      return name_or_call();
    default:
      break;
  }
  unexpected(
      "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
      "STRING, BYTES, IDENTIFIER}");
}

// Whether `a.b.C{` stands here.
bool Parser::begins_message() const {
  std::size_t ahead = at(TokenKind::Dot) ? 1 : 0;
  for (;;) {
    const TokenKind kind = peek(ahead).kind;
    if (kind != TokenKind::Identifier && kind != TokenKind::Reserved) return false;
    if (peek(ahead + 1).kind == TokenKind::LeftBrace) return true;
    if (peek(ahead + 1).kind != TokenKind::Dot) return false;
    ahead += 2;
  }
}

Expr* Parser::name_or_call() {
  if (begins_message()) {
    std::string name;
    while (!at(TokenKind::LeftBrace)) name += take().text;
    return message_literal(ast_.names.emplace_back(std::move(name)));
  }
  const bool rooted = accept(TokenKind::Dot);
  const Token token = identifier();
  const std::string_view name =
      rooted ? std::string_view(ast_.names.emplace_back("." + std::string(token.text)))
             : token.text;
  const bool reserved = token.kind == TokenKind::Reserved;
  if (at(TokenKind::LeftParen)) {
    const std::uint32_t offset = take().offset;
    std::vector<Expr*> args = arguments();
    if (reserved) return fail(token.offset, "reserved identifier: " + std::string(token.text));
    return call({offset, name, nullptr, std::move(args)});
  }
  if (reserved) return fail(token.offset, "reserved identifier: " + std::string(token.text));
  Expr* e = node(ExprKind::Ident, token.offset);
  e->name = name;
  return e;
}

Expr* Parser::list_literal() {
  Expr* e = node(ExprKind::List, take().offset);
  bool any_optional = false;
  while (!at(TokenKind::RightBracket) && !at(TokenKind::Comma)) {
    const bool optional = accept(TokenKind::Question);
    any_optional = any_optional || optional;
    e->optional.push_back(optional);
    e->args.push_back(expression());
    if (!at(TokenKind::Comma) || peek(1).kind == TokenKind::RightBracket) break;
    take();
  }
  accept(TokenKind::Comma);
  if (!at(TokenKind::RightBracket)) tell_token("mismatched input ", " expecting {']', ','}");
  take();
  if (!any_optional) e->optional.clear();
  return nest(e, false);
}

Expr* Parser::map_literal() {
  Expr* e = node(ExprKind::Map, take().offset);
  bool any_optional = false;
  while (!at(TokenKind::RightBrace) && !at(TokenKind::Comma)) {
    const bool optional = accept(TokenKind::Question);
    any_optional = any_optional || optional;
    e->optional.push_back(optional);
    e->args.push_back(expression());
    expect(TokenKind::Colon, "':'");
    e->args.push_back(expression());
    if (!at(TokenKind::Comma) || peek(1).kind == TokenKind::RightBrace) break;
    take();
  }
  accept(TokenKind::Comma);
  expect(TokenKind::RightBrace, "'}'");
  if (!any_optional) e->optional.clear();
  return nest(e, false);
}

// Its fields are read for their syntax; the checker says that there is no such message.
Expr* Parser::message_literal(std::string_view name) {
  Expr* e = node(ExprKind::Struct, take().offset);
  e->name = name;
  while (!at(TokenKind::RightBrace) && !at(TokenKind::Comma)) {
    accept(TokenKind::Question);
    identifier();
    expect(TokenKind::Colon, "':'");
    e->args.push_back(expression());
    if (!at(TokenKind::Comma) || peek(1).kind == TokenKind::RightBrace) break;
    take();
  }
  accept(TokenKind::Comma);
  expect(TokenKind::RightBrace, "'}'");
  return nest(e, false);
}

template <class T>
bool read_integer(std::string_view text, T& value) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return problem == std::errc() && end == text.data() + text.size();
}

Expr* Parser::number(bool negative) {
  const Token token = take();
  const std::uint32_t offset = negative ? tokens_[next_ - 2].offset : token.offset;
  if (token.kind == TokenKind::Double) {
    double value = 0;
    const std::string_view text = token.text;
    const std::string written = text.starts_with('.') ? "0" + std::string(text) : std::string(text);
    const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      // Too small becomes zero, too large is an error, as with Go's ParseFloat.
      value = std::strtod(written.c_str(), nullptr);
      if (!std::isfinite(value)) return fail(offset, "invalid double literal");
    }
    return constant(offset, Value::number(negative ? -value : value));
  }
  if (token.kind == TokenKind::Uint) {
    std::uint64_t value = 0;
    if (!read_integer(token.text.substr(0, token.text.size() - 1), value)) {
      return fail(offset, "invalid uint literal");
    }
    return constant(offset, Value::unsigned_integer(value));
  }
  std::uint64_t magnitude = 0;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  if (!read_integer(token.text, magnitude) || magnitude > kMost - (negative ? 0 : 1)) {
    return fail(offset, "invalid int literal");
  }
  return constant(offset, Value::integer(static_cast<std::int64_t>(
                              negative ? std::uint64_t{0} - magnitude : magnitude)));
}

Expr* Parser::text_literal() {
  const Token token = take();
  const Unquoted unquoted = unquote(token.text);
  if (unquoted.error) return fail(token.offset, *unquoted.error);
  return constant(token.offset, token.kind == TokenKind::Bytes
                                    ? make_bytes(*ast_.constants, unquoted.text)
                                    : make_string(*ast_.constants, unquoted.text));
}

}  // namespace

Ast parse(std::string_view source, const ParseLimits& limits, std::vector<Issue>& issues) {
  Ast ast;
  ast.source = ast.constants->copy(source);
  if (source.size() > limits.most_bytes) {
    issues.push_back({kNowhere, "expression code point size exceeds limit: size: " +
                                    std::to_string(source.size()) + ", limit " +
                                    std::to_string(limits.most_bytes)});
    return ast;
  }
  Parser(ast, limits, issues).run();
  return ast;
}

}  // namespace quorate::cel
