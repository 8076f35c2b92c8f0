#pragma once

#include <optional>

#include "src/base/time.h"

namespace quorate::kube {

// Guards writes: whoever may not be the leader any more writes nothing.
class Fence {
 public:
  virtual ~Fence() = default;
  // How long nobody else can become the leader; nullopt when we may not write. Any thread.
  virtual std::optional<Duration> remaining() const = 0;
};

}  // namespace quorate::kube
