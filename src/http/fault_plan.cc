#include <random>

#include "src/http/fault_transport.h"

namespace quorate::http {

void ScriptedFaults::add(Rule rule) {
  MutexLock lock(mutex_);
  rules_.push_back(std::move(rule));
}

int ScriptedFaults::remaining() const {
  MutexLock lock(mutex_);
  int left = 0;
  for (const Rule& rule : rules_) left += rule.times;
  return left;
}

FaultPlan ScriptedFaults::plan() {
  return [this](const Request& request, bool is_stream) {
    MutexLock lock(mutex_);
    for (Rule& rule : rules_) {
      const bool matches = rule.times > 0 && rule.streams == is_stream &&
                           request.target.find(rule.target_contains) != std::string::npos &&
                           (rule.method.empty() || rule.method == method_name(request.method));
      if (!matches) continue;
      --rule.times;
      return rule.fault;
    }
    return Fault{};
  };
}

namespace {

class SeededFaults {
 public:
  SeededFaults(std::uint64_t seed, FaultRates rates) : random_(seed), rates_(rates) {}

  Fault next(bool is_stream) {
    MutexLock lock(mutex_);
    // Drawn by hand: the library's distributions differ between implementations.
    double draw = static_cast<double>(random_() >> 11) / 9007199254740992.0;  // [0, 1), 53 bits
    const std::uint64_t bytes = random_() % 4096;
    const auto hit = [&draw](double rate) { return (draw -= rate) < 0; };
    using enum Fault::Kind;
    if (hit(rates_.disconnect_before_send)) return {.kind = DisconnectBeforeSend};
    if (hit(rates_.too_many_requests)) {
      return {.kind = Status, .status = 429, .retry_after_seconds = 1};
    }
    if (hit(rates_.internal_error)) return {.kind = Status, .status = 500};
    if (hit(rates_.slow)) return {.kind = Slow, .delay = Duration::millis(50)};
    if (!is_stream) return {.kind = hit(rates_.lost_answer) ? LostAnswer : None};
    if (hit(rates_.cut_stream)) return {.kind = CutStream, .after_bytes = bytes};
    if (hit(rates_.gone_in_watch)) return {.kind = GoneInWatch, .after_bytes = bytes};
    return {};
  }

 private:
  Mutex mutex_;
  std::mt19937_64 random_ GUARDED_BY(mutex_);
  const FaultRates rates_;
};

}  // namespace

FaultPlan seeded_faults(std::uint64_t seed, FaultRates rates) {
  auto faults = std::make_shared<SeededFaults>(seed, rates);
  return [faults](const Request&, bool is_stream) { return faults->next(is_stream); };
}

}  // namespace quorate::http
