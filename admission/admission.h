#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/config.h"
#include "admission/decision.h"
#include "admission/placement_port.h"
#include "admission/spec.h"
#include "admission/views.h"
#include "src/base/time.h"
#include "src/base/transaction.h"
#include "src/cluster/model.h"

namespace quorate::admission {

// Decides which workloads get quota: queues, the admission cycle, and everything that happens to a
// workload between "queued" and "admitted", and back.
//
// A state machine: apply() tells it what the world looks like, cycle() decides and assumes what it
// decided. No clock, no I/O; equal sequences of calls give equal decisions. Not thread safe.
class Admitter final : public Views {
 public:
  // `journal` undoes trials of quota; it is shared with the other parts of the same state and
  // outlives this object.
  explicit Admitter(Journal& journal);
  // A fork: equal in every answer from here on, independent of the original. The placement port is
  // not taken over.
  Admitter(const Admitter& other, Journal& journal);
  Admitter(Admitter&&) noexcept;
  Admitter& operator=(Admitter&&) noexcept;
  ~Admitter() override;

  void set_config(const Config& config);
  // The nodes and pods that topologies are made of; nullptr (the default): there are none. A fork
  // is given its own. Told of every change by observe().
  void set_cluster(const cluster::Model* model);
  void observe(const cluster::NodeChange& change);
  void observe(const cluster::PodChange& change);
  // nullptr (the default): admit by quota alone.
  void set_placement_port(PlacementPort* port);

  // Objects as last seen. Complete values: applying one twice changes nothing.
  void apply(const FlavorSpec& spec);
  void apply(const TopologySpec& spec);
  void apply(const ClusterQueueSpec& spec);
  void apply(const CohortSpec& spec);
  void apply(const LocalQueueSpec& spec);
  void apply(const AdmissionCheckSpec& spec);
  void apply(const NamespaceSpec& spec);
  void apply(const LimitRangeSpec& spec);
  void apply(const RuntimeClassSpec& spec);
  void apply(const WorkloadSpec& spec);

  void flavor_gone(const std::string& name);
  void topology_gone(const std::string& name);
  void cluster_queue_gone(const std::string& name);
  void cohort_gone(const std::string& name);
  void local_queue_gone(const ObjectKey& key);
  void admission_check_gone(const std::string& name);
  void namespace_gone(const std::string& name);
  void limit_range_gone(const ObjectKey& key);
  void runtime_class_gone(const std::string& name);
  // Ignored if `uid` is not that of the workload known by this key (it was replaced meanwhile).
  void workload_gone(const ObjectKey& key, const std::string& uid);

  // How the write of a decision about this workload ended. A failure undoes what was assumed: an
  // Admit gives its quota back and the workload is tried again; other decisions are made again.
  // `gone`: the object does not exist any more.
  void workload_written(const ObjectKey& key, const std::string& uid, bool succeeded, bool gone);

  // Room on nodes may have appeared (node added or changed, pod ended): what the placement port
  // refused is tried again.
  void capacity_changed();

  // Moves time to `now`, reconciles what changed, and runs one admission cycle: at most one head
  // per ClusterQueue is tried. Everything decided is assumed at once.
  std::vector<Decision> cycle(Time now);

  // True if a further cycle at the same time could decide more.
  bool busy() const;
  // When time alone can next change an answer: backoffs, batched moves, retry delays.
  std::optional<Time> next_wakeup() const;

  // The checks that `workload` must have in its status now, sorted by name (by its queue's rules
  // and, once reserved, its flavors). Empty if the workload or its queue is not known.
  std::vector<std::string> required_checks(const ObjectKey& workload) const;

  // Views
  std::vector<std::string> cluster_queues() const override;
  std::optional<QueueView> cluster_queue(const std::string& name) const override;
  std::vector<ObjectKey> local_queues() const override;
  std::optional<QueueView> local_queue(const ObjectKey& key) const override;
  std::vector<std::string> changed_cluster_queues(std::uint64_t& cursor) const override;
  std::vector<ObjectKey> changed_local_queues(std::uint64_t& cursor) const override;
  std::vector<std::string> changed_cohorts(std::uint64_t& cursor) const override;
  std::optional<fairshare::Share> cohort_share(const std::string& name) const override;
  std::optional<Hold> waiting(const ObjectKey& workload) const override;
  std::vector<ObjectKey> pending(const std::string& cluster_queue) const override;
  std::vector<ObjectKey> parked(const std::string& cluster_queue) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quorate::admission
