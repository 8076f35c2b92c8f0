#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "controller/metrics/registry.h"
#include "src/base/thread_annotations.h"
#include "src/engine/engine.h"

namespace quorate::controller {

// The thread that owns the engine. Others hand it events; it applies them in the order they came,
// decides once it may, and hands decisions out.
class EngineThread {
 public:
  struct Callbacks {  // all on the engine's thread: hand over, do not block
    std::function<void(const engine::Engine&, std::vector<engine::Decision>)> on_decisions;
    // At most once in `view_interval`, after something changed: time to read views.
    std::function<void(const engine::Engine&)> on_views;
  };

  EngineThread(engine::Roles roles, Callbacks callbacks, MetricRegistry& metrics,
               Duration view_interval = Duration::millis(500));
  ~EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  void post(engine::Event event) EXCLUDES(mutex_);  // any thread
  // From here on it decides. Until then it only keeps up, as a standby does.
  void lead() EXCLUDES(mutex_);
  // Decides nothing more; what is queued is dropped.
  void stop() EXCLUDES(mutex_);

  // Runs a question on the engine's thread and waits for its answer. False after stop().
  bool ask(const std::function<void(const engine::Engine&)>& question) EXCLUDES(mutex_);

 private:
  void run() EXCLUDES(mutex_);
  void step();
  void show_views();
  void wait_for_work() EXCLUDES(mutex_);

  const Callbacks callbacks_;
  MetricRegistry& metrics_;
  const Duration view_interval_;

  // Of the engine's thread alone.
  engine::Engine engine_;
  bool views_due_ = false;
  std::int64_t views_shown_at_ = 0;  // steady nanoseconds

  Mutex mutex_;
  CondVar wake_;
  std::vector<engine::Event> events_ GUARDED_BY(mutex_);
  std::vector<std::function<void()>> questions_ GUARDED_BY(mutex_);
  bool leading_ GUARDED_BY(mutex_) = false;
  bool just_led_ GUARDED_BY(mutex_) = false;  // not to be slept through
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace quorate::controller
