#pragma once

// For tests: the smallest world around an engine that carries out what it decides. Writes succeed
// at once and come back as events, an admitted workload gets its pod group and its pods, and a
// bound pod runs until it is told to finish.

#include <map>
#include <string>
#include <vector>

#include "src/engine/recorded_engine.h"

namespace quorate::engine {

// "Admit team/job in q: main gpu=h100 x6", "Bind team/job-0 to n1", "Hold team/job: <message>", ...
std::string text_of(const Decision& decision);

class ToyCluster {
 public:
  explicit ToyCluster(
      Roles roles = {}, RecordSink sink = [](const Record&) {});

  void tell(Event event) { engine_.apply(std::move(event)); }

  // --- objects; complete events, told at once ---
  void node(const std::string& name, std::int64_t gpus, Labels labels = {});
  void flavor(const std::string& name, Labels node_labels);
  void cluster_queue(const std::string& name, const std::string& cohort, const std::string& flavor,
                     std::int64_t gpus);
  void team(const std::string& ns, const std::string& cluster_queue);  // with LocalQueue "gpus"
  // A gang of `pods` pods with `gpus` each.
  void submit(const std::string& ns, const std::string& name, std::int32_t pods, std::int64_t gpus,
              Time created);
  void finish(const std::string& ns, const std::string& name, Time now);

  // Steps at `now` and carries out, until nothing is decided any more. What was decided, in order.
  std::vector<std::string> settle(Time now);

  const Engine& engine() const { return engine_.engine(); }
  RecordedEngine& recorded() { return engine_; }
  bool admitted(const std::string& ns, const std::string& name) const;
  // Admitted and not finished; false for one that was never submitted.
  bool running(const std::string& ns, const std::string& name) const;
  // Nodes of the workload's bound pods, sorted; one entry per pod.
  std::vector<std::string> nodes_of(const std::string& ns, const std::string& name) const;

 private:
  void carry_out(const Decision& decision, Time now);
  void carry_out(const admission::Decision& decision, Time now);
  void carry_out(const scheduler::Decision& decision);
  void start(const admission::WorkloadSpec& workload);
  void write(admission::WorkloadSpec& workload);

  RecordedEngine engine_;
  std::map<std::string, admission::FlavorSpec> flavors_;
  std::map<ObjectKey, admission::WorkloadSpec> workloads_;
  std::map<ObjectKey, scheduler::PodGroupSpec> groups_;
  std::map<ObjectKey, cluster::PodSpec> pods_;
};

// Three teams that share 64 GPUs on 8 nodes: vision and language own 24 each, speech 16. Without
// Synced.
void tell_quickstart(ToyCluster& cluster);

}  // namespace quorate::engine
