// What the noted events mean: who is queued, who is held, which gang is whole, which is broken.

#include <algorithm>
#include <tuple>

#include "src/devices/model.h"
#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

using cluster::PodSpec;

std::int64_t priority_of(const PodSpec& spec) { return spec.spec->priority.value_or(0); }

bool gated(const Framework& framework, const PodSpec& spec) {
  return std::ranges::any_of(framework.pre_enqueue, [&](const PreEnqueuePlugin* plugin) {
    return !plugin->pre_enqueue(spec).ok();
  });
}

// Of a pod with claims where nobody keeps devices.
std::shared_ptr<const devices::PodClaims> not_served() {
  static const auto kClaims = [] {
    auto claims = std::make_shared<devices::PodClaims>();
    claims->unresolvable =
        "the pod has resource claims, and the cluster does not serve "
        "resource.k8s.io/v1";
    claims->id = ~std::uint64_t{0};
    return claims;
  }();
  return kClaims;
}

}  // namespace

// What a native group shares with its pods; nullopt: nothing.
std::optional<devices::GroupClaims> Scheduler::State::group_claims(
    const cluster::PodSpec& pod) const {
  if (pod.group.empty()) return std::nullopt;
  const auto group = groups.find({pod.key.ns, pod.group});
  if (group == groups.end() || group->second.spec == nullptr) return std::nullopt;
  const PodGroupSpec& spec = *group->second.spec;
  if (spec.resource_claims.empty()) return std::nullopt;
  return devices::GroupClaims{spec.key.name, spec.uid, spec.resource_claims, spec.claim_names};
}

std::shared_ptr<const devices::PodClaims> Scheduler::State::claims_of(
    const cluster::Model& model, const cluster::PodSpec& pod) const {
  const devices::Model* devices = devices::of(model);
  if (devices == nullptr) return pod.spec->resource_claims.empty() ? nullptr : not_served();
  if (!devices->concerns(*pod.spec)) return nullptr;
  const std::optional<devices::GroupClaims> group = group_claims(pod);
  return devices->claims_of(pod, group ? &*group : nullptr);
}

// Claims that are not there yet: the pod is not tried, and nothing is said.
bool Scheduler::State::waits_for_claims(const cluster::Model& model,
                                        const cluster::PodSpec& pod) const {
  if (pod.spec->resource_claims.empty()) return false;
  const auto claims = claims_of(model, pod);
  return claims != nullptr && !claims->waits_for.empty();
}

PodView Scheduler::State::view(const cluster::Model& model, const TrackedPod& pod) const {
  const cluster::PodInfo& info = *model.pod(pod.id).info;
  PodView view{&info.demand, info.spec.node, nullptr, nullptr};
  if (auto claims = claims_of(model, info.spec); claims != nullptr && !claims->nothing()) {
    view.claims = std::move(claims);
  }
  if (!pod.group) return view;
  const auto group = groups.find(*pod.group);
  if (group == groups.end() || !group->second.admission) return view;
  view.node_labels = &group->second.admission->node_labels;
  view.tolerations = &group->second.admission->tolerations;
  return view;
}

Standing Scheduler::State::standing(const cluster::Model& model, const ObjectKey&,
                                    const TrackedGroup& group) const {
  Standing at;
  at.group.spec = group.spec.get();
  at.group.admitted =
      group.spec == nullptr || !group.spec->needs_admission || group.admission.has_value();
  std::int32_t succeeded = 0;  // members that have run to their end
  std::optional<std::int64_t> highest;
  for (const ObjectKey& key : group.members) {
    const TrackedPod& tracked = pods.at(key);
    const cluster::Pod& pod = model.pod(tracked.id);
    const PodSpec& spec = pod.info->spec;
    if (spec.phase == cluster::PodPhase::Succeeded) ++succeeded;
    if (spec.finished() || spec.terminating || tracked.condemned) continue;
    const bool on_node = pod.node && !pod.assumed;
    const bool confirmed = tracked.flight && tracked.flight->confirmed;
    const bool counts = on_node || tracked.flight.has_value();
    if (counts) {
      ++(on_node || confirmed ? at.bound : at.held);
      if (pod.node) at.group.nodes.push_back(pod.node);
    } else {
      const Framework* framework = framework_for(spec.spec->scheduler_name);
      if (framework == nullptr || tracked.gone) continue;
      if (gated(*framework, spec) || waits_for_claims(model, spec)) {
        ++at.gated;
        continue;
      }
      at.pending.push_back(key);
    }
    highest = std::max(highest.value_or(priority_of(spec)), priority_of(spec));
  }
  std::ranges::sort(at.pending, [&](const ObjectKey& a, const ObjectKey& b) {
    const PodSpec& left = model.pod(pods.at(a).id).info->spec;
    const PodSpec& right = model.pod(pods.at(b).id).info->spec;
    if (priority_of(left) != priority_of(right)) return priority_of(left) > priority_of(right);
    return std::tie(left.created, a) < std::tie(right.created, b);
  });
  std::int32_t required = group.spec != nullptr && group.spec->gang ? group.spec->min_count : 1;
  // Nobody lowers the minimum of a group that is a workload itself as its members succeed, and who
  // replaces a lost one must not wait for those that come no more. Whoever owns another group sees
  // to its minimum.
  if (group.spec != nullptr && group.spec->needs_admission) required -= succeeded;
  at.group.required = std::max(1, required);
  at.succeeded = succeeded > 0;
  at.group.scheduled = at.bound + at.held;
  at.group.pending = static_cast<std::int32_t>(at.pending.size());
  at.priority = highest.value_or(0);
  if (group.spec != nullptr && group.spec->priority) at.priority = *group.spec->priority;
  return at;
}

// Whether part of a gang is on nodes while it lacks its minimum, in a way that has to end. In a
// tree, `tree_whole` says whether the tree has been bound with its minimum.
bool Scheduler::State::half_bound(const TrackedGroup& group, const Standing& at,
                                  const bool* tree_whole) const {
  if (group.spec == nullptr || !at.group.admitted || at.group.scheduled == 0) return false;
  // Members that run to their end without the others show that the rest makes progress.
  if (at.succeeded) return false;
  // A place in a tree that lacks other groups is as good as none.
  if (tree_whole != nullptr && !*tree_whole) return true;
  if (!group.spec->gang || at.bound >= at.group.required) return false;
  const bool was_whole = group.spec->initially_scheduled || group.reported_scheduled;
  // Never whole so far: the rest has to come in time, or nobody stays.
  if (!was_whole) return true;
  // It was whole, and members went away. If nobody came for them, that is for their owner to say;
  // and a minimum that was raised takes no place from those that have one.
  if (at.group.scheduled + at.group.pending < at.group.required) return false;
  return !group.quorum || at.bound < *group.quorum;
}

// Keeps what is remembered of a group beside the queue: since when it is broken, that it is whole.
void Scheduler::State::follow_group(TrackedGroup& group, const ObjectKey& key, const Standing& at,
                                    const bool* tree_whole, Time now) {
  if (half_bound(group, at, tree_whole)) {
    if (!group.below_since) group.below_since = now;
    below.insert(key);
  } else {
    group.below_since.reset();
    below.erase(key);
  }
  if (group.spec == nullptr || at.bound < at.group.required) return;
  if (tree_whole != nullptr && !*tree_whole) return;
  group.quorum = at.group.required;
  queue.confirmed(entity_of(key));
  if (group.spec->initially_scheduled || group.reported_scheduled) return;
  group.reported_scheduled = true;
  decisions.emplace_back(
      GroupStatus{key, group.spec->uid, group.spec->native, true, "Scheduled", ""});
}

void Scheduler::State::settle_pod(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                  bool helps, Time now) {
  const auto found = pods.find(key);
  if (found == pods.end()) return;
  TrackedPod& pod = found->second;
  const PodSpec& spec = model.pod(pod.id).info->spec;
  const EntityKey entity{false, key};
  if (spec.terminating) {
    // The API server binds no pod that is being deleted.
    if (pod.flight && !pod.flight->confirmed) drop_flight(model, journal, key, pod);
    queue.hold(entity);
    return;
  }
  const Framework* framework = framework_for(spec.spec->scheduler_name);
  if (framework == nullptr || pod.gone || pod.flight || gated(*framework, spec) ||
      waits_for_claims(model, spec)) {
    queue.hold(entity);
    return;
  }
  queue.offer({priority_of(spec), false, spec.created, entity}, now);
  if (helps) queue.activate(entity, now);
}

void Scheduler::State::settle_group(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                    bool helps, Time now) {
  const auto found = groups.find(key);
  if (found == groups.end()) return;
  TrackedGroup& group = found->second;
  const EntityKey entity{true, key};
  if (group.spec == nullptr && group.members.empty() && !group.admission) {
    below.erase(key);
    queue.remove(entity);
    groups.erase(found);
    return;
  }
  const bool withdrawn = group.spec != nullptr && group.spec->needs_admission && !group.admission;
  for (const ObjectKey& member : group.members) {
    TrackedPod& pod = pods.at(member);
    if (!pod.flight || pod.flight->confirmed) continue;
    const bool going = model.pod(pod.id).info->spec.terminating;
    if (going || (withdrawn && pod.flight->failed)) drop_flight(model, journal, member, pod);
  }
  if (group.spec != nullptr && !parent_of(*group.spec).empty()) {
    queue.remove(entity);
    touch_tree({key.ns, parent_of(*group.spec)}, helps);
    if (const RootOf above = root_of(key); !above.defect.empty()) {
      report_group(group, "Invalid", above.defect);
    }
    return;
  }

  const Standing at = standing(model, key, group);
  follow_group(group, key, at, nullptr, now);
  const bool may_enter = std::ranges::all_of(
      frameworks.front().group_pre_enqueue,
      [&](const auto* plugin) { return plugin->pre_enqueue_group(at.group).ok(); });
  if (!may_enter || at.pending.empty()) {
    queue.hold(entity);
    if (at.pending.empty()) {
      group.message.clear();
      group.proof.clear();
      group.diagnosis = {};
    }
    return;
  }
  const Time since = group.spec->created;
  queue.offer({at.priority, group.below_since.has_value() && at.bound > 0, since, entity}, now);
  if (helps) queue.activate(entity, now);
}

void Scheduler::State::settle(cluster::Model& model, Journal& journal, Time now) {
  for (const ObjectKey& key : std::exchange(failed_binds, {}))
    bind_failed(model, journal, key, now);
  for (const ObjectKey& key : std::exchange(seen_bound, {})) {
    const auto pod = pods.find(key);
    if (pod == pods.end() || !pod->second.condemned_if_bound) continue;
    condemn(key, pod->second, "bound after its gang was rolled back", now);
  }
  for (const auto& [key, helps] : std::exchange(dirty_pods, {})) {
    settle_pod(model, journal, key, helps, now);
  }
  for (const auto& [key, helps] : std::exchange(dirty_groups, {})) {
    settle_group(model, journal, key, helps, now);
  }
  for (const auto& [key, helps] : std::exchange(dirty_trees, {})) {
    settle_tree(model, key, helps, now);
  }
}

// Moves those that an event can help, by the filters that refused them.
void Scheduler::State::offer_events(const cluster::Model& model, Time now) {
  if (model.reservations_freed() != reservations_freed) {
    reservations_freed = model.reservations_freed();
    if (queue.any_unschedulable()) events[{cluster::NodeId::kNone, 0}] |= kUsageFreed | kDevices;
  }
  if (events.empty()) return;
  std::vector<EntityKey> moving;
  queue.each_unschedulable([&](const EntityKey& entity, std::uint64_t rejectors) {
    if (helped(model, entity, rejectors)) moving.push_back(entity);
  });
  for (const EntityKey& entity : moving) queue.activate(entity, now);
  events.clear();
}

bool Scheduler::State::helped(const cluster::Model& model, const EntityKey& entity,
                              std::uint64_t rejectors) const {
  std::vector<ObjectKey> members = {entity.key};
  if (entity.group) members = tree_standing(model, entity).pending;
  // Identical members are asked once.
  std::vector<std::pair<PodView, const Framework*>> shapes;
  for (const ObjectKey& key : members) {
    const TrackedPod& pod = pods.at(key);
    const PodView one = view(model, pod);
    const bool known = std::ranges::any_of(
        shapes, [&](const auto& shape) { return same_shape(model, shape.first, one); });
    if (known) continue;
    shapes.emplace_back(one, framework_for(model.pod(pod.id).info->spec.spec->scheduler_name));
  }
  for (const auto& [id, kinds] : events) {
    const cluster::NodeId node{id.first, id.second};
    const cluster::Node* there = node ? model.find(node) : nullptr;
    if (node && (there == nullptr || !there->known)) continue;
    for (const auto& [pod, framework] : shapes) {
      if (framework == nullptr) continue;
      for (std::size_t i = 0; i < framework->filters.size(); ++i) {
        if (rejectors != 0 && (rejectors >> i & 1) == 0) continue;
        const FilterPlugin& filter = *framework->filters[i].plugin;
        if ((filter.events() & kinds) == 0) continue;
        if (there == nullptr) return true;
        if (filter.helps({kinds, node}, pod, {model, node, *there->spec})) return true;
      }
    }
  }
  return false;
}

}  // namespace quorate::scheduler
