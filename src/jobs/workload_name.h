#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quorate::jobs {

// "<kind, lower case>-<owner>", cut to leave room, "-", and five hex digits of the SHA-1 over kind,
// group, owner and uid: the name under which existing installations keep the Workload of an object.
std::string workload_name(std::string_view kind, std::string_view group, std::string_view owner,
                          std::string_view uid, std::size_t limit = 253);

}  // namespace quorate::jobs
