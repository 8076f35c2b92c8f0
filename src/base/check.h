#pragma once

#include <string_view>

namespace quorate {

// Stops the process: an invariant of ours is broken, and a wrong ledger must not spread.
//
// The place is the caller's, through the compilers' builtins: clang 14 does not know libstdc++'s
// std::source_location.
[[noreturn]] void invariant_broken(std::string_view what, const char* file = __builtin_FILE(),
                                   int line = __builtin_LINE());

inline void check(bool holds, std::string_view what, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    invariant_broken(what, file, line);
}

}  // namespace quorate
