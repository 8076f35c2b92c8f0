#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "src/base/outcome.h"
#include "src/http/message.h"

namespace quorate::http {

// Ends one request early. Copies end the same request; calling it again, late or from any thread
// does no harm. The completion still comes, once, with an error.
class Cancel {
 public:
  Cancel() = default;
  explicit Cancel(std::function<void()> action) : action_(std::move(action)) {}
  void operator()() const {
    if (action_) action_();
  }

 private:
  std::function<void()> action_;
};

// What a streaming GET tells. The calls come in order, one at a time, on a thread of the
// transport: hand over, do not work or block there.
struct StreamHandler {
  std::function<void(int status, const Headers& headers)> on_status;  // once, before any bytes
  std::function<bool(std::string_view bytes)> on_bytes;               // false ends the stream
  std::function<void(std::optional<Error> error)> on_end;  // exactly once, last; nullopt: complete
};

// Carries requests to one server.
//
// A transport answers an Error (Unavailable) when no whole answer came: refused, reset, timed out,
// cancelled. The request may have been carried out all the same. Every status the server sends,
// 500 too, is a Response.
class HttpTransport {
 public:
  using Completion = std::function<void(Outcome<Response>)>;

  virtual ~HttpTransport() = default;

  // The completion comes exactly once, on a thread of the transport or inside send(): hand over,
  // do not work or block there.
  virtual Cancel send(Request request, Completion done) = 0;
  virtual Cancel stream(Request request, StreamHandler handler) = 0;

  // Waits for the answer. Never from a completion or a stream's calls.
  Outcome<Response> call(Request request);
};

}  // namespace quorate::http
