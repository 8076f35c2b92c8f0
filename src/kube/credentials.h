#pragma once

#include <functional>
#include <memory>
#include <string>

#include "src/base/outcome.h"
#include "src/http/certificates.h"

namespace quorate::kube {

// What proves who we are: read from files again when they change, from a plugin when it expires.
// Thread safe.
class Credentials {
 public:
  virtual ~Credentials() = default;
  // Gives the bearer token ("" when there is none), at once or on another thread when a plugin has
  // to be run first.
  virtual void with_token(std::function<void(Outcome<std::string>)> done) = 0;
  // The client certificate for a new connection; an empty pair when there is none.
  virtual Outcome<http::KeyPair> identity() = 0;
  // The server answered 401: what is cached is not asked again.
  virtual void rejected() = 0;
};

}  // namespace quorate::kube
