#pragma once

#include <utility>

#include "src/base/thread_annotations.h"
#include "src/http/loop.h"

namespace quorate::kube {

// The way from other threads to a loop for an object that may be destroyed, and its loop after it,
// while callbacks are still to come: once closed, nothing passes and the loop is not touched.
class LoopGate {
 public:
  explicit LoopGate(http::Loop& loop) : loop_(loop) {}

  // Posts the task; runs it at once when the caller is on the loop already.
  void run(http::Loop::Task task) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (closed_) return;
      if (!loop_.on_loop()) {
        loop_.post(std::move(task));
        return;
      }
    }
    task();
  }
  void post(http::Loop::Task task) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!closed_) loop_.post(std::move(task));
  }
  void close() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    closed_ = true;
  }

 private:
  http::Loop& loop_;
  Mutex mutex_;
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace quorate::kube
