#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"

namespace quorate::kube {

// Reads JSON text one level at a time without building a document: values that nobody asks for are
// skipped at the speed of finding their end. Not a validator: a decoder that parses a value finds
// what is wrong inside it. Bounded stack whatever the nesting.

// Calls `member(key, value)` for each member of the object `text` starts with; both are raw text,
// the key without its quotes, the value without surrounding space. Stops when it answers false.
// Errors: Invalid - not an object, or cut off.
Outcome<void> each_member(
    std::string_view text,
    const std::function<bool(std::string_view key, std::string_view value)>& member);

// The same for the elements of an array; null counts as an empty one.
Outcome<void> each_element(std::string_view text,
                           const std::function<bool(std::string_view value)>& element);

// The text of a raw string value ("\"a\\n\"" -> "a\n"); nullopt when it is not a string.
std::optional<std::string> string_value(std::string_view raw);
std::optional<std::int64_t> integer_value(std::string_view raw);

// `text` as a JSON string, in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace quorate::kube
