#pragma once

#include "src/devices/selector.h"

namespace quorate::devices {

// Compiles CEL as stored objects may hold it, whatever gates the API server has on.
Outcome<std::shared_ptr<const Selector>> compile_cel(std::string_view expression);

}  // namespace quorate::devices
