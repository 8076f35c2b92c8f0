#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace quorate {

// Codes name what the caller does next; the message says what happened, and to which object.
enum class Errc {
  Invalid,        // the input is wrong: report it on the object, do not retry
  NotFound,       // the object is gone: usually success for a reconciler
  Conflict,       // our resourceVersion is stale: read again, then retry
  AlreadyExists,  // a create met an object of that name: look at it
  Forbidden,      // the other side refuses us (401, 403): report, retry slowly
  Gone,           // the resourceVersion is too old (410): list again
  Unavailable,    // the other side is down or slow: retry with backoff
  Fenced,         // we are not the leader any more: nothing was sent
};

struct Error {
  Errc code = Errc::Invalid;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Outcome = tl::expected<T, Error>;

inline tl::unexpected<Error> error(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

// The same error, said about something larger: "spec.x: <message>".
inline tl::unexpected<Error> within(std::string_view context, Error inner) {
  inner.message.insert(0, std::string(context) + ": ");
  return tl::unexpected<Error>(std::move(inner));
}

}  // namespace quorate
