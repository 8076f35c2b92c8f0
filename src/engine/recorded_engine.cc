#include "src/engine/recorded_engine.h"

#include <utility>

namespace quorate::engine {

RecordedEngine::RecordedEngine(Session session, RecordSink sink)
    : engine_(session.roles), sink_(std::move(sink)) {
  sink_(std::move(session));
}

void RecordedEngine::apply(Event event) {
  engine_.apply(event);
  sink_(std::move(event));
}

std::vector<Decision> RecordedEngine::step(Time now, Budget budget) {
  std::vector<Decision> decisions = engine_.step(now, budget);
  sink_(Step{now, budget, static_cast<std::int64_t>(decisions.size()), engine_.decision_hash()});
  return decisions;
}

void RecordedEngine::checkpoint() {
  sink_(Checkpoint{engine_.decision_hash(), engine_.state_hash()});
}

}  // namespace quorate::engine
