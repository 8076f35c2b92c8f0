#pragma once

#include <condition_variable>
#include <mutex>

// Clang's thread-safety analysis; nothing for other compilers.
#if defined(__clang__)
#define QUORATE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define QUORATE_THREAD_ANNOTATION(x)
#endif

#define CAPABILITY(x) QUORATE_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY QUORATE_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(x) QUORATE_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) QUORATE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) QUORATE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) QUORATE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define EXCLUDES(...) QUORATE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS QUORATE_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace quorate {

// std::mutex that the analysis knows.
class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits are written as loops around the condition, so that the analysis sees the guarded reads.
class CondVar {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    variable_.wait(lock);
    lock.release();
  }
  // False if the moment came first.
  template <class TimePoint>
  bool wait_until(Mutex& mutex, TimePoint moment) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool woken = variable_.wait_until(lock, moment) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void notify_one() { variable_.notify_one(); }
  void notify_all() { variable_.notify_all(); }

 private:
  std::condition_variable variable_;
};

}  // namespace quorate
