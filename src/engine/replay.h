#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/base/outcome.h"
#include "src/engine/engine.h"
#include "src/engine/record.h"

namespace quorate::engine {

// Rebuilds an engine from what was recorded of it and checks on the way that it decides the same.
// Stop feeding records at any point and engine() is what it was at that moment.
class Replay {
 public:
  // Errors: Invalid - the record does not follow from those before it: an event or step before the
  // first session, or a step or checkpoint whose hash differs ("step 17 at <time>: ..."). The
  // engine stays as it is after that record.
  Outcome<void> feed(const Record& record);

  // nullptr before the first session. A later session starts over with a new engine.
  const Engine* engine() const { return engine_ ? &*engine_ : nullptr; }
  Engine* engine() { return engine_ ? &*engine_ : nullptr; }
  const std::optional<Session>& session() const { return session_; }

  std::int64_t events() const { return events_; }  // of the current session, like steps
  std::int64_t steps() const { return steps_; }

 private:
  Outcome<void> take(const Session& session);
  Outcome<void> take(const Event& event);
  Outcome<void> take(const Step& step);
  Outcome<void> take(const Checkpoint& checkpoint);

  std::optional<Session> session_;
  std::optional<Engine> engine_;
  std::int64_t events_ = 0;
  std::int64_t steps_ = 0;
};

// Feeds a whole log (event_log.h).
// Errors: Invalid - those of the log's reader and of Replay::feed.
Outcome<Replay> replay_log(std::string_view log);

}  // namespace quorate::engine
