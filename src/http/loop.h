#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "src/base/time.h"

namespace quorate::http {

// A moment of the monotonic clock that also counts while the machine is suspended.
struct Steady {
  std::int64_t nanos = 0;

  friend constexpr auto operator<=>(Steady, Steady) = default;
  friend constexpr Steady operator+(Steady t, Duration d) { return {t.nanos + d.nanos}; }
  friend constexpr Duration operator-(Steady a, Steady b) { return {a.nanos - b.nanos}; }
};

// Runs tasks one after another in the order of their due moments; tasks due at the same moment in
// the order they came. Everything but run_and_wait may be called from any thread, also from a task.
//
// Whoever needs time (retries, backoff, leases, delayed work) takes it from here, so that tests run
// on a ManualLoop and never sleep.
class Loop {
 public:
  using Task = std::function<void()>;
  using TimerId = std::uint64_t;

  virtual ~Loop() = default;
  virtual TimerId after(Duration delay, Task task) = 0;
  virtual void cancel(TimerId timer) = 0;  // nothing happens if it ran already
  virtual Steady now() const = 0;
  virtual Time wall() const = 0;
  // Runs the task on the loop and returns when it is done; inline when called from a task.
  virtual void run_and_wait(const Task& task) = 0;
  virtual bool on_loop() const = 0;  // whether the caller runs inside a task of this loop

  void post(Task task) { after(Duration{}, std::move(task)); }
};

// A loop on a thread of its own. The destructor drops what has not run and joins the thread.
std::unique_ptr<Loop> make_thread_loop();

// The clocks that the thread loop uses.
Steady steady_now();
Time wall_now();

}  // namespace quorate::http
