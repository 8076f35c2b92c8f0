#pragma once

#include <string>
#include <string_view>

#include "src/objects/json.h"

// For tests: writes a JSON document as the protobuf that an API server would send for it.
namespace quorate::objects::testing_support {

// The message of type `message` ("Pod") for `json`, by the field numbers of the published schemas.
std::string to_message(Json json, std::string_view message);
// The same in the "k8s\0" envelope; a List when `json` has items.
std::string to_body(std::string_view json, std::string_view api_version, std::string_view kind);
// One watch event without its length.
std::string to_frame(std::string_view type, std::string_view body);
// With its length.
std::string framed(std::string_view frame);

}  // namespace quorate::objects::testing_support
