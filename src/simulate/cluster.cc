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
std::optional<engine::Event> gone(const objects::CompositePodGroup& o) {
  return engine::CompositeGroupGone{o.meta.key, o.meta.uid};
}
std::optional<engine::Event> gone(const objects::DisruptionBudget& o) {
  return engine::DisruptionBudgetGone{o.meta.key};
}
std::optional<engine::Event> gone(const objects::DeviceClass& o) {
  return engine::DeviceClassGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::DeviceTaintRule& o) {
  return engine::DeviceTaintRuleGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::ResourceSlice& o) {
  return engine::ResourceSliceGone{o.meta.key.name};
}
std::optional<engine::Event> gone(const objects::ResourceClaimTemplate& o) {
  return engine::ClaimTemplateGone{o.meta.key};
}
std::optional<engine::Event> gone(const objects::ResourceClaim& o) {
  return engine::ClaimGone{o.meta.key, o.meta.uid};
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
                 .short_names = gates.enabled("ShortWorkloadNames"),
                 .elastic_jobs = gates.enabled("ElasticJobsViaWorkloadSlices")};
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
      gates_due_(other.gates_due_),
      stopped_(other.stopped_),
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
  if (config.usage_sharing) config.usage_sharing->sample_idle = false;  // nobody reads a status
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
  tell_all<objects::DeviceClass>();
  tell_all<objects::DeviceTaintRule>();
  tell_all<objects::ResourceSlice>();
  tell_all<objects::ResourceClaimTemplate>();
  tell_all<objects::ResourceClaim>();
  tell_all<objects::Node>();
  tell_all<objects::CompositePodGroup>();
  tell_all<objects::PodGroup>();
  tell_all<objects::DisruptionBudget>();
  tell_all<objects::Pod>();
  for (auto& [key, workload] : objects_.of<objects::Workload>()) after_change(workload);
  follow_variants();
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
  const Runtime* entry = runtime_entry(workload);
  return entry == nullptr ? std::nullopt : entry->duration;
}

const Runtime* SimulatedCluster::runtime_entry(const objects::Workload& workload) const {
  if (options_.runtimes.empty()) return nullptr;
  Labels labels = workload.meta.labels;
  if (const objects::Job* job = job_of(workload)) {
    labels.insert(job->meta.labels.begin(), job->meta.labels.end());
  }
  for (const Runtime& runtime : options_.runtimes) {
    if (runtime.selector.matches(labels)) return &runtime;
  }
  return nullptr;
}

// What the job reconciler records of its pods. They are ready at once unless the scenario says
// otherwise; what an object says itself about pods that are not ready stays as it is.
void SimulatedCluster::follow_readiness(objects::Workload& workload, bool runs) {
  if (!options_.config.wait_for_pods_ready || finished(workload)) return;
  const ObjectKey& key = workload.meta.key;
  const objects::Condition* ready =
      objects::find_condition(workload.status.conditions, objects::conditions::kPodsReady);
  if (!runs) {
    times_.cancel(Timetable::What::Ready, key);
    pods_stopped(workload, now_);
    if (ready != nullptr) stopped_.insert(key);
    return;
  }
  const objects::Condition* since =
      objects::find_condition(workload.status.conditions, objects::conditions::kAdmitted);
  // Said since it was admitted, or said by the input.
  const bool stopped = stopped_.erase(key) > 0;
  if (!stopped && ready != nullptr && ready->last_transition >= since->last_transition) return;
  if (times_.has(Timetable::What::Ready, key)) return;
  const Runtime* entry = runtime_entry(workload);
  if (entry != nullptr && entry->never_ready) return;
  const Time at = since->last_transition + (entry != nullptr ? entry->ready_after : Duration{});
  if (at > now_) {
    times_.set(Timetable::What::Ready, key, at);
  } else {
    pods_ready(workload, at);
  }
}

void SimulatedCluster::follow_retention(const objects::Workload& workload) {
  const auto keep_from = [&](std::string_view type, const std::optional<Duration>& keep) {
    if (!keep) return;
    const objects::Condition* since = objects::find_condition(workload.status.conditions, type);
    times_.set(Timetable::What::Delete, workload.meta.key, since->last_transition + *keep);
  };
  const objects::Condition* evicted =
      objects::find_condition(workload.status.conditions, objects::conditions::kEvicted);
  times_.cancel(Timetable::What::Delete, workload.meta.key);
  if (finished(workload)) {
    keep_from(objects::conditions::kFinished, options_.config.retain_finished);
  } else if (!workload.active && evicted != nullptr &&
             evicted->status == objects::ConditionStatus::True &&
             evicted->reason.starts_with("DeactivatedDueTo") && job_of(workload) != nullptr) {
    keep_from(objects::conditions::kEvicted, options_.config.retain_deactivated);
  }
}

// A Workload that finished goes; of one that was given up its Job, and it goes with that.
void SimulatedCluster::end_of_retention(const ObjectKey& key) {
  const auto found = objects_.of<objects::Workload>().find(key);
  if (found == objects_.of<objects::Workload>().end()) return;
  if (const objects::Job* job = job_of(found->second)) {
    const ObjectKey job_key = job->meta.key;
    if (finished(found->second)) {
      objects::set_condition(objects_.of<objects::Job>().at(job_key).status.conditions,
                             {.type = "Complete", .status = objects::ConditionStatus::True}, now_);
    } else {
      objects_.of<objects::Job>().erase(job_key);
    }
  }
  forget(key);
}

// Everything that follows from a Workload having become what it is now.
void SimulatedCluster::after_change(objects::Workload& workload) {
  const ObjectKey& key = workload.meta.key;
  if (workload.active &&
      objects::is_true(workload.status.conditions, objects::conditions::kDeactivationTarget)) {
    workload.active = false;
    ++workload.meta.generation;
  }
  // A variant gives its quota back when its parent has stopped.
  if (being_evicted(workload) && !is_variant(workload)) {
    evicting_.insert(key);
  } else {
    evicting_.erase(key);
  }
  const bool runs = admitted(workload) && !finished(workload) && !being_evicted(workload) &&
                    !is_variant(workload);
  const bool known = times_.has(Timetable::What::End, key);
  if (!runs) {
    times_.cancel(Timetable::What::End, key);
  } else if (!known) {
    if (const std::optional<Duration> runtime = runtime_of(workload)) {
      const objects::Condition* since =
          objects::find_condition(workload.status.conditions, objects::conditions::kAdmitted);
      times_.set(Timetable::What::End, key, std::max(now_, since->last_transition + *runtime));
    }
  }
  if (!is_variant(workload)) follow_readiness(workload, runs);
  follow_retention(workload);
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
  translate::write_decision(found->second, decision,
                            {now_, engine_.required_checks(key), /*say_layer=*/false});
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
  follow_variants();
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
  for (const std::optional<Time>& ours : {times_.next(), gates_due_}) {
    if (ours && (!next || *ours < *next)) next = ours;
  }
  // What is due already is due now.
  if (next && *next < now_) next = now_;
  return next;
}

void SimulatedCluster::advance(Time to) {
  now_ = std::max(now_, to);
  auto& workloads = objects_.of<objects::Workload>();
  while (const std::optional<Timetable::Due> due = times_.take(now_)) {
    const ObjectKey& key = due->workload;
    const auto found = workloads.find(key);
    if (found == workloads.end()) continue;
    switch (due->what) {
      case Timetable::What::Ready:
        pods_ready(found->second, due->at);
        after_change(found->second);
        break;
      case Timetable::What::End:
        finish_workload(found->second, now_);
        after_change(found->second);
        if (runtimes_.contains(key)) forget(key);
        break;
      case Timetable::What::Delete:
        end_of_retention(key);
        break;
    }
  }
  follow_variants();
}

template <class T>
void SimulatedCluster::removed(const T& object) {
  if (auto event = gone(object)) apply(std::move(*event));
  if constexpr (std::is_same_v<T, objects::Workload>) {
    evicting_.erase(object.meta.key);
    times_.cancel_all(object.meta.key);
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
  follow_variants();
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
