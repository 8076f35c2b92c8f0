#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quorate::controller {

// "<kind, lower case>-<owner>" cut to `limit` - 6 characters, "-", and the first five hex digits of
// SHA-1 over kind, group, owner and uid, separated by newlines: the name by which an existing
// installation knows the Workload of an object.
std::string workload_name(std::string_view kind, std::string_view group, std::string_view owner,
                          std::string_view uid, std::size_t limit = 253);

// The first `digits` hex digits of a text's SHA-1.
std::string short_hash(std::string_view text, std::size_t digits);

}  // namespace quorate::controller
