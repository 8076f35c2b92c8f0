#include "src/http/loop.h"

#include <time.h>

#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "src/base/thread_annotations.h"

namespace quorate::http {
namespace {

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class ThreadLoop final : public Loop {
 public:
  ThreadLoop() : thread_([this] { run(); }) {}

  ~ThreadLoop() override {
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  TimerId after(Duration delay, Task task) override {
    const Steady due = delay > Duration{} ? now() + delay : Steady{};
    MutexLock lock(mutex_);
    const TimerId id = ++last_id_;
    tasks_.emplace(std::pair(due, id), std::move(task));
    due_of_.emplace(id, due);
    if (tasks_.begin()->first.second == id) changed_.notify_all();
    return id;
  }

  void cancel(TimerId timer) override {
    Task dropped;  // its destructor may call back into the loop: not under the lock
    MutexLock lock(mutex_);
    const auto found = due_of_.find(timer);
    if (found == due_of_.end()) return;
    const auto task = tasks_.find(std::pair(found->second, timer));
    dropped.swap(task->second);
    tasks_.erase(task);
    due_of_.erase(found);
  }

  Steady now() const override { return steady_now(); }
  Time wall() const override { return wall_now(); }
  bool on_loop() const override { return std::this_thread::get_id() == thread_.get_id(); }

  void run_and_wait(const Task& task) override {
    if (on_loop()) return task();
    Mutex mutex;
    CondVar ran;
    bool done = false;
    post([&] {
      task();
      MutexLock lock(mutex);
      done = true;
      ran.notify_all();
    });
    MutexLock lock(mutex);
    while (!done) ran.wait(mutex);
  }

 private:
  void run() {
    for (;;) {
      Task task;
      {
        MutexLock lock(mutex_);
        for (;;) {
          if (stopped_) return;
          if (tasks_.empty()) {
            changed_.wait(mutex_);
            continue;
          }
          const auto first = tasks_.begin();
          const Duration left = first->first.first - now();
          if (left <= Duration{}) {
            task = std::move(first->second);
            due_of_.erase(first->first.second);
            tasks_.erase(first);
            break;
          }
          changed_.wait_until(
              mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(left.nanos));
        }
      }
      task();
    }
  }

  Mutex mutex_;
  CondVar changed_;
  std::map<std::pair<Steady, TimerId>, Task> tasks_ GUARDED_BY(mutex_);
  std::map<TimerId, Steady> due_of_ GUARDED_BY(mutex_);
  TimerId last_id_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

Steady steady_now() { return {read_clock(CLOCK_BOOTTIME)}; }
Time wall_now() { return {read_clock(CLOCK_REALTIME)}; }

std::unique_ptr<Loop> make_thread_loop() { return std::make_unique<ThreadLoop>(); }

}  // namespace quorate::http
