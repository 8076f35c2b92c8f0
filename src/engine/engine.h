#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "admission/decision.h"
#include "admission/views.h"
#include "src/engine/event.h"
#include "src/scheduler/decision.h"

namespace quorate::engine {

using Decision = std::variant<admission::Decision, scheduler::Decision>;

// Which halves decide. Both see every event; a half that is off keeps its model and decides nothing.
struct Roles {
  bool admission = true;
  bool scheduler = true;
};

// Bounds the work of one step in units of work (heads nominated, pods filtered × nodes), never in
// time, so that a replay stops where the original stopped.
struct Budget {
  std::int64_t cycles = 1;           // admission cycles
  std::int64_t groups = 1 << 20;     // pods and gangs tried by the scheduler
};

// Admission and scheduler together as one deterministic state machine over one cluster model.
//
// Not thread safe: one thread owns it; others hand it events. Equal event sequences give equal
// decision sequences on every machine.
class Engine {
 public:
  explicit Engine(Roles roles);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  void apply(const Event& event);

  // Applies Tick{now}, then decides as much as the budget allows. Empty means nothing to do until
  // an event arrives or next_wakeup() comes. Everything decided is assumed at once.
  std::vector<Decision> step(Time now, Budget budget = {});

  // True if a further step at the same time could decide more.
  bool busy() const;
  // When time alone can next change something: backoffs, batched requeues, bind deadlines.
  std::optional<Time> next_wakeup() const;

  // An independent copy for what-if questions; shares immutable specs.
  Engine fork() const;

  // Running hash over all decision batches so far: names and values, never ids.
  std::uint64_t decision_hash() const;

  // What status writers, metrics and `explain` read.
  const admission::Views& admission_views() const;

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace quorate::engine
