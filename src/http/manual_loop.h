#pragma once

#include <map>
#include <thread>
#include <utility>

#include "src/base/thread_annotations.h"
#include "src/http/loop.h"

namespace quorate::http {

// A loop whose time is moved by a test or a simulation: nothing runs but in run() and advance(),
// on their caller's thread. Other threads may add tasks.
class ManualLoop final : public Loop {
 public:
  explicit ManualLoop(Time wall = Time::from_seconds(1'800'000'000)) : wall_start_(wall) {}

  TimerId after(Duration delay, Task task) override;
  void cancel(TimerId timer) override;
  Steady now() const override;
  Time wall() const override;
  void run_and_wait(const Task& task) override { task(); }
  bool on_loop() const override { return false; }

  // Runs everything that is due, also what becomes due by that. The number of tasks run.
  int run();
  // Moves the clock, stopping at each due moment on the way.
  void advance(Duration by);
  std::size_t pending() const;

 private:
  bool run_one(Steady until);

  const Time wall_start_;
  mutable Mutex mutex_;
  Steady now_ GUARDED_BY(mutex_);
  std::map<std::pair<Steady, TimerId>, Task> tasks_ GUARDED_BY(mutex_);
  TimerId last_id_ GUARDED_BY(mutex_) = 0;
};

}  // namespace quorate::http
