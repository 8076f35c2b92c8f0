// Queues, flavors, checks, namespaces: objects that come and go around the workloads.

#include <algorithm>

#include "admission/active.h"
#include "admission/core.h"

namespace quorate::admission {

Core::Core(const Core& other, Journal& journal)
    : journal_(&journal),
      config_(other.config_),
      names_(other.names_),
      tree_(other.tree_, journal),
      sharing_(other.sharing_),
      order_(other.order_),
      flavors_(other.flavors_),
      inventory_(other.inventory_),
      checks_(other.checks_),
      namespaces_(other.namespaces_),
      limit_ranges_(other.limit_ranges_),
      limits_(other.limits_),
      runtime_classes_(other.runtime_classes_),
      queues_(other.queues_),
      queue_names_(other.queue_names_),
      cohorts_(other.cohorts_),
      queue_of_node_(other.queue_of_node_),
      locals_(other.locals_),
      local_keys_(other.local_keys_),
      workloads_(other.workloads_),
      families_(other.families_),
      index_(other.index_),
      ids_(other.ids_),
      trees_(other.trees_),
      move_backs_(other.move_backs_),
      offers_(other.offers_),
      timers_(other.timers_),
      samples_(other.samples_),
      opening_(other.opening_),
      dirty_(other.dirty_),
      unready_(other.unready_),
      waits_for_ready_(other.waits_for_ready_),
      changed_queues_(other.changed_queues_),
      changed_locals_(other.changed_locals_),
      version_(other.version_),
      cycle_(other.cycle_),
      now_(other.now_) {}

RequestContext Core::request_context(const std::string& ns) const {
  static const LimitSummary kNoLimits;
  const auto limits = limits_.find(ns);
  return {&config_, limits == limits_.end() ? &kNoLimits : &limits->second, &runtime_classes_};
}

void Core::set_config(const Config& config) {
  if (config == config_) return;
  config_ = config;
  inventory_.share_hosts(config.topology.shared_hosts);
  compiler_.reset();
  recompile_pending("");
  workloads_.each([this](WorkloadId id, const Workload&) { mark_dirty(id); });
  for (const auto& [name, id] : queue_names_) {
    follow_usage_mode(id);
    wake(id);
    request_move_back(id);
  }
}

// Requests of what is pending are computed anew; what holds quota keeps what it was given. An empty
// namespace means all.
void Core::recompile_pending(const std::string& ns) {
  workloads_.each([&](WorkloadId id, const Workload& seen) {
    if (seen.bucket == Bucket::None || (!ns.empty() && seen.facts->key.ns != ns)) return;
    Workload& workload = workloads_.at(id);
    const std::shared_ptr<const Facts> old = workload.facts;
    workload.facts = compiler_.recompile(*old, request_context(old->key.ns), names_, order_);
    if (workload.facts->scheduling_hash != old->scheduling_hash ||
        (old->invalid == nullptr) != (workload.facts->invalid == nullptr)) {
      workload.scan.reset();
    }
    place(id, old.get());
  });
}

// --- flavors, checks ---

void Core::apply(const FlavorSpec& spec) {
  std::shared_ptr<const FlavorSpec>& known = flavors_[names_.flavors.intern(spec.name).slot];
  if (known && *known == spec) return;
  const bool changed = known != nullptr;
  known = std::make_shared<const FlavorSpec>(spec);
  inventory_.put_flavor(spec.name, spec.topology_name, spec.node_labels);
  refresh_active_of_users(spec.name);
  if (!changed) return;
  const std::uint32_t slot = names_.flavors.intern(spec.name).slot;
  for (const auto& [name, id] : queue_names_) {
    if (queues_.at(id).plan.has_flavor(slot)) request_move_back(id);
  }
}

void Core::flavor_gone(const std::string& name) {
  if (flavors_.erase(names_.flavors.intern(name).slot) == 0) return;
  inventory_.remove_flavor(name);
  refresh_active_of_users(name);
}

void Core::apply(const AdmissionCheckSpec& spec) {
  const auto [at, added] = checks_.emplace(spec.name, spec);
  if (!added && at->second == spec) return;
  at->second = spec;
  refresh_active_of_users(spec.name);
}

void Core::admission_check_gone(const std::string& name) {
  if (checks_.erase(name) > 0) refresh_active_of_users(name);
}

void Core::refresh_active_of_users(const std::string& flavor_or_check) {
  for (const auto& [name, id] : queue_names_) {
    const ClusterQueue& queue = queues_.at(id);
    if (queue.spec && refers_to(*queue.spec, flavor_or_check)) refresh_active(id);
  }
}

// --- ClusterQueues and Cohorts ---

QueueId Core::queue_ref(const std::string& name) {
  if (const auto found = queue_names_.find(name); found != queue_names_.end()) {
    return found->second;
  }
  ClusterQueue queue;
  queue.name = name;
  const QueueId id = queues_.insert(std::move(queue));
  queue_names_.emplace(name, id);
  return id;
}

void Core::drop_queue_if_unused(QueueId id) {
  const ClusterQueue* queue = queues_.find(id);
  if (queue == nullptr || queue->spec || !queue->locals.empty() || !queue->holders.empty()) return;
  changed_queues_.erase({queue->changed, queue->name});
  queue_names_.erase(queue->name);
  queues_.erase(id);
}

void Core::apply(const ClusterQueueSpec& spec) {
  const QueueId id = queue_ref(spec.name);
  ClusterQueue& queue = queues_.at(id);
  if (queue.spec && *queue.spec == spec) return;
  const bool created = queue.spec == nullptr;
  queue.spec = std::make_shared<const ClusterQueueSpec>(spec);
  queue.plan = compile(spec, names_);
  queue.node = tree_.put_cluster_queue(spec.name, spec.cohort, spec.resource_groups, names_);
  if (queue_of_node_.size() <= queue.node.slot) queue_of_node_.resize(queue.node.slot + 1);
  queue_of_node_[queue.node.slot] = id;
  sharing_.set_weight(queue.node, spec.fair_weight);
  follow_usage_mode(id);
  refresh_active(id);
  mark_users_dirty(id);
  changed(id);
  if (!created) return;
  // What held quota in a queue of this name holds it again.
  if (!queue.holders.empty()) settle();
  for (const WorkloadId holder : queue.holders) charge_usage(holder, 1);
  for (const LocalId local : std::vector<LocalId>(queue.locals)) place_members(local);
}

void Core::cluster_queue_gone(const std::string& name) {
  const auto found = queue_names_.find(name);
  if (found == queue_names_.end() || !queues_.at(found->second).spec) return;
  const QueueId id = found->second;
  settle();
  ClusterQueue& queue = queues_.at(id);
  for (const WorkloadId holder : queue.holders) charge_usage(holder, -1);
  forget_classes(queue);
  for (const WorkloadId waiting : in_heap(queue)) leave_queue(waiting);
  while (!queue.parked.empty()) leave_queue(queue.parked.back());
  mark_users_dirty(id);
  tree_.remove_cluster_queue(name);
  queue.node = {};
  queue.spec.reset();
  follow_usage_mode(id);
  queue.plan = {};
  queue.active = {};
  changed_queues_.erase({queue.changed, queue.name});
  queue.changed = 0;
  for (const LocalId local : queue.locals) changed(local);
  drop_queue_if_unused(id);
}

void Core::apply(const CohortSpec& spec) {
  tree_.put_cohort(spec.name, spec.parent, spec.resource_groups, names_);
  sharing_.set_weight(tree_.cohort(spec.name), spec.fair_weight);
  cohorts_.insert(spec.name);
}

void Core::cohort_gone(const std::string& name) {
  tree_.remove_cohort(name);
  cohorts_.erase(name);
  // It may live on as a name that others refer to.
  if (const quota::NodeId node = tree_.cohort(name)) {
    sharing_.set_weight(node, fairshare::kWeightOne);
  }
}

void Core::refresh_active(QueueId id) {
  ClusterQueue& queue = queues_.at(id);
  if (!queue.spec) return;
  const ActiveView now = active_of(
      *queue.spec, queue.in_cycle,
      [&](const std::string& name) { return flavors_.contains(names_.flavors.intern(name).slot); },
      [&](const std::string& name) {
        const auto flavor = flavors_.find(names_.flavors.intern(name).slot);
        const bool missing = config_.topology.enabled && flavor != flavors_.end() &&
                             !flavor->second->topology_name.empty() &&
                             !inventory_.has_topology(flavor->second->topology_name);
        return missing ? flavor->second->topology_name : std::string();
      },
      checks_);
  if (now == queue.active) return;
  const bool turned_active = now.active && !queue.active.active;
  queue.active = now;
  changed(id);
  for (const LocalId local : queue.locals) changed(local);
  mark_users_dirty(id);
  if (!turned_active) return;
  wake(id);
  request_move_back(id);
}

void Core::mark_members_dirty(LocalId id) {
  for (const WorkloadId member : locals_.at(id).members) mark_dirty(member);
}

void Core::mark_users_dirty(QueueId id) {
  for (const LocalId local : queues_.at(id).locals) mark_members_dirty(local);
  for (const WorkloadId holder : queues_.at(id).holders) mark_dirty(holder);
}

// --- LocalQueues ---

LocalId Core::local_ref(const ObjectKey& key) {
  if (const auto found = local_keys_.find(key); found != local_keys_.end()) return found->second;
  LocalQueue local;
  local.key = key;
  const LocalId id = locals_.insert(std::move(local));
  local_keys_.emplace(key, id);
  return id;
}

void Core::drop_local_if_unused(LocalId id) {
  const LocalQueue* local = locals_.find(id);
  if (local == nullptr || local->spec || !local->members.empty()) return;
  point_local_at(id, "");
  changed_locals_.erase({local->changed, local->key});
  local_keys_.erase(local->key);
  locals_.erase(id);
}

void Core::point_local_at(LocalId id, const std::string& cluster_queue) {
  LocalQueue& local = locals_.at(id);
  const QueueId target = cluster_queue.empty() ? QueueId{} : queue_ref(cluster_queue);
  if (local.queue == target) return;
  if (const QueueId old = local.queue; old) {
    std::vector<LocalId>& siblings = queues_.at(old).locals;
    locals_.at(siblings.back()).queue_at = local.queue_at;
    siblings[local.queue_at] = siblings.back();
    siblings.pop_back();
    local.queue = {};
    drop_queue_if_unused(old);
  }
  local.queue = target;
  if (!target) return;
  local.queue_at = static_cast<std::uint32_t>(queues_.at(target).locals.size());
  queues_.at(target).locals.push_back(id);
}

void Core::apply(const LocalQueueSpec& spec) {
  const LocalId id = local_ref(spec.key);
  LocalQueue& local = locals_.at(id);
  if (local.spec) {
    // What its status says of its usage is our own account.
    LocalQueueSpec same = spec;
    same.consumed = local.spec->consumed;
    if (*local.spec == same) {
      if (spec.consumed != same.consumed) local.spec = std::make_shared<const LocalQueueSpec>(spec);
      return;
    }
    if (local.spec->uid != spec.uid) local.ledger.reset();
  }
  local.spec = std::make_shared<const LocalQueueSpec>(spec);
  point_local_at(id, spec.cluster_queue);
  if (local.queue) follow_usage_mode(local.queue);
  place_members(id);
  mark_members_dirty(id);
  changed(id);
}

void Core::local_queue_gone(const ObjectKey& key) {
  const auto found = local_keys_.find(key);
  if (found == local_keys_.end() || !locals_.at(found->second).spec) return;
  const LocalId id = found->second;
  LocalQueue& local = locals_.at(id);
  local.spec.reset();
  local.ledger.reset();
  place_members(id);
  mark_members_dirty(id);
  point_local_at(id, "");
  changed_locals_.erase({local.changed, local.key});
  local.changed = 0;
  drop_local_if_unused(id);
}

void Core::place_members(LocalId id) {
  for (const WorkloadId member : std::vector<WorkloadId>(locals_.at(id).members)) {
    place(member, workloads_.at(member).facts.get());
  }
}

// --- namespaces and what they bring ---

bool Core::namespace_matches(const ClusterQueue& queue, const std::string& ns) const {
  const auto labels = namespaces_.find(ns);
  return labels != namespaces_.end() && queue.spec && queue.spec->namespace_selector &&
         queue.spec->namespace_selector->matches(labels->second);
}

void Core::namespace_changed(const std::string& ns, const std::optional<Labels>& labels) {
  std::vector<QueueId> without;
  for (const auto& [name, id] : queue_names_) {
    if (!namespace_matches(queues_.at(id), ns)) without.push_back(id);
  }
  if (labels) {
    namespaces_[ns] = *labels;
  } else {
    namespaces_.erase(ns);
  }
  for (const QueueId id : without) {
    if (!namespace_matches(queues_.at(id), ns)) continue;
    request_move_back(id);
    wake(id);
  }
}

void Core::apply(const NamespaceSpec& spec) {
  const auto known = namespaces_.find(spec.name);
  if (known != namespaces_.end() && known->second == spec.labels) return;
  namespace_changed(spec.name, spec.labels);
}

void Core::namespace_gone(const std::string& name) { namespace_changed(name, std::nullopt); }

void Core::apply(const LimitRangeSpec& spec) {
  const auto known = limit_ranges_.find(spec.key);
  if (known != limit_ranges_.end() && known->second == spec) return;
  limit_ranges_[spec.key] = spec;
  std::vector<const LimitRangeSpec*> ranges;
  for (const auto& [key, range] : limit_ranges_) {
    if (key.ns == spec.key.ns) ranges.push_back(&range);
  }
  limits_[spec.key.ns] = merge_limits(ranges);
  compiler_.reset();
  recompile_pending(spec.key.ns);
}

void Core::limit_range_gone(const ObjectKey& key) {
  if (limit_ranges_.erase(key) == 0) return;
  std::vector<const LimitRangeSpec*> ranges;
  for (const auto& [other, range] : limit_ranges_) {
    if (other.ns == key.ns) ranges.push_back(&range);
  }
  if (ranges.empty()) {
    limits_.erase(key.ns);
  } else {
    limits_[key.ns] = merge_limits(ranges);
  }
  compiler_.reset();
  recompile_pending(key.ns);
}

void Core::apply(const RuntimeClassSpec& spec) {
  const auto known = runtime_classes_.find(spec.name);
  if (known != runtime_classes_.end() && known->second == spec) return;
  runtime_classes_[spec.name] = spec;
  compiler_.reset();
  recompile_pending("");
}

void Core::runtime_class_gone(const std::string& name) {
  if (runtime_classes_.erase(name) == 0) return;
  compiler_.reset();
  recompile_pending("");
}

}  // namespace quorate::admission
