#pragma once

#include <string>
#include <string_view>

namespace quorate::simulate {

// A JSON document of ours as YAML, members in the same order. The text must be valid JSON.
std::string yaml_of_json(std::string_view json);

}  // namespace quorate::simulate
