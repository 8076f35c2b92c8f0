#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/base/outcome.h"
#include "src/engine/record.h"

namespace quorate::recorder {

struct RecorderOptions {
  // Records that wait for the disk, together at most; beyond it the recording stops, because one
  // with a hole cannot be replayed.
  std::size_t max_queued_bytes = 64u << 20;
  // Sessions kept in the file, the new one included; older ones are deleted at the start.
  std::int64_t keep_sessions = 8;
};

// Writes the records of one session to SQLite (WAL), in the order in which they are given. One
// thread of its own encodes and writes, many records per transaction.
//
// Recording never gets in the way of deciding: record() does not wait for the disk, and a disk that
// fails ends the recording, not the program.
class Recorder {
 public:
  // Opens or makes the database and begins the session.
  // Errors: Unavailable - the file cannot be opened or written, with SQLite's reason; Invalid - it
  // is another database or one of a newer layout.
  static Outcome<std::unique_ptr<Recorder>> open(const std::string& path,
                                                 const engine::Session& session,
                                                 RecorderOptions options = {});
  // Writes what is queued, then ends.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void record(engine::Record record);  // any thread; the order is that of the calls

  // Waits until everything recorded so far is committed.
  // Errors: Unavailable - the recording has stopped, and why.
  Outcome<void> flush();

  // Why the recording stopped; "" while it goes on.
  std::string failure() const;
  std::int64_t written() const;  // records of this session that are committed

 private:
  struct State;
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace quorate::recorder
