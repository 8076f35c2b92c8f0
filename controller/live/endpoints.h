#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/metrics/registry.h"
#include "src/base/outcome.h"
#include "src/http/server.h"

namespace quorate::controller {

// Starts a plain server at a flag's address and says where in the log. nullptr if the address is
// "0" or empty.
// Errors: Invalid, Unavailable - as Server::start(), with the kind in front.
Outcome<std::unique_ptr<http::Server>> serve(const std::string& address, const std::string& kind,
                                             http::Handler handler);

// /healthz answers as long as the process runs; /readyz when `not_ready` answers "".
http::Handler health_handler(std::function<std::string()> not_ready, std::string liveness,
                             std::string readiness);
http::Handler metrics_handler(const MetricRegistry& metrics);

}  // namespace quorate::controller
