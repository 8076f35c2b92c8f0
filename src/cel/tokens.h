#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::cel {

enum class TokenKind : std::uint8_t {
  End,
  Identifier,
  EscapedIdentifier,  // `a-b`: a field name that is no identifier
  Reserved,           // a word that the language keeps for itself: "for", "while", ...
  Int,                // digits or 0x…; the sign is an operator
  Uint,
  Double,
  String,
  Bytes,
  True,
  False,
  Null,
  In,
  Equals,
  NotEquals,
  Less,
  LessEquals,
  Greater,
  GreaterEquals,
  And,
  Or,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Not,
  Question,
  Colon,
  Comma,
  Dot,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t offset = 0;  // of its first byte
  std::string_view text;     // as written
};

}  // namespace quorate::cel
