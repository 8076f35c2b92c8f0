#include "src/cel/lexer.h"

#include <algorithm>
#include <array>

#include "src/cel/utf8.h"

namespace quorate::cel {
namespace {

constexpr std::array<std::string_view, 17> kReservedWords = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool begins_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Operator {
  std::string_view text;
  TokenKind kind;
};
// Longer ones before their beginnings.
constexpr std::array<Operator, 25> kOperators = {{
    {"==", TokenKind::Equals},     {"!=", TokenKind::NotEquals},
    {"<=", TokenKind::LessEquals}, {">=", TokenKind::GreaterEquals},
    {"&&", TokenKind::And},        {"||", TokenKind::Or},
    {"<", TokenKind::Less},        {">", TokenKind::Greater},
    {"+", TokenKind::Plus},        {"-", TokenKind::Minus},
    {"*", TokenKind::Star},        {"/", TokenKind::Slash},
    {"%", TokenKind::Percent},     {"!", TokenKind::Not},
    {"?", TokenKind::Question},    {":", TokenKind::Colon},
    {",", TokenKind::Comma},       {".", TokenKind::Dot},
    {"(", TokenKind::LeftParen},   {")", TokenKind::RightParen},
    {"[", TokenKind::LeftBracket}, {"]", TokenKind::RightBracket},
    {"{", TokenKind::LeftBrace},   {"}", TokenKind::RightBrace},
    {"", TokenKind::End},
}};

class Lexer {
 public:
  Lexer(std::string_view source, std::vector<Issue>& issues) : source_(source), issues_(issues) {}

  std::vector<Token> run() {
    while (skip_blank(), at_ < source_.size()) next();
    tokens_.push_back({TokenKind::End, static_cast<std::uint32_t>(source_.size()), {}});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void skip_blank() {
    for (;;) {
      const char c = peek();
      if (at_ < source_.size() && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else {
        return;
      }
    }
  }

  void emit(TokenKind kind, std::size_t start) {
    tokens_.push_back(
        {kind, static_cast<std::uint32_t>(start), source_.substr(start, at_ - start)});
  }

  void next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (string_prefix()) return;
    if (c == '`') return escaped_identifier();
    if (begins_identifier(c)) return word();
    for (const Operator& op : kOperators) {
      if (!op.text.empty() && source_.substr(at_).starts_with(op.text)) {
        const std::size_t start = at_;
        at_ += op.text.size();
        return emit(op.kind, start);
      }
    }
    unknown();
  }

  void unknown() {
    const std::size_t start = at_;
    std::string_view rest = source_.substr(at_);
    (void)utf8::take(rest);
    at_ = source_.size() - rest.size();
    unreadable(start);
  }

  // Tells that what stands from `start` to here is no token.
  void unreadable(std::size_t start) {
    issues_.push_back({static_cast<std::uint32_t>(start),
                       "Syntax error: token recognition error at: '" +
                           std::string(source_.substr(start, at_ - start)) + "'"});
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  void number() {
    const std::size_t start = at_;
    if (peek() == '0' && peek(1) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
    } else {
      digits();
      const bool fraction = peek() == '.' && is_digit(peek(1));
      if (fraction) {
        ++at_;
        digits();
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
      const bool exponent = (peek() == 'e' || peek() == 'E') && is_digit(peek(sign));
      if (exponent) {
        at_ += sign;
        digits();
      }
      if (fraction || exponent) return emit(TokenKind::Double, start);
    }
    const bool is_unsigned = peek() == 'u' || peek() == 'U';
    if (is_unsigned) ++at_;
    emit(is_unsigned ? TokenKind::Uint : TokenKind::Int, start);
  }

  // A field name of any form: `a-b/c`.
  void escaped_identifier() {
    const std::size_t start = at_++;
    const auto belongs = [](char c) {
      return begins_identifier(c) || is_digit(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (belongs(peek())) ++at_;
    if (peek() != '`' || at_ == start + 1) return unreadable(start);
    ++at_;
    emit(TokenKind::EscapedIdentifier, start);
  }

  void word() {
    const std::size_t start = at_;
    while (begins_identifier(peek()) || is_digit(peek())) ++at_;
    const std::string_view text = source_.substr(start, at_ - start);
    TokenKind kind = TokenKind::Identifier;
    if (text == "true") kind = TokenKind::True;
    if (text == "false") kind = TokenKind::False;
    if (text == "null") kind = TokenKind::Null;
    if (text == "in") kind = TokenKind::In;
    if (std::ranges::find(kReservedWords, text) != kReservedWords.end()) kind = TokenKind::Reserved;
    emit(kind, start);
  }

  // Reads a string when one begins here, with its prefix of b and r in any case and order.
  bool string_prefix() {
    std::size_t ahead = 0;
    bool raw = false;
    bool bytes = false;
    for (; ahead < 2; ++ahead) {
      const char c = peek(ahead);
      if ((c == 'r' || c == 'R') && !raw) {
        raw = true;
      } else if ((c == 'b' || c == 'B') && !bytes && !raw) {
        bytes = true;
      } else {
        break;
      }
    }
    const char quote = peek(ahead);
    if (quote != '"' && quote != '\'') return false;
    const std::size_t start = at_;
    const std::string triple(3, quote);
    const bool is_triple = source_.substr(at_ + ahead).starts_with(triple);
    const std::string_view end =
        is_triple ? std::string_view(triple) : std::string_view(triple).substr(0, 1);
    at_ += ahead + end.size();
    if (!find_end(end, raw)) {
      unreadable(start);
      return true;
    }
    emit(bytes ? TokenKind::Bytes : TokenKind::String, start);
    return true;
  }

  bool find_end(std::string_view end, bool raw) {
    while (at_ < source_.size()) {
      if (source_.substr(at_).starts_with(end)) {
        at_ += end.size();
        return true;
      }
      if (end.size() == 1 && (peek() == '\n' || peek() == '\r')) return false;
      at_ += !raw && peek() == '\\' && at_ + 1 < source_.size() ? 2 : 1;
    }
    return false;
  }

  std::string_view source_;
  std::vector<Issue>& issues_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return (c | 0x20) - 'a' + 10;
}

// Reads `count` digits of the base at the front of `text`.
std::optional<std::uint32_t> take_code(std::string_view& text, std::size_t count, unsigned base) {
  if (text.size() < count) return std::nullopt;
  std::uint32_t code = 0;
  for (const char c : text.substr(0, count)) {
    if (base == 16 ? !is_hex(c) : !(c >= '0' && c <= '7')) return std::nullopt;
    code = code * base + static_cast<std::uint32_t>(hex_value(c));
  }
  text.remove_prefix(count);
  return code;
}

constexpr std::string_view kBadEscape = "Syntax error: token recognition error at: ";
constexpr std::string_view kBadCodePoint = "invalid unicode code point";

// Takes one escape behind its backslash; the answer is what is wrong with it, or empty.
std::string_view take_escape(std::string_view& text, bool bytes, std::string& out) {
  if (text.empty()) return kBadEscape;
  const char c = text.front();
  text.remove_prefix(1);
  constexpr std::string_view kNames = "abfnrtv\\'\"`?";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
  if (const std::size_t simple = kNames.find(c); simple != std::string_view::npos) {
    out += kMeanings[simple];
    return {};
  }
  std::optional<std::uint32_t> code;
  bool is_byte = false;
  if (c == 'x' || c == 'X') {
    code = take_code(text, 2, 16);
    is_byte = bytes;
  } else if (c == 'u' || c == 'U') {
    if (bytes) return "unable to unescape string";
    code = take_code(text, c == 'u' ? 4 : 8, 16);
  } else if (c >= '0' && c <= '3') {
    code = take_code(text, 2, 8);
    if (code) *code += static_cast<std::uint32_t>(c - '0') * 64;
    is_byte = bytes;
  }
  if (!code) return kBadEscape;
  if (*code > 0x10FFFF || (*code >= 0xD800 && *code < 0xE000)) return kBadCodePoint;
  if (is_byte) {
    out += static_cast<char>(*code);
  } else {
    utf8::append(out, *code);
  }
  return {};
}

}  // namespace

std::vector<Token> tokenize(std::string_view source, std::vector<Issue>& issues) {
  return Lexer(source, issues).run();
}

Unquoted unquote(std::string_view literal) {
  bool raw = false;
  bool bytes = false;
  while (literal.front() != '"' && literal.front() != '\'') {
    raw = raw || (literal.front() | 0x20) == 'r';
    bytes = bytes || (literal.front() | 0x20) == 'b';
    literal.remove_prefix(1);
  }
  const bool triple = literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const std::size_t quotes = triple ? 3 : 1;
  std::string_view text = literal.substr(quotes, literal.size() - 2 * quotes);

  Unquoted result;
  while (!text.empty()) {
    if (text.front() == '\r') {  // line ends become "\n"
      text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
      result.text += '\n';
    } else if (text.front() == '\\' && !raw) {
      text.remove_prefix(1);
      if (const std::string_view fault = take_escape(text, bytes, result.text); !fault.empty()) {
        result.error = std::string(fault) + (fault == kBadEscape ? std::string(literal) : "");
        return result;
      }
    } else {
      result.text += text.front();
      text.remove_prefix(1);
    }
  }
  if (!bytes && !utf8::valid(result.text)) result.error = "string is not valid UTF-8";
  return result;
}

}  // namespace quorate::cel
