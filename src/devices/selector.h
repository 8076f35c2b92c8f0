#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/base/device_types.h"
#include "src/base/outcome.h"

namespace quorate::devices {

// A compiled expression that says whether a device will do. Immutable, shared between forks.
class Selector {
 public:
  virtual ~Selector() = default;
  // Errors: Invalid - the expression fails for this device (a missing key, the cost limit); the
  // message is the text after "on device <id>: ".
  virtual Outcome<bool> matches(std::string_view driver, const dra::Device& device) const = 0;
};

// Compiles an expression. Errors: Invalid - it is no expression, or not one that yields a bool.
using Compile = std::function<Outcome<std::shared_ptr<const Selector>>(std::string_view)>;

}  // namespace quorate::devices
