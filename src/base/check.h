#pragma once

#include <source_location>
#include <string_view>

namespace quorate {

// Stops the process: an invariant of ours is broken, and a wrong ledger must not spread.
[[noreturn]] void invariant_broken(
    std::string_view what, std::source_location where = std::source_location::current());

inline void check(bool holds, std::string_view what,
                  std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]] invariant_broken(what, where);
}

}  // namespace quorate
