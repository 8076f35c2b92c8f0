#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::cel {

// The offset of an issue that is about the expression as a whole.
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

// A fault of an expression, at the byte where it is.
struct Issue {
  std::uint32_t offset = 0;
  std::string message;
};

// The issues as cel-go prints them, in the order of their places:
//   ERROR: <input>:1:8: undefined field 'name'
//    | device.name
//    | ......^
std::string format_issues(std::string_view source, std::vector<Issue> issues);

}  // namespace quorate::cel
