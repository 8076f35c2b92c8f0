#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"

namespace quorate::objects {

struct YamlLimits {
  int depth = 200;         // of nested collections
  std::size_t growth = 8;  // bytes out per byte in, beyond 256 KiB: what aliases may blow up
};

// Each document of a YAML (or JSON) stream as JSON text; empty documents are left out.
//
// Plain scalars are typed as kubectl types them: null and ~; true, yes, on, y and their opposites;
// decimal, 0x, 0o, 0b and leading-zero octal integers; floats. Everything else, dates among it, and
// every quoted or !!str scalar is a text. Keys become texts; merge keys ("<<") are merged. A
// duplicate key, an infinity, NaN and invalid UTF-8 are errors. Errors: Invalid - with line and
// column.
Outcome<std::vector<std::string>> yaml_to_json(std::string_view text,
                                               const YamlLimits& limits = {});

}  // namespace quorate::objects
