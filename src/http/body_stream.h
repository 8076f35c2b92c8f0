#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "src/base/thread_annotations.h"

namespace quorate::http {

// A response body that is written while it is being sent: a bounded queue of chunks between the
// producer (any thread) and the connection. A reader that falls behind by more than the bound
// is cut off, never waited for.
class BodyStream {
 public:
  explicit BodyStream(std::size_t max_queued_bytes = std::size_t{8} << 20)
      : max_queued_bytes_(max_queued_bytes) {}

  // Producer. False: the reader is gone or was cut off; write no more.
  bool write(std::shared_ptr<const std::string> chunk);
  bool write(std::string chunk) {
    return write(std::make_shared<const std::string>(std::move(chunk)));
  }
  void finish();  // the body is complete
  void abort();   // the connection is cut in mid-body
  bool closed() const;

  // Connection. `wake` is called, on any thread, whenever take() may have something new, and once
  // by attach itself.
  enum class Taken { Nothing, Chunk, Finished, Aborted };
  void attach(std::function<void()> wake);
  Taken take(std::shared_ptr<const std::string>& chunk);
  void reader_gone();
  // Called once when the reader goes away or the body ends; at once if that has happened.
  void on_close(std::function<void()> closed);

 private:
  void close(bool aborted, bool drop_queue);

  const std::size_t max_queued_bytes_;
  mutable Mutex mutex_;
  std::deque<std::shared_ptr<const std::string>> chunks_ GUARDED_BY(mutex_);
  std::size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;  // nothing more is accepted
  bool aborted_ GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ GUARDED_BY(mutex_);
  std::function<void()> on_close_ GUARDED_BY(mutex_);
};

}  // namespace quorate::http
