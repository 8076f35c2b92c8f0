#pragma once

#include <string_view>

namespace quorate::simulate {

// The line of a YAML or JSON document, 1 for its first, in which the value of a field path such as
// "spec.steps[1].apply[0].spec.cohortName" stands; that of the nearest enclosing value that is
// there; 1 if the text cannot be read. Walks the whole text: for reporting faults only.
int line_of_path(std::string_view document, std::string_view path);

}  // namespace quorate::simulate
