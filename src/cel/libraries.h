#pragma once

#include <span>

#include "src/cel/function.h"

// Every library of functions, each declared in the file that implements it.
namespace quorate::cel {

std::span<const Declaration> operator_library();
std::span<const Declaration> conversion_library();
std::span<const Declaration> collection_library();
std::span<const Declaration> text_library();    // contains, startsWith, endsWith, size of texts
std::span<const Declaration> string_library();  // charAt, split, replace, …
std::span<const Declaration> string_format_library();
std::span<const Declaration> regex_library();
std::span<const Declaration> time_library();
std::span<const Declaration> optional_library();
std::span<const Declaration> list_library();
std::span<const Declaration> includes_library();  // x.includes(v), of gate DRAListTypeAttributes
std::span<const Declaration> set_library();
std::span<const Declaration> quantity_library();
std::span<const Declaration> semver_library();
std::span<const Declaration> network_library();
std::span<const Declaration> url_library();
std::span<const Declaration> format_library();

}  // namespace quorate::cel
