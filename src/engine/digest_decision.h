#pragma once

#include "src/base/digest.h"
#include "src/engine/engine.h"

namespace quorate::engine {

// Names and values of a decision, proof included.
void digest(Digest& to, const Decision& decision);

// What of admission's state anybody can ask for.
void digest(Digest& to, const admission::Views& views);

}  // namespace quorate::engine
