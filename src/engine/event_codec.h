#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/engine/event.h"
#include "src/engine/record.h"

namespace quorate::engine {

// Of events.proto as this program writes it, and the newest that it reads.
inline constexpr std::uint32_t kSchemaVersion = 1;

// Equal values give equal bytes.
std::string encode(const Event& event);
std::string encode(const Record& record);

// Errors: Invalid - no message of the schema, of a newer schema, or with a value that does not
// exist.
Outcome<Event> decode_event(std::string_view bytes);
Outcome<Record> decode_record(std::string_view bytes);

}  // namespace quorate::engine
