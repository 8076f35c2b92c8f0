#pragma once

#include <memory>

#include "src/http/loop.h"
#include "src/http/server.h"
#include "src/http/transport.h"

namespace quorate::http {

// Carries requests to a Handler in this process, without sockets. The handler runs on `loop`, and
// so do all callbacks. `loop` outlives the transport.
std::shared_ptr<HttpTransport> make_handler_transport(Handler handler, Loop& loop);

}  // namespace quorate::http
