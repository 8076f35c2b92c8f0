#pragma once

#include <atomic>
#include <utility>
// <utility> first: this Boost's awaitable.hpp needs it.
#include <boost/asio.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "src/base/thread_annotations.h"
#include "src/http/server.h"

// For beast_server.cc only: heavy.
namespace quorate::http::beast_server {

namespace asio = boost::asio;

// What the sessions share with the server. Sessions register here so that stop() can reach them.
struct Shared {
  Shared(ServerOptions o, Handler h) : options(std::move(o)), handler(std::move(h)) {}

  const ServerOptions options;
  const Handler handler;
  asio::io_context io;
  asio::thread_pool* workers = nullptr;
  std::atomic<bool> stopping{false};

  void opened() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    ++connections;
  }
  void closed() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    if (--connections == 0) none_left.notify_all();
  }
  int open() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return connections;
  }
  void wait_for_none(std::chrono::steady_clock::time_point end) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    while (connections > 0 && none_left.wait_until(mutex, end)) {
    }
  }

  Mutex mutex;
  CondVar none_left;
  int connections GUARDED_BY(mutex) = 0;
};

class SessionBase {
 public:
  virtual ~SessionBase() = default;
  virtual void begin_stop() = 0;  // close when idle
  virtual void cut() = 0;         // close now
};

// Weak references to the open sessions.
class Sessions {
 public:
  void add(const std::shared_ptr<SessionBase>& session) {
    MutexLock lock(mutex_);
    if (all_.size() >= sweep_at_) {
      std::erase_if(all_, [](const auto& weak) { return weak.expired(); });
      sweep_at_ = std::max<std::size_t>(64, all_.size() * 2);
    }
    all_.push_back(session);
  }
  template <class F>
  void each(F visit) {
    std::vector<std::weak_ptr<SessionBase>> copy;
    {
      MutexLock lock(mutex_);
      copy = all_;
    }
    for (const auto& weak : copy) {
      if (const auto session = weak.lock()) visit(*session);
    }
  }

 private:
  Mutex mutex_;
  std::vector<std::weak_ptr<SessionBase>> all_ GUARDED_BY(mutex_);
  std::size_t sweep_at_ GUARDED_BY(mutex_) = 64;
};

}  // namespace quorate::http::beast_server
