#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/outcome.h"
#include "src/engine/record.h"
#include "src/engine/replay.h"

namespace quorate::recorder {

struct SessionInfo {
  std::int64_t id = 0;
  std::int64_t records = 0;
  engine::Session session;
};

// Reads what Recorder wrote, also while it is being written.
class Recording {
 public:
  // Errors: NotFound - no such file; Unavailable - it cannot be read; Invalid - it is another
  // database or one of a newer layout.
  static Outcome<Recording> open(const std::string& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  Outcome<std::vector<SessionInfo>> sessions();  // oldest first

  // The records of a session, its Session first, until `visit` says false.
  // Errors: NotFound - no such session; Invalid - a record that cannot be read, with its number.
  Outcome<void> read(std::int64_t session, const std::function<bool(engine::Record)>& visit);

  // Rebuilds the engine and checks every hash; `steps` < 0: to the end, else that many steps.
  // Errors: those of read() and of engine::Replay::feed.
  Outcome<engine::Replay> replay(std::int64_t session, std::int64_t steps = -1);

  // The session as an event log file's bytes (engine/event_log.h), to be carried elsewhere.
  Outcome<std::string> event_log(std::int64_t session);

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace quorate::recorder
