#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admission/variants.h"
#include "src/engine/engine.h"
#include "src/engine/record.h"
#include "src/jobs/job_workload.h"
#include "src/objects/config.h"
#include "src/simulate/complete.h"
#include "src/simulate/objects_in.h"
#include "src/simulate/scenario.h"
#include "src/simulate/timetable.h"

namespace quorate::simulate {

struct ClusterOptions {
  objects::Configuration config;
  bool finish_evictions = true;
  // Parked workloads move back at once, not with the next batch: for runs in which time stands
  // still.
  bool instant_moves = false;
  std::vector<Runtime> runtimes;
  std::function<void(engine::Record)> record;  // empty: nothing is recorded
};

// One look of admission, and what came of it.
struct Cycle {
  std::int64_t number = 0;
  Time now;
  std::vector<admission::Decision> decisions;  // in the order in which they were made
  // Those that wait for an event, not for their turn: of the workloads held in this cycle, or of
  // all where the whole was asked for. As they were before evictions came to their end.
  std::set<ObjectKey> parked;
  Duration wall;
};

// A cluster in virtual time: the objects, the engine that decides about them, and everything that
// controllers, jobs and users do in between, done at once.
//
// Same objects and same calls give the same cycles. Not thread safe.
class SimulatedCluster {
 public:
  SimulatedCluster(ClusterOptions options, Objects objects, Time start);

  Time now() const { return now_; }
  const Objects& objects() const { return objects_; }
  const engine::Engine& engine() const { return engine_; }
  // An independent copy, for questions of the kind "what if"; it records nothing, and what runs in
  // it runs for ever.
  SimulatedCluster fork() const;
  // The ClusterQueue that a workload is sent to; "" if its LocalQueue is not there.
  std::string queue_of(const objects::Workload& workload) const;
  const ClusterOptions& options() const { return options_; }

  // Deletions, then applied objects; an applied object without a status keeps the one it had.
  void change(const std::vector<Deletion>& remove, Objects applied);
  // The same for one new Workload, at the cost of that one.
  // It runs for `runtime` once admitted, whatever the options say, and is forgotten at its end.
  void submit(objects::Workload workload, Duration runtime);
  // Takes a finished Workload away for good.
  void forget(const ObjectKey& workload);

  // One admission cycle now; its decisions are carried out before it returns.
  enum class Survey { Decided, All };
  Cycle cycle(Survey survey = Survey::Decided);
  // Whether a cycle now could decide more, or would end an eviction.
  bool busy() const { return engine().busy() || evicting(); }
  // Whether a cycle would end an eviction.
  bool evicting() const { return options_.finish_evictions && !evicting_.empty(); }
  // When time alone changes something next: a backoff ends, a workload finishes.
  std::optional<Time> next_event() const;
  // Moves to a later moment; workloads whose time is over finish.
  void advance(Time to);

  // What could not be done with an input object, for the user's eyes.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  SimulatedCluster(const SimulatedCluster& other);
  void apply(engine::Event event);
  template <class T>
  void tell(const T& object);
  template <class T>
  void tell_all();
  void tell_namespaces(const Objects& named);
  void tell_everything();
  template <class T>
  void removed(const T& object);
  void carry_out(const admission::Decision& decision);
  void after_change(objects::Workload& workload);
  void follow_jobs();
  // variants.cc: families of concurrent admission
  bool is_variant(const objects::Workload& workload) const;
  void follow_variants();
  void become_parents();
  bool step_family(const ObjectKey& parent);
  void carry_out(const ObjectKey& parent, const admission::VariantStep& step);
  void create_variant(const ObjectKey& parent, const std::string& flavor);
  void follow_priorities();
  void settle_evictions();
  void find_parked(Cycle& cycle, Survey survey) const;
  std::optional<Duration> runtime_of(const objects::Workload& workload) const;
  const Runtime* runtime_entry(const objects::Workload& workload) const;
  void follow_readiness(objects::Workload& workload, bool runs);
  void follow_retention(const objects::Workload& workload);
  void end_of_retention(const ObjectKey& key);
  const objects::Job* job_of(const objects::Workload& workload) const;

  ClusterOptions options_;
  jobs::DerivationSettings derivation_;
  Objects objects_;
  Time now_;
  Identities identities_;
  engine::Engine engine_;
  std::int64_t cycles_ = 0;
  std::set<std::string> namespaces_;
  std::map<ObjectKey, Duration> runtimes_;  // of submitted workloads
  Timetable times_;
  std::set<ObjectKey> evicting_;
  std::optional<Time> gates_due_;  // when the next preemption gate of a variant may open
  std::set<ObjectKey> stopped_;    // whose pods were stopped here, and have not started again
  std::vector<std::string> notes_;
};

}  // namespace quorate::simulate
