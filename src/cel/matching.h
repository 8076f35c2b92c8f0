#pragma once

#include <cstdint>
#include <span>

#include "src/cel/function.h"
#include "src/cel/value.h"

namespace quorate::cel {

// Whether a value may be where a parameter of this type is. Of lists and maps the first element
// stands for all, as in cel-go.
bool matches(const Type& type, const Value& value);

// The first overload whose parameters the values match, or nullptr.
const Overload* first_match(std::span<const Overload* const> overloads,
                            std::span<const Value> args);

// Whether some element equals `value`.
bool contains(const List& list, const Value& value);

// Library values compare with their own kind only; others refuse to be compared with them.
bool refuses_equality(const Value& left, const Value& right);

// Whether a value can be looked up in a map.
bool is_key(const Value& value);

// What cel-go calls a kind in some error texts: "types.Int".
std::string_view go_type(Kind kind);

// The int that `number` is exactly; false when it is none.
bool whole_int(double number, std::int64_t& out);

}  // namespace quorate::cel
