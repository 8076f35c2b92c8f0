#pragma once

// What is stored around events, so that they can be replayed and the replay be checked.

#include <cstdint>
#include <string>
#include <variant>

#include "src/base/time.h"
#include "src/engine/engine.h"
#include "src/engine/event.h"

namespace quorate::engine {

// A process began with an empty engine.
struct Session {
  std::string program;  // name and version
  Roles roles;
  std::uint64_t seed = 0;  // of the host's own randomness (retry jitter); the engine has none
  Time started;

  friend bool operator==(const Session&, const Session&) = default;
};

// The engine was asked to decide.
struct Step {
  Time now;
  Budget budget;
  std::int64_t decisions = 0;       // how many it gave
  std::uint64_t decision_hash = 0;  // running hash, these included

  friend bool operator==(const Step&, const Step&) = default;
};

// What the whole state looked like between two other records.
struct Checkpoint {
  std::uint64_t decision_hash = 0;
  std::uint64_t state_hash = 0;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

using Record = std::variant<Session, Event, Step, Checkpoint>;

}  // namespace quorate::engine
