#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admission/decision.h"
#include "admission/views.h"
#include "src/engine/event.h"
#include "src/scheduler/decision.h"
#include "src/scheduler/scheduler.h"

namespace quorate::engine {

using Decision = std::variant<admission::Decision, scheduler::Decision>;

// Which halves are there. The cluster model sees every event in any case; a half that is off sees
// none, decides nothing and costs nothing. With both on, admission proves placements before it
// gives quota, by the scheduler's own planning code.
struct Roles {
  bool admission = true;
  bool scheduler = true;

  friend bool operator==(const Roles&, const Roles&) = default;
};

// Bounds the work of one step in units of work (heads nominated, pods filtered × nodes), never in
// time, so that a replay stops where the original stopped.
struct Budget {
  std::int64_t cycles = 1;        // admission cycles
  std::int64_t groups = 1 << 20;  // pods and gangs tried by the scheduler

  friend bool operator==(const Budget&, const Budget&) = default;
};

// Admission and scheduler together as one deterministic state machine over one cluster model.
//
// Not thread safe: one thread owns it; others hand it events. Equal event sequences give equal
// decision sequences on every machine. An event about what is not known (a dead uid, a key never
// seen) changes nothing.
//
// A group that a queue manages is let to nodes when the API server shows its workload admitted,
// never on the engine's own decision: the admission is a fact only then, and a controller and a
// scheduler that run apart act alike.
class Engine {
 public:
  explicit Engine(Roles roles);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  void apply(const Event& event);

  // Applies Tick{now}, then decides as much as the budget allows. Empty means nothing to do until
  // an event arrives or next_wakeup() comes, or that Synced was not seen yet. Everything decided is
  // assumed at once. Time never runs backwards: an earlier `now` counts as the latest one.
  std::vector<Decision> step(Time now, Budget budget = {});

  // True if a further step at the same time could decide more.
  bool busy() const;
  // When time alone can next change something: backoffs, batched requeues, bind deadlines.
  std::optional<Time> next_wakeup() const;

  // An independent copy for what-if questions; shares immutable specs.
  Engine fork() const;

  // Running hash over all decision batches so far: names and values, never ids. Empty batches do
  // not count.
  std::uint64_t decision_hash() const;
  // Of the nodes, pods, reservations, queues and their usage: equal for equal states however they
  // came about. Costs a walk over everything.
  std::uint64_t state_hash() const;

  // What status writers, metrics and `explain` read.
  const admission::Views& admission_views() const;
  // The checks that a workload must have in its status now, sorted by name.
  std::vector<std::string> required_checks(const ObjectKey& workload) const;
  // nullopt: nothing is known of such a group.
  std::optional<scheduler::GroupView> group_view(const ObjectKey& group) const;
  // For a pod that waits for devices: which request got how far on the node where it got furthest,
  // and what stood in its way; "" if devices do not stop it.
  std::string device_shortfall(const ObjectKey& pod) const;

 private:
  struct State;
  struct Applier;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace quorate::engine
