#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admission/proof.h"
#include "admission/spec.h"
#include "src/simulate/cluster.h"

namespace quorate::simulate {

// What a run has to say, in a fixed order, whatever it is printed as.

struct AdmittedEntry {
  ObjectKey workload;
  std::string cluster_queue;
  bool admitted = false;  // else only its quota is reserved
  std::vector<admission::PodSetAssignment> pod_sets;
};

struct EvictedEntry {
  ObjectKey workload;
  std::optional<ObjectKey> preemptor;
  std::string reason;
  std::string message;
};

struct WaitingEntry {
  ObjectKey workload;
  std::string cluster_queue;
  bool parked = false;
  admission::Proof proof;
  std::string reason;
  std::string message;
};

struct CycleAnswer {
  std::int64_t number = 0;
  Time now;
  std::vector<AdmittedEntry> admitted;
  std::vector<EvictedEntry> preempted;
  std::vector<EvictedEntry> evicted;  // for other reasons than preemption
  std::vector<WaitingEntry> pending;
  std::int64_t decisions = 0;
  std::int64_t trials = 0;  // workloads that were tried
  Duration wall;

  bool empty() const { return decisions == 0; }
};

// `survey`: whether `pending` lists all that wait, or those that the cycle decided about.
CycleAnswer answer_of(const Cycle& cycle, const SimulatedCluster& cluster,
                      SimulatedCluster::Survey survey = SimulatedCluster::Survey::Decided);

// What a workload that has no quota waits for, by its last attempt; one that was not tried yet
// waits for its turn.
WaitingEntry waiting_entry(const objects::Workload& workload, const SimulatedCluster& cluster,
                           bool parked);

// The state in which a run ended.
struct FinalAnswer {
  using Usage = std::map<std::string, std::map<std::string, std::map<std::string, Quantity>>>;
  struct Queue {
    std::vector<ObjectKey> active;        // in the order in which they will be tried
    std::vector<ObjectKey> inadmissible;  // sorted
  };
  Usage usage;  // by queue, flavor, resource
  // With fair sharing: weighted shares as the status shows them.
  std::map<std::string, std::int64_t> queue_shares, cohort_shares;
  // Of LocalQueues that take turns by usage.
  std::map<ObjectKey, ExactAmounts> consumed;
  std::map<ObjectKey, objects::Workload> workloads;
  std::map<std::string, Queue> queues;
  std::map<ObjectKey, WaitingEntry> waiting;
};

FinalAnswer final_of(const SimulatedCluster& cluster);

struct Answer {
  std::vector<CycleAnswer> cycles;
  std::optional<FinalAnswer> final;
  std::string hash;  // "" for single operations, which decide nothing
};

std::string_view text_of(admission::Layer layer);
// "cohort/research", "clusterQueue/left"
std::string text_of(const admission::Scope& scope);

// One JSON document, byte for byte the same for equal answers. `timing` adds wall-clock durations.
std::string to_json(const Answer& answer, bool timing);
// One fact of a proof as a JSON object.
std::string to_json(const admission::Fact& fact);

}  // namespace quorate::simulate
