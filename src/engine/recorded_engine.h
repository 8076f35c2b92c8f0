#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/engine/engine.h"
#include "src/engine/record.h"

namespace quorate::engine {

// Where records go; called in order, on the thread that owns the engine. Must not block for long.
using RecordSink = std::function<void(Record)>;

// An engine of which everything is recorded that a replay needs. Hosts that record use this in
// place of the Engine; `sink` gets the session first.
class RecordedEngine {
 public:
  RecordedEngine(Session session, RecordSink sink);

  void apply(Event event);
  std::vector<Decision> step(Time now, Budget budget = {});
  // Records what the whole state looks like; costs a walk over it.
  void checkpoint();

  const Engine& engine() const { return engine_; }

 private:
  Engine engine_;
  RecordSink sink_;
};

}  // namespace quorate::engine
