#pragma once

#include <optional>
#include <string_view>

#include "src/base/outcome.h"
#include "src/http/message.h"
#include "src/kube/protobuf_envelope.h"

namespace quorate::kube {

// What a server's refusal means to us. `what` begins the message:
// "create jobs.batch default/a: jobs.batch \"a\" already exists (409 AlreadyExists)".
Error error_of(const Status& status, std::string_view what);

// The Status in an answer of status >= 400; without one the code and the beginning of the text.
Status status_of(const http::Response& response);

// The format that the answer's Content-Type names; nullopt when it is neither.
std::optional<Format> format_of(const http::Response& response);

}  // namespace quorate::kube
