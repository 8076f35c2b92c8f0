#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/object_key.h"
#include "src/base/time.h"
#include "src/base/transaction.h"
#include "src/cluster/model.h"
#include "src/scheduler/config.h"
#include "src/scheduler/decision.h"
#include "src/scheduler/spec.h"

namespace quorate::scheduler {

// Why a group is where it is, for `explain`, status pages and metrics.
struct GroupView {
  enum class State {
    Unknown,            // pods name it, the object has not been seen
    WaitsForAdmission,  // a queue manages it and has not admitted it
    WaitsForMembers,    // fewer members than its minimum exist
    Queued,             // will be tried
    Unschedulable,      // tried, waits for an event that can help
    Binding,            // placed; binds are on their way
    Scheduled,          // at least the minimum is bound, nobody is left over
  };
  State state = State::Unknown;
  std::int32_t required = 0;
  std::int32_t bound = 0;    // members on a node for certain
  std::int32_t held = 0;     // members with a place of ours, bind not confirmed
  std::int32_t pending = 0;  // members that want a place
  std::int32_t gated = 0;
  std::string message;       // of the last attempt that failed
  std::string proof;         // what proved it impossible, or that the search's budget ended
  GroupDiagnosis diagnosis;  // why it waits, by constraint and domain

  friend bool operator==(const GroupView&, const GroupView&) = default;
};

// Queue, cycle, gangs and binds: everything of the scheduler that is not in the cluster model.
//
// Pure: no clock and no I/O; equal sequences of calls give equal decisions. A copy is a fork; the
// model and the journal it works on are passed to each call, so a fork gets those of its own state.
// Events only note what changed; queues move and decisions are made in step().
// Not thread safe.
class Scheduler {
 public:
  explicit Scheduler(Config config = {});
  ~Scheduler();
  Scheduler(const Scheduler& other);
  Scheduler& operator=(const Scheduler& other);
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;

  void set_config(Config config);  // from the next step on

  // --- events; the change is what Model::apply or Model::..._gone returned for the same event ---
  void observe(const cluster::Model& model, const cluster::NodeChange& change);
  void observe(cluster::Model& model, Journal& journal, const cluster::PodChange& change);
  // Something of the devices changed: the claim, or what may be allocated (nullptr).
  void devices_changed(const ObjectKey* claim);
  void apply(PodGroupSpec spec);
  void group_gone(const ObjectKey& key, std::string_view uid);
  void apply(CompositeGroupSpec spec);
  void composite_gone(const ObjectKey& key, std::string_view uid);
  void apply(DisruptionBudget budget);
  void budget_gone(const ObjectKey& key);

  // A queue admitted the workload of a group with needs_admission; again: replaces what was said.
  void admit_group(GroupAdmission admission);
  // It lost its admission: members that have no node wait again. Binds on their way are not called
  // back; whoever withdraws also ends the pods.
  void withdraw_group(const ObjectKey& group);

  // How a Bind ended. `node` says where the pod is if Elsewhere. Unknown uids are ignored.
  void bind_written(cluster::Model& model, Journal& journal, const ObjectKey& pod,
                    std::string_view pod_uid, std::string_view node, BindResult result,
                    std::string_view message);

  // Decides: tries at most `budget` pods and gangs. Must not be called before the lists of a start
  // are complete. Everything decided is assumed in the model at once.
  std::vector<Decision> step(cluster::Model& model, Journal& journal, Time now,
                             std::int64_t budget);
  // True if a further step at the same time could decide more.
  bool busy() const;
  // When time alone can next change something: backoffs, flushes, bind retries and deadlines.
  std::optional<Time> next_wakeup() const;

  // nullopt: neither the object nor a pod that names it is known.
  std::optional<GroupView> group_view(const cluster::Model& model, const ObjectKey& group) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quorate::scheduler
