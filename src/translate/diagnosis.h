#pragma once

#include "src/objects/json_writer.h"
#include "src/scheduler/group_finding.h"

namespace quorate::translate {

// Members of an open JSON object that say why a group has no place: layer, cause, diagnosis (one
// line of text), certificate, and proof, with the figures of each domain.
void write_diagnosis(objects::JsonWriter& out, const scheduler::GroupDiagnosis& diagnosis);

}  // namespace quorate::translate
