#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/cel/types.h"

namespace quorate::cel {

// What is wrong with a literal format string and the types of its arguments.
struct FormatFault {
  int argument = -1;  // -1: the call as a whole
  std::string message;
};
std::optional<FormatFault> check_format(std::string_view format,
                                        std::span<const Type* const> arguments);

}  // namespace quorate::cel
