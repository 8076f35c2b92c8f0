#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quorate::jobs {

inline constexpr std::size_t kLongName = 253;
inline constexpr std::size_t kShortName = 63;  // with gate ShortWorkloadNames

// "<kind, lower case>-<owner>" cut to `limit` - 6 characters, "-", and the first five hex digits of
// SHA-1 over kind, group, owner, uid and, where there is one, `extra`, separated by newlines: the
// name by which an existing installation knows the Workload of an object.
std::string workload_name(std::string_view kind, std::string_view group, std::string_view owner,
                          std::string_view uid, std::size_t limit = kLongName,
                          std::string_view extra = "");

// The name of a variant of `parent`, a Workload, for one flavor: "<parent without its
// hash>-variant- <flavor>" cut to `limit` - 6 characters, and a hash of its own.
std::string variant_name(std::string_view parent, std::string_view parent_uid,
                         std::string_view flavor, std::size_t limit = kLongName);

// The first `digits` hex digits of a text's SHA-1.
std::string short_hash(std::string_view text, std::size_t digits);

}  // namespace quorate::jobs
