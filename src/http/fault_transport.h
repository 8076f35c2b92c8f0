#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/http/loop.h"
#include "src/http/transport.h"

namespace quorate::http {

// One way in which a request can go wrong.
struct Fault {
  enum class Kind {
    None,
    DisconnectBeforeSend,  // the server never sees it
    LostAnswer,            // carried out; the answer is lost
    Status,       // the server refuses with `status` (and Retry-After), nothing carried out
    GoneInWatch,  // a stream that says 410 Expired after `after_bytes`, then ends
    CutStream,    // a stream that breaks after `after_bytes`, in mid-line or not
    Slow,         // the request leaves after `delay`
    HalfOpen,     // no byte ever comes; ends when the timeout (`delay` for streams) is over
  };

  Kind kind = Kind::None;
  int status = 500;
  int retry_after_seconds = 0;  // 0: no Retry-After header
  std::size_t after_bytes = 0;
  Duration delay;
};

// Decides what happens to a request; called once per request, from any thread.
using FaultPlan = std::function<Fault(const Request& request, bool is_stream)>;

// Faults in the order given: each rule hits the next `times` requests whose method and target
// match. Thread safe.
class ScriptedFaults {
 public:
  struct Rule {
    std::string target_contains;  // "" matches every target
    Fault fault;
    int times = 1;
    bool streams = false;  // whether it means streams or unary requests
    std::string method;    // "" matches every method
  };
  void add(Rule rule);
  int remaining() const;  // hits that are still to come
  FaultPlan plan();       // *this outlives it

 private:
  mutable Mutex mutex_;
  std::vector<Rule> rules_ GUARDED_BY(mutex_);
};

// Random faults, the same for the same seed and sequence of requests.
struct FaultRates {
  double disconnect_before_send = 0;
  double lost_answer = 0;
  double too_many_requests = 0;  // 429 with Retry-After: 1
  double internal_error = 0;     // 500
  double slow = 0;               // 50 ms
  double cut_stream = 0;         // after up to 4 KiB
  double gone_in_watch = 0;      // after up to 4 KiB
};
FaultPlan seeded_faults(std::uint64_t seed, FaultRates rates);

// Passes requests to `inner`, or not, as the plan says. `loop` measures delays; it and `inner`
// outlive the transport.
std::shared_ptr<HttpTransport> make_fault_transport(std::shared_ptr<HttpTransport> inner,
                                                    Loop& loop, FaultPlan plan);

}  // namespace quorate::http
