#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admission/decision.h"
#include "src/simulate/cluster.h"
#include "src/simulate/command.h"

namespace quorate::simulate {

// A change that would admit a workload, proven by a run of the engine on a fork, and irreducible:
// with less of it the workload still waits.
struct Remedy {
  std::string kind;                                          // "raise-quota", "fewer-pods", ...
  std::string text;                                          // for people
  std::vector<std::pair<std::string, std::string>> details;  // for programs, in a fixed order
};

struct Explanation {
  ObjectKey workload;
  std::string cluster_queue;
  std::string state;                    // admitted, reserved, finished, pending
  std::optional<admission::Hold> hold;  // what holds a pending one; nullopt: not tried yet
  std::vector<objects::AdmissionCheckState> checks;  // that a reserved one still waits for
  std::vector<Remedy> remedies;
  std::int64_t trials = 0;  // runs on forks
};

// Why the workload is where it is in `base`, a cluster at rest, and what would move it.
// Errors: NotFound - there is no such workload.
Outcome<Explanation> explain(const SimulatedCluster& base, const ObjectKey& workload);

std::string to_json(const Explanation& explanation);
std::string to_text(const Explanation& explanation);

// --explain NS/NAME over the state in which a run ends.
int op_explain(const Options& options, const Streams& streams);

// Runs questions of the kind "would it be admitted if" on forks of one cluster.
class Trials {
 public:
  using Change = std::function<void(SimulatedCluster&)>;

  Trials(const SimulatedCluster& base, ObjectKey workload)
      : base_(base), workload_(std::move(workload)) {}

  bool admits(const Change& change);
  // The smallest amount in 1..most with which `change(amount)` admits; nullopt: not even the most.
  // `guess` is tried first.
  std::optional<std::int64_t> smallest(
      std::int64_t most, std::int64_t guess,
      const std::function<void(SimulatedCluster&, std::int64_t)>& change);

  const SimulatedCluster& base() const { return base_; }
  const objects::Workload& workload() const {
    return base_.objects().of<objects::Workload>().at(workload_);
  }
  const ObjectKey& key() const { return workload_; }
  std::int64_t count() const { return count_; }

 private:
  const SimulatedCluster& base_;
  ObjectKey workload_;
  std::int64_t count_ = 0;
};

// The families of remedies, each alone (explain_quota.cc, explain_workload.cc).
void quota_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out);
void ending_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out);
void queue_remedies(Trials& trials, std::vector<Remedy>& out);
void workload_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out);

}  // namespace quorate::simulate
