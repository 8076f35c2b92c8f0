#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quorate::cel {

// As Go's strconv.FormatFloat(value, 'g', -1, 64): the shortest digits that read back as the same
// number, with an exponent when that is below -4 or at least `exponent_from` ("1e+06"). 'f' never
// uses one.
std::string format_double(double value, int exponent_from = 6);
std::string format_double_fixed(double value);

// Go's quoted string: "a\n\"b\"", unprintable characters escaped.
std::string quote(std::string_view text);

}  // namespace quorate::cel
