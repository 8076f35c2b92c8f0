#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/live/store.h"
#include "controller/metrics/registry.h"
#include "src/engine/event.h"
#include "src/kube/client.h"
#include "src/kube/event_recorder.h"
#include "src/objects/pod_group.h"
#include "src/scheduler/decision.h"

namespace quorate::controller {

// Where the groups of a cluster are known; either may be empty.
struct GroupStores {
  Store<objects::PodGroup> native;
  Store<objects::PodGroup> fallback;

  GroupStores();
  Store<objects::PodGroup>& of(bool is_native) { return is_native ? native : fallback; }
};

// Carries out what the scheduler decided. Binds go first and report how they ended; conditions of
// pods and groups come after them, the latest of each object only. Thread safe.
class PodWriter {
 public:
  using Post = std::function<void(engine::Event)>;  // outcomes, to the engine

  // All outlive the writer. Binds have a client of their own, so that nothing else is before them.
  PodWriter(kube::Client& binds, kube::Client& others, GroupStores& groups,
            kube::EventRecorder& events, MetricRegistry& metrics, Post post);
  ~PodWriter();

  void submit(scheduler::Decision decision);
  // Decisions of one step: the claims of all members of a gang are written before any is bound.
  void submit(std::vector<scheduler::Decision> decisions);
  void stop();  // sends nothing more

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// How a bind that was not answered by success ended, from the pod as it was read back; nullptr:
// there is no pod of that name.
struct PodAsRead {
  std::string uid;
  std::string node;
};
scheduler::BindResult judge_bind(const scheduler::Bind& bind, const PodAsRead* pod);

}  // namespace quorate::controller
