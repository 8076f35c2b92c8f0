#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quorate::objects {

// The whole text as a finite double, whatever the locale.
std::optional<double> to_double(std::string_view text);

// A Kubernetes quantity in billionths, the finest it can say; finer parts round away from zero and
// values beyond int64 clamp to its ends. nullopt: malformed.
std::optional<std::int64_t> parse_billionths(std::string_view text);
// The shortest decimal text of it: "1", "0.5".
std::string format_billionths(std::int64_t amount);

// How many bytes the UTF-8 character at the start of `text` has; 0: it is none.
std::size_t utf8_size(std::string_view text);

}  // namespace quorate::objects
