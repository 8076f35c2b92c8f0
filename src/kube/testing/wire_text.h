#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/object_key.h"

namespace quorate::kube {

// The bytes that an API server would send, for tests. Metadata comes first, then `body`
// (R"("spec":{...})", may be empty).
std::string object_json(const ObjectKey& key, std::string_view uid, std::string_view version,
                        std::string_view body = {});
std::string status_json(int code, std::string_view reason, std::string_view message);

std::string pb_bytes(int field, std::string_view value);
std::string pb_number(int field, std::uint64_t value);
std::string pb_envelope(std::string_view kind, std::string_view message);
std::string pb_object(const ObjectKey& key, std::string_view uid, std::string_view version,
                      bool initial_events_end = false);
std::string pb_status(int code, std::string_view reason, std::string_view message);
// A length-prefixed watch frame of an event whose object is in an envelope of `kind`.
std::string pb_event(std::string_view type, std::string_view kind, std::string_view message);

}  // namespace quorate::kube
