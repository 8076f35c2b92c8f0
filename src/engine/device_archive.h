#pragma once

// Device objects as bytes, for the event log.

#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/devices/spec.h"

namespace quorate::engine {

// Fields by number, each with its length: unknown ones are skipped and absent ones keep their
// defaults, so that fields can be added. Numbers are never used again for something else.
std::string to_bytes(const devices::ClassObject& object);
std::string to_bytes(const devices::SliceObject& object);
std::string to_bytes(const devices::TaintRuleObject& object);
std::string to_bytes(const devices::TemplateObject& object);
std::string to_bytes(const devices::ClaimObject& object);

// T is one of the above. Errors: Invalid - the bytes are no such object.
template <class T>
Outcome<T> from_bytes(std::string_view bytes);

}  // namespace quorate::engine
