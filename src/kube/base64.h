#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quorate::kube {

// Standard alphabet with padding; whitespace in between is allowed when decoding. nullopt: not it.
std::optional<std::string> base64_decode(std::string_view text);
std::string base64_encode(std::string_view bytes);

}  // namespace quorate::kube
