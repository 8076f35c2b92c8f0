#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/base/thread_annotations.h"
#include "src/http/loop.h"

namespace quorate::kube {

struct RetryPolicy {
  Duration base = Duration::millis(5);
  Duration max = Duration::seconds(300);
};

// base * 2^failures, at most max. `failures` counts from 0.
inline Duration backoff(const RetryPolicy& policy, std::uint32_t failures) {
  Duration delay = policy.base;
  for (std::uint32_t i = 0; i < failures && delay < policy.max; ++i) delay = delay * 2;
  return std::min(delay, policy.max);
}

// Keys that have to be looked at. A key waits at most once, however often it was added; it is
// worked on by one worker at a time, and one added meanwhile runs again afterwards. Thread safe.
template <class Key, class Hash = std::hash<Key>>
class WorkQueue {
 public:
  // `loop` outlives the queue.
  explicit WorkQueue(http::Loop& loop, RetryPolicy policy = {})
      : shared_(std::make_shared<Shared>()), loop_(loop), policy_(policy) {}
  ~WorkQueue() { shut_down(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const Key& key) { shared_->add(key); }

  // Of several delayed adds of a key each one counts; a plain add() does not cancel them.
  void add_after(const Key& key, Duration delay) {
    if (delay <= Duration{}) return add(key);
    loop_.after(delay, [weak = std::weak_ptr<Shared>(shared_), key] {
      if (const auto shared = weak.lock()) shared->add(key);
    });
  }

  // After a failure: later each time, until forget().
  void retry(const Key& key) { add_after(key, backoff(policy_, shared_->count_failure(key))); }
  void forget(const Key& key) { shared_->forget(key); }
  std::uint32_t failures(const Key& key) const { return shared_->failures_of(key); }

  // The next key, which is the caller's until done(key). Waits; nullopt after shut_down().
  std::optional<Key> next() { return shared_->next(true); }
  std::optional<Key> try_next() { return shared_->next(false); }
  void done(const Key& key) { shared_->done(key); }

  void shut_down() { shared_->shut_down(); }
  std::size_t size() const { return shared_->size(); }  // waiting, without those being worked on

 private:
  struct Shared {
    enum class State { Waiting, Working, WorkingAndAddedAgain };

    void add(const Key& key) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      if (stopped) return;
      const auto [found, fresh] = states.try_emplace(key, State::Waiting);
      if (fresh) {
        waiting.push_back(key);
        ready.notify_one();
      } else if (found->second == State::Working) {
        found->second = State::WorkingAndAddedAgain;
      }
    }
    std::optional<Key> next(bool wait) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      while (wait && waiting.empty() && !stopped) ready.wait(mutex);
      if (stopped || waiting.empty()) return std::nullopt;
      Key key = std::move(waiting.front());
      waiting.pop_front();
      states[key] = State::Working;
      return key;
    }
    void done(const Key& key) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      const auto found = states.find(key);
      if (found == states.end()) return;
      if (found->second == State::WorkingAndAddedAgain && !stopped) {
        found->second = State::Waiting;
        waiting.push_back(key);
        ready.notify_one();
      } else if (found->second != State::Waiting) {
        states.erase(found);
      }
    }
    std::uint32_t count_failure(const Key& key) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      return failures[key]++;
    }
    void forget(const Key& key) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      failures.erase(key);
    }
    std::uint32_t failures_of(const Key& key) EXCLUDES(mutex) {
      MutexLock lock(mutex);
      const auto found = failures.find(key);
      return found == failures.end() ? 0 : found->second;
    }
    void shut_down() EXCLUDES(mutex) {
      MutexLock lock(mutex);
      stopped = true;
      ready.notify_all();
    }
    std::size_t size() EXCLUDES(mutex) {
      MutexLock lock(mutex);
      return waiting.size();
    }

    Mutex mutex;
    CondVar ready;
    std::deque<Key> waiting GUARDED_BY(mutex);
    std::unordered_map<Key, State, Hash> states GUARDED_BY(mutex);
    std::unordered_map<Key, std::uint32_t, Hash> failures GUARDED_BY(mutex);
    bool stopped GUARDED_BY(mutex) = false;
  };

  std::shared_ptr<Shared> shared_;
  http::Loop& loop_;
  const RetryPolicy policy_;
};

}  // namespace quorate::kube
