#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cel/source.h"
#include "src/cel/tokens.h"

namespace quorate::cel {

// Splits an expression into tokens, the last of them End. Characters that begin no token are told
// as issues and left out.
std::vector<Token> tokenize(std::string_view source, std::vector<Issue>& issues);

// What a String or Bytes token as written ('a\n', r"\d", b'\xff', """…""") stands for.
// Errors: the message of an escape that is none, or that does not belong there.
struct Unquoted {
  std::string text;
  std::optional<std::string> error;
};
Unquoted unquote(std::string_view literal);

}  // namespace quorate::cel
