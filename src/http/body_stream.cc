#include "src/http/body_stream.h"

#include <utility>

namespace quorate::http {

// Callbacks are copied or moved out and called after the lock is released.

bool BodyStream::write(std::shared_ptr<const std::string> chunk) {
  if (chunk->empty()) return !closed();
  std::function<void()> wake;
  bool overflow = false;
  {
    MutexLock lock(mutex_);
    if (closed_) return false;
    overflow = queued_bytes_ + chunk->size() > max_queued_bytes_;
    if (!overflow) {
      queued_bytes_ += chunk->size();
      chunks_.push_back(std::move(chunk));
      wake = wake_;
    }
  }
  if (overflow) {
    close(true, true);
    return false;
  }
  if (wake) wake();
  return true;
}

void BodyStream::finish() { close(false, false); }
void BodyStream::abort() { close(true, false); }
void BodyStream::reader_gone() { close(true, true); }

bool BodyStream::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

void BodyStream::close(bool aborted, bool drop_queue) {
  std::function<void()> wake;
  std::function<void()> on_close;
  {
    MutexLock lock(mutex_);
    if (drop_queue) {
      chunks_.clear();
      queued_bytes_ = 0;
    }
    if (!closed_) {
      closed_ = true;
      aborted_ = aborted;
      on_close = std::exchange(on_close_, nullptr);
    }
    aborted_ = aborted_ || drop_queue;
    wake = std::exchange(wake_, nullptr);  // nothing new comes after this
  }
  if (wake) wake();
  if (on_close) on_close();
}

void BodyStream::attach(std::function<void()> wake) {
  {
    MutexLock lock(mutex_);
    wake_ = wake;
  }
  wake();
}

BodyStream::Taken BodyStream::take(std::shared_ptr<const std::string>& chunk) {
  std::function<void()> last_wake;  // released outside the lock: it may own the connection
  MutexLock lock(mutex_);
  if (!chunks_.empty()) {
    chunk = std::move(chunks_.front());
    chunks_.pop_front();
    queued_bytes_ -= chunk->size();
    return Taken::Chunk;
  }
  if (!closed_) return Taken::Nothing;
  last_wake = std::exchange(wake_, nullptr);
  return aborted_ ? Taken::Aborted : Taken::Finished;
}

void BodyStream::on_close(std::function<void()> closed) {
  {
    MutexLock lock(mutex_);
    if (!closed_) {
      on_close_ = std::move(closed);
      return;
    }
  }
  closed();
}

}  // namespace quorate::http
