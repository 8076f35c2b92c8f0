#pragma once

#include "src/objects/json.h"
#include "src/simulate/scenario.h"

namespace quorate::simulate {

inline constexpr std::string_view kScenarioVersion = "quorate.dev/v1alpha1";

// Reads a Scenario document. Faults are recorded in the document, unknown fields among them.
Scenario read_scenario(objects::Json document);

}  // namespace quorate::simulate
