#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace quorate::scheduler {

// What a plugin answers at an extension point.
enum class Code : std::uint8_t {
  Success,
  Error,                         // could not decide; retried with backoff
  Unschedulable,                 // no, but evicting pods could change it
  UnschedulableAndUnresolvable,  // no, and evicting pods would not help
  Wait,                          // Permit: not yet
  Skip,                          // nothing to do for this pod
  Pending,                       // waits for something outside
};

struct Status {
  Code code = Code::Success;
  std::string message;

  bool ok() const { return code == Code::Success; }
  friend bool operator==(const Status&, const Status&) = default;
};

}  // namespace quorate::scheduler
