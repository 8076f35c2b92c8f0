#include "admission/admission.h"

#include "admission/core.h"

namespace quorate::admission {

struct Admitter::State {
  Core core;
};

Admitter::Admitter(Journal& journal) : state_(new State{Core(journal)}) {}
Admitter::Admitter(const Admitter& other, Journal& journal)
    : state_(new State{Core(other.state_->core, journal)}) {}
Admitter::Admitter(Admitter&&) noexcept = default;
Admitter& Admitter::operator=(Admitter&&) noexcept = default;
Admitter::~Admitter() = default;

void Admitter::set_config(const Config& config) { state_->core.set_config(config); }
void Admitter::set_placement_port(PlacementPort* port) { state_->core.set_placement_port(port); }

void Admitter::set_cluster(const cluster::Model* model) { state_->core.set_cluster(model); }
void Admitter::observe(const cluster::NodeChange& change) { state_->core.observe(change); }
void Admitter::observe(const cluster::PodChange& change) { state_->core.observe(change); }

void Admitter::apply(const FlavorSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const TopologySpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const ClusterQueueSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const CohortSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const LocalQueueSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const AdmissionCheckSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const NamespaceSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const LimitRangeSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const RuntimeClassSpec& spec) { state_->core.apply(spec); }
void Admitter::apply(const WorkloadSpec& spec) { state_->core.apply(spec); }

void Admitter::flavor_gone(const std::string& name) { state_->core.flavor_gone(name); }
void Admitter::topology_gone(const std::string& name) { state_->core.topology_gone(name); }
void Admitter::cluster_queue_gone(const std::string& name) {
  state_->core.cluster_queue_gone(name);
}
void Admitter::cohort_gone(const std::string& name) { state_->core.cohort_gone(name); }
void Admitter::local_queue_gone(const ObjectKey& key) { state_->core.local_queue_gone(key); }
void Admitter::admission_check_gone(const std::string& name) {
  state_->core.admission_check_gone(name);
}
void Admitter::namespace_gone(const std::string& name) { state_->core.namespace_gone(name); }
void Admitter::limit_range_gone(const ObjectKey& key) { state_->core.limit_range_gone(key); }
void Admitter::runtime_class_gone(const std::string& name) {
  state_->core.runtime_class_gone(name);
}
void Admitter::workload_gone(const ObjectKey& key, const std::string& uid) {
  state_->core.workload_gone(key, uid);
}
void Admitter::workload_written(const ObjectKey& key, const std::string& uid, bool succeeded,
                                bool gone) {
  state_->core.workload_written(key, uid, succeeded, gone);
}
void Admitter::capacity_changed() { state_->core.capacity_changed(); }

std::vector<Decision> Admitter::cycle(Time now) { return state_->core.cycle(now); }
bool Admitter::busy() const { return state_->core.busy(); }
std::optional<Time> Admitter::next_wakeup() const { return state_->core.next_wakeup(); }
std::vector<std::string> Admitter::required_checks(const ObjectKey& workload) const {
  return state_->core.required_checks(workload);
}

std::vector<std::string> Admitter::cluster_queues() const { return state_->core.cluster_queues(); }
std::optional<QueueView> Admitter::cluster_queue(const std::string& name) const {
  return state_->core.cluster_queue(name);
}
std::vector<ObjectKey> Admitter::local_queues() const { return state_->core.local_queues(); }
std::optional<QueueView> Admitter::local_queue(const ObjectKey& key) const {
  return state_->core.local_queue(key);
}
std::vector<std::string> Admitter::changed_cluster_queues(std::uint64_t& cursor) const {
  return state_->core.changed_cluster_queues(cursor);
}
std::vector<ObjectKey> Admitter::changed_local_queues(std::uint64_t& cursor) const {
  return state_->core.changed_local_queues(cursor);
}
std::vector<std::string> Admitter::changed_cohorts(std::uint64_t& cursor) const {
  return state_->core.changed_cohorts(cursor);
}
std::optional<fairshare::Share> Admitter::cohort_share(const std::string& name) const {
  return state_->core.cohort_share(name);
}
std::optional<Hold> Admitter::waiting(const ObjectKey& workload) const {
  return state_->core.waiting(workload);
}
std::vector<ObjectKey> Admitter::pending(const std::string& cluster_queue) const {
  return state_->core.pending(cluster_queue, false);
}
std::vector<ObjectKey> Admitter::parked(const std::string& cluster_queue) const {
  return state_->core.pending(cluster_queue, true);
}

}  // namespace quorate::admission
