#pragma once

// Private to the engine's .cc files.

#include "admission/admission.h"
#include "src/base/digest.h"
#include "src/base/transaction.h"
#include "src/cluster/model.h"
#include "src/engine/engine.h"
#include "src/engine/group_admissions.h"
#include "src/engine/placement_adapter.h"
#include "src/scheduler/scheduler.h"

namespace quorate::engine {

// Everything that a replay rebuilds. The journal is the one of all parts; a copy is a fork: it
// shares immutable specs and undoes nothing of the original.
struct Engine::State {
  explicit State(Roles which);
  State(const State& other);
  State& operator=(const State&) = delete;

  Roles roles;
  Journal journal;
  cluster::Model model;
  scheduler::Config scheduler_config;
  scheduler::Scheduler scheduler;
  admission::Admitter admitter;
  GroupAdmissions group_admissions;
  PlacementAdapter placement;
  Digest decisions;
  Time now;
  bool synced = false;

  void connect();        // admission to the placement port, where both halves are there
  void room_appeared();  // what did not fit on the nodes may fit now
  void tell(const std::vector<GroupChange>& changes);

  std::vector<Decision> admit(std::int64_t cycles);
  std::vector<Decision> schedule(std::int64_t groups);
};

}  // namespace quorate::engine
