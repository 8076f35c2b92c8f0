#include "src/http/manual_loop.h"

#include <algorithm>

namespace quorate::http {

Loop::TimerId ManualLoop::after(Duration delay, Task task) {
  MutexLock lock(mutex_);
  const TimerId id = ++last_id_;
  tasks_.emplace(std::pair(now_ + std::max(delay, Duration{}), id), std::move(task));
  return id;
}

void ManualLoop::cancel(TimerId timer) {
  Task dropped;
  MutexLock lock(mutex_);
  const auto found = std::find_if(tasks_.begin(), tasks_.end(),
                                  [&](const auto& entry) { return entry.first.second == timer; });
  if (found == tasks_.end()) return;
  dropped.swap(found->second);
  tasks_.erase(found);
}

Steady ManualLoop::now() const {
  MutexLock lock(mutex_);
  return now_;
}

Time ManualLoop::wall() const {
  MutexLock lock(mutex_);
  return wall_start_ + (now_ - Steady{});
}

bool ManualLoop::run_one(Steady until) {
  Task task;
  {
    MutexLock lock(mutex_);
    if (tasks_.empty() || tasks_.begin()->first.first > until) return false;
    now_ = std::max(now_, tasks_.begin()->first.first);
    task = std::move(tasks_.begin()->second);
    tasks_.erase(tasks_.begin());
  }
  task();
  return true;
}

int ManualLoop::run() {
  int ran = 0;
  while (run_one(now())) ++ran;
  return ran;
}

void ManualLoop::advance(Duration by) {
  const Steady until = now() + by;
  while (run_one(until)) {
  }
  MutexLock lock(mutex_);
  now_ = until;
}

std::size_t ManualLoop::pending() const {
  MutexLock lock(mutex_);
  return tasks_.size();
}

}  // namespace quorate::http
