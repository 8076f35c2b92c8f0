#pragma once

#include <algorithm>

#include "src/http/loop.h"

namespace quorate::kube {

// Lets `qps` through per second in the long run and `burst` at once. Negative qps: no limit.
// Belongs to one thread.
class TokenBucket {
 public:
  TokenBucket(double qps, int burst)
      : qps_(qps), burst_(std::max(1, burst)), tokens_(std::max(1, burst)) {}

  bool unlimited() const { return qps_ < 0; }

  // Takes one, or says how long to wait before asking again.
  Duration take(http::Steady now) {
    if (unlimited()) return Duration{};
    if (started_) {
      tokens_ += static_cast<double>((now - last_).nanos) / 1e9 * qps_;
      tokens_ = std::min(tokens_, burst_);
    }
    started_ = true;
    last_ = now;
    if (tokens_ >= 1 - kRounding) {
      tokens_ -= 1;
      return Duration{};
    }
    if (qps_ == 0) return Duration::seconds(1);
    return Duration{static_cast<std::int64_t>((1 - tokens_) / qps_ * 1e9) + 1};
  }

 private:
  static constexpr double kRounding = 1e-9;

  double qps_;
  double burst_;
  double tokens_;
  http::Steady last_;
  bool started_ = false;
};

}  // namespace quorate::kube
