#include "src/simulate/cluster.h"

#include <algorithm>
#include <chrono>

#include "src/objects/names.h"
#include "src/simulate/merge.h"
#include "src/simulate/write_status.h"
#include "src/translate/status.h"
#include "src/translate/translate.h"

namespace quorate::simulate {
namespace {

constexpr engine::Roles kRoles{.admission = true, .scheduler = false};

// What the engine is told when an object is gone; nothing for kinds that it does not know.
std::optional<engine::Event> gone(const objects::Namespace& o) {
  return engine::NamespaceGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::ResourceFlavor& o) {
  return engine::FlavorGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::Topology& o) {
  return engine::TopologyGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::ClusterQueue& o) {
  return engine::ClusterQueueGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::Cohort& o) {
  return engine::CohortGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::LocalQueue& o) {
  return engine::LocalQueueGone{o.meta.key};
}
std::optional<engine::Event> gone(const objects::AdmissionCheck& o) {
  return engine::AdmissionCheckGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::LimitRange& o) {
  return engine::LimitRangeGone{o.meta.key};
}
std::optional<engine::Event> gone(const objects::RuntimeClass& o) {
  return engine::RuntimeClassGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::Workload& o) {
  return engine::WorkloadGone{o.meta.key, o.meta.uid};
}
std::optional<engine::Event> gone(const objects::Node& o) {
  return engine::NodeGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::Pod& o) {
  return engine::PodGone{o.meta.key, o.meta.uid};
}
std::optional<engine::Event> gone(const objects::PodGroup& o) {
  return engine::PodGroupGone{o.meta.key, o.meta.uid};
}
template <class T>
std::optional<engine::Event> gone(const T&) {
  return std::nullopt;
}

ObjectKey queue_key(const objects::Workload& workload) {
  return {workload.meta.key.ns, workload.queue_name};
}

}  // namespace

SimulatedCluster::SimulatedCluster(ClusterOptions options, Objects objects, Time start)
    : options_(std::move(options)), objects_(std::move(objects)), now_(start), engine_(kRoles) {
  const objects::FeatureGates& gates = options_.config.gates;
  derivation_ = {.label_keys_to_copy = options_.config.label_keys_to_copy,
                 .partial_admission = gates.enabled("PartialAdmission"),
                 .topology_aware = gates.enabled("TopologyAwareScheduling"),
                 .admission_gated_by = gates.enabled("AdmissionGatedBy"),
                 .short_names = gates.enabled("ShortWorkloadNames")};
  if (options_.record) {
    options_.record(
        engine::Session{.program = "quorate simulate", .roles = kRoles, .started = start});
  }
  complete(objects_, now_, identities_);
  derive_workloads(objects_, derivation_, options_.config.manage_jobs_without_queue_name, now_,
                   identities_, notes_);
  tell_everything();
}

SimulatedCluster::SimulatedCluster(const SimulatedCluster& other)
    : options_(other.options_),
      derivation_(other.derivation_),
      objects_(other.objects_),
      now_(other.now_),
      identities_(other.identities_),
      engine_(other.engine_.fork()),
      cycles_(other.cycles_),
      namespaces_(other.namespaces_),
      evicting_(other.evicting_),
      notes_(other.notes_) {
  options_.record = nullptr;
  options_.runtimes.clear();
}

SimulatedCluster SimulatedCluster::fork() const { return SimulatedCluster(*this); }

void SimulatedCluster::apply(engine::Event event) {
  engine_.apply(event);
  if (options_.record) options_.record(std::move(event));
}

template <class T>
void SimulatedCluster::tell(const T& object) {
  if constexpr (requires { translate::to_spec(object); }) apply(translate::to_spec(object));
}

template <class T>
void SimulatedCluster::tell_all() {
  for (const auto& [key, object] : objects_.of<T>()) tell(object);
}

// Namespaces that objects are in and that were not given have no labels.
void SimulatedCluster::tell_namespaces(const Objects& named) {
  std::set<std::string> names;
  named.each_kind([&](const auto& map) {
    for (const auto& [key, object] : map) {
      if (!key.ns.empty()) names.insert(key.ns);
    }
  });
  for (const std::string& name : names) {
    if (objects_.of<objects::Namespace>().contains({"", name})) continue;
    if (namespaces_.insert(name).second) apply(admission::NamespaceSpec{name, {}});
  }
}

void SimulatedCluster::tell_everything() {
  admission::Config config = translate::to_config(options_.config);
  if (options_.instant_moves) config.move_back_batch = {};
  apply(engine::Configured{std::move(config), {}});
  tell_all<objects::Namespace>();
  tell_namespaces(objects_);
  tell_all<objects::LimitRange>();
  tell_all<objects::RuntimeClass>();
  tell_all<objects::Topology>();
  tell_all<objects::ResourceFlavor>();
  tell_all<objects::AdmissionCheck>();
  tell_all<objects::Cohort>();
  tell_all<objects::ClusterQueue>();
  tell_all<objects::LocalQueue>();
  tell_all<objects::ResourceSlice>();
  tell_all<objects::ResourceClaim>();
  tell_all<objects::Node>();
  tell_all<objects::PodGroup>();
  tell_all<objects::Pod>();
  for (auto& [key, workload] : objects_.of<objects::Workload>()) after_change(workload);
  apply(engine::Synced{});
}

std::string SimulatedCluster::queue_of(const objects::Workload& workload) const {
  if (workload.status.admission) return workload.status.admission->cluster_queue;
  const auto& queues = objects_.of<objects::LocalQueue>();
  const auto found = queues.find(queue_key(workload));
  return found == queues.end() ? std::string() : found->second.cluster_queue;
}

const objects::Job* SimulatedCluster::job_of(const objects::Workload& workload) const {
  const objects::OwnerReference* owner = objects::controller_of(workload.meta);
  if (owner == nullptr || owner->kind != "Job") return nullptr;
  const auto& jobs = objects_.of<objects::Job>();
  const auto found = jobs.find({workload.meta.key.ns, owner->name});
  return found == jobs.end() ? nullptr : &found->second;
}

std::optional<Duration> SimulatedCluster::runtime_of(const objects::Workload& workload) const {
  if (const auto own = runtimes_.find(workload.meta.key); own != runtimes_.end()) {
    return own->second;
  }
  if (options_.runtimes.empty()) return std::nullopt;
  Labels labels = workload.meta.labels;
  if (const objects::Job* job = job_of(workload)) {
    labels.insert(job->meta.labels.begin(), job->meta.labels.end());
  }
  for (const Runtime& runtime : options_.runtimes) {
    if (runtime.selector.matches(labels)) return runtime.duration;
  }
  return std::nullopt;
}

// Everything that follows from a Workload having become what it is now.
void SimulatedCluster::after_change(objects::Workload& workload) {
  const ObjectKey& key = workload.meta.key;
  if (workload.active &&
      objects::is_true(workload.status.conditions, objects::conditions::kDeactivationTarget)) {
    workload.active = false;
    ++workload.meta.generation;
  }
  if (being_evicted(workload)) {
    evicting_.insert(key);
  } else {
    evicting_.erase(key);
  }
  const bool runs = admitted(workload) && !finished(workload) && !being_evicted(workload);
  const auto known = ends_.find(key);
  if (!runs && known != ends_.end()) {
    by_end_.erase({known->second, key});
    ends_.erase(known);
  } else if (runs && known == ends_.end()) {
    if (const std::optional<Duration> runtime = runtime_of(workload)) {
      const objects::Condition* since =
          objects::find_condition(workload.status.conditions, objects::conditions::kAdmitted);
      const Time end = std::max(now_, since->last_transition + *runtime);
      ends_[key] = end;
      by_end_.insert({end, key});
    }
  }
  tell(workload);
}

void SimulatedCluster::carry_out(const admission::Decision& decision) {
  const auto [key, uid] = std::visit(
      [](const auto& d) { return std::pair<ObjectKey, std::string>(d.workload, d.uid); }, decision);
  auto& workloads = objects_.of<objects::Workload>();
  const auto found = workloads.find(key);
  if (found == workloads.end() || found->second.meta.uid != uid) {
    apply(engine::AdmissionWritten{key, uid, false, true, "not found"});
    return;
  }
  const bool ran = admitted(found->second);
  translate::write_decision(found->second, decision,
                            {now_, engine_.required_checks(key), /*say_layer=*/false});
  if (options_.config.wait_for_pods_ready && !ran && admitted(found->second)) {
    pods_ready(found->second, now_);
  }
  after_change(found->second);
  apply(engine::AdmissionWritten{key, uid, true, false, ""});
}

void SimulatedCluster::settle_evictions() {
  if (!options_.finish_evictions) return;
  auto& workloads = objects_.of<objects::Workload>();
  const std::set<ObjectKey> evicting = std::exchange(evicting_, {});
  for (const ObjectKey& key : evicting) {
    const auto found = workloads.find(key);
    if (found == workloads.end()) continue;
    translate::finish_eviction(found->second, now_);
    after_change(found->second);
  }
}

Cycle SimulatedCluster::cycle(Survey survey) {
  using Clock = std::chrono::steady_clock;
  Cycle cycle{.number = ++cycles_, .now = now_};
  const Clock::time_point began = Clock::now();
  const engine::Budget budget{.cycles = 1};
  std::vector<engine::Decision> decisions = engine_.step(now_, budget);
  cycle.wall = {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count()};
  if (options_.record) {
    options_.record(engine::Step{now_, budget, static_cast<std::int64_t>(decisions.size()),
                                 engine_.decision_hash()});
  }
  for (engine::Decision& decision : decisions) {
    auto* made = std::get_if<admission::Decision>(&decision);
    if (made == nullptr) continue;
    cycle.decisions.push_back(std::move(*made));
  }
  for (const admission::Decision& decision : cycle.decisions) carry_out(decision);
  find_parked(cycle, survey);
  settle_evictions();
  return cycle;
}

void SimulatedCluster::find_parked(Cycle& cycle, Survey survey) const {
  const admission::Views& views = engine_.admission_views();
  std::set<std::string> queues;
  if (survey == Survey::All) {
    for (std::string& name : views.cluster_queues()) queues.insert(std::move(name));
  }
  const auto& workloads = objects_.of<objects::Workload>();
  for (const admission::Decision& decision : cycle.decisions) {
    const auto* hold = std::get_if<admission::Hold>(&decision);
    if (hold == nullptr) continue;
    const auto found = workloads.find(hold->workload);
    if (found != workloads.end()) queues.insert(queue_of(found->second));
  }
  for (const std::string& queue : queues) {
    for (ObjectKey& key : views.parked(queue)) cycle.parked.insert(std::move(key));
  }
}

std::optional<Time> SimulatedCluster::next_event() const {
  std::optional<Time> next = engine_.next_wakeup();
  if (!by_end_.empty() && (!next || by_end_.begin()->first < *next)) next = by_end_.begin()->first;
  // What is due already is due now.
  if (next && *next < now_) next = now_;
  return next;
}

void SimulatedCluster::advance(Time to) {
  now_ = std::max(now_, to);
  auto& workloads = objects_.of<objects::Workload>();
  while (!by_end_.empty() && by_end_.begin()->first <= now_) {
    const ObjectKey key = by_end_.begin()->second;
    const auto found = workloads.find(key);
    if (found == workloads.end()) {
      ends_.erase(key);
      by_end_.erase(by_end_.begin());
      continue;
    }
    finish_workload(found->second, now_);
    after_change(found->second);
    if (runtimes_.contains(key)) forget(key);
  }
}

template <class T>
void SimulatedCluster::removed(const T& object) {
  if (auto event = gone(object)) apply(std::move(*event));
  if constexpr (std::is_same_v<T, objects::Workload>) {
    evicting_.erase(object.meta.key);
    if (const auto end = ends_.find(object.meta.key); end != ends_.end()) {
      by_end_.erase({end->second, end->first});
      ends_.erase(end);
    }
  }
}

void SimulatedCluster::change(const std::vector<Deletion>& remove, Objects applied) {
  remove_all(objects_, remove, [this](const auto& object) { removed(object); });
  const Objects named = applied;
  put_all(objects_, std::move(applied),
          [this](Objects& each) { complete(each, now_, identities_); });
  // These look at all workloads.
  if (!remove.empty() || !objects_.of<objects::Job>().empty()) follow_jobs();
  if (!named.of<objects::WorkloadPriorityClass>().empty() ||
      !named.of<objects::Workload>().empty()) {
    follow_priorities();
  }
  tell_namespaces(named);
  named.each_kind([&](const auto& map) {
    using T = typename std::decay_t<decltype(map)>::mapped_type;
    for (const auto& [key, as_applied] : map) {
      const auto found = objects_.of<T>().find(key);
      if (found == objects_.of<T>().end()) continue;
      if constexpr (std::is_same_v<T, objects::Workload>) {
        after_change(found->second);
      } else {
        tell(found->second);
      }
    }
  });
  settle_evictions();
}

void SimulatedCluster::submit(objects::Workload workload, Duration runtime) {
  const ObjectKey key = workload.meta.key;
  runtimes_[key] = runtime;
  if (workload.meta.uid.empty()) workload.meta.uid = identities_.next("Workload", key);
  if (workload.meta.created == Time{}) workload.meta.created = now_;
  if (workload.meta.generation == 0) workload.meta.generation = 1;
  if (namespaces_.insert(key.ns).second &&
      !objects_.of<objects::Namespace>().contains({"", key.ns})) {
    apply(admission::NamespaceSpec{key.ns, {}});
  }
  after_change(
      objects_.of<objects::Workload>().insert_or_assign(key, std::move(workload)).first->second);
}

void SimulatedCluster::forget(const ObjectKey& key) {
  auto& workloads = objects_.of<objects::Workload>();
  const auto found = workloads.find(key);
  if (found == workloads.end()) return;
  const objects::Workload last = std::move(found->second);
  workloads.erase(found);
  runtimes_.erase(key);
  removed(last);
}

// What the job reconciler does when jobs come, change, end and go.
void SimulatedCluster::follow_jobs() {
  auto& workloads = objects_.of<objects::Workload>();
  const jobs::PriorityClasses classes = jobs::priority_classes(
      objects_.of<objects::WorkloadPriorityClass>(), objects_.of<objects::PriorityClass>());
  for (auto at = workloads.begin(); at != workloads.end();) {
    objects::Workload& workload = (at++)->second;
    const objects::OwnerReference* owner = objects::controller_of(workload.meta);
    if (owner == nullptr || owner->kind != "Job") continue;
    const objects::Job* job = job_of(workload);
    if (job == nullptr) {
      // Only Workloads of ours: one that came without its Job in the input is left alone.
      if (!workload.meta.labels.contains(objects::names::kJobUid)) continue;
      const objects::Workload last = std::move(workload);
      workloads.erase(last.meta.key);
      removed(last);
      continue;
    }
    if (finished(workload)) continue;
    if (objects::is_true(job->status.conditions, "Complete") ||
        objects::is_true(job->status.conditions, "Failed")) {
      finish_workload(workload, now_);
      after_change(workload);
      continue;
    }
    if (reserved(workload)) continue;
    Outcome<objects::Workload> wanted = jobs::workload_of(*job, classes, derivation_);
    if (!wanted ||
        (wanted->queue_name == workload.queue_name && wanted->pod_sets == workload.pod_sets &&
         wanted->priority == workload.priority)) {
      continue;
    }
    workload.queue_name = wanted->queue_name;
    workload.pod_sets = std::move(wanted->pod_sets);
    workload.priority = wanted->priority;
    workload.priority_class = wanted->priority_class;
    ++workload.meta.generation;
    after_change(workload);
  }
  std::set<ObjectKey> known;
  for (const auto& [key, workload] : workloads) known.insert(key);
  derive_workloads(objects_, derivation_, options_.config.manage_jobs_without_queue_name, now_,
                   identities_, notes_);
  for (auto& [key, workload] : workloads) {
    if (!known.contains(key)) after_change(workload);
  }
}

// Workloads follow the value of the WorkloadPriorityClass that they name.
void SimulatedCluster::follow_priorities() {
  const auto& classes = objects_.of<objects::WorkloadPriorityClass>();
  if (classes.empty()) return;
  for (auto& [key, workload] : objects_.of<objects::Workload>()) {
    if (!workload.priority_class || workload.priority_class->kind != "WorkloadPriorityClass")
      continue;
    const auto found = classes.find({"", workload.priority_class->name});
    if (found == classes.end() || workload.priority == found->second.value) continue;
    workload.priority = found->second.value;
    ++workload.meta.generation;
    after_change(workload);
  }
}

}  // namespace quorate::simulate
