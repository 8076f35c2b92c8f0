// What the API server and the engine told; noted here, acted upon in the next step.

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

// A bit for each way in which a node became better for somebody.
EventKinds improvements(const cluster::NodeSpec& before, const cluster::NodeSpec& after) {
  EventKinds kinds = 0;
  if (before.allocatable != after.allocatable) kinds |= kNodeAllocatable;
  if (before.labels != after.labels) kinds |= kNodeLabels;
  if (before.taints != after.taints || before.unschedulable != after.unschedulable) {
    kinds |= kNodeTaints;
  }
  return kinds;
}

// Whether the change of a pod can help itself; what only its status says does not.
bool eases(const cluster::PodInfo& before, const cluster::PodInfo& after) {
  if (before.demand.charges != after.demand.charges) return true;
  if (before.spec.spec == after.spec.spec) return false;
  return !(*before.spec.spec == *after.spec.spec);
}

}  // namespace

const Framework* Scheduler::State::framework_for(std::string_view scheduler_name) const {
  if (scheduler_name.empty()) return nullptr;
  for (const Framework& framework : frameworks) {
    if (framework.scheduler_name == scheduler_name) return &framework;
  }
  return nullptr;
}

void Scheduler::State::note(EventKinds kinds, cluster::NodeId node) {
  // Whoever is tried after the event sees the model as it is; only those that were refused before
  // have to be told.
  if (kinds == 0 || !queue.any_unschedulable()) return;
  events[{node.slot, node.generation}] |= kinds;
}

void Scheduler::observe(const cluster::Model&, const cluster::NodeChange& change) {
  if (change.after == nullptr) return;
  state_->note(change.before == nullptr ? kNodeAdded : improvements(*change.before, *change.after),
               change.id);
}

void Scheduler::observe(cluster::Model& model, Journal& journal, const cluster::PodChange& change) {
  if (change.ignored) return;
  if (change.freed) state_->note(kUsageFreed, change.freed);
  if (change.arrived) state_->note(kPodArrived, change.arrived);
  state_->follow_placed(change);
  if (change.replaced_pod != nullptr) state_->untrack(change.replaced_pod->spec.key);
  if (change.after == nullptr) {
    state_->untrack(change.before->spec.key);
    return;
  }
  // Bound, and not by a bind of ours, which took up the promise already.
  const cluster::PodSpec& spec = change.after->spec;
  const bool newly_there =
      !spec.node.empty() && (change.before == nullptr || change.before->spec.node.empty());
  const auto tracked = state_->pods.find(spec.key);
  const bool by_us = tracked != state_->pods.end() && tracked->second.flight.has_value();
  if (newly_there && !by_us && !spec.finished()) {
    take_up(model, journal, state_->promise_to(model, spec), model.pod(change.id).node);
  }
  state_->track(model, journal, change.id, change.before.get(), *change.after);
}

void Scheduler::State::track(cluster::Model& model, Journal& journal, cluster::PodId id,
                             const cluster::PodInfo* before, const cluster::PodInfo& info) {
  const cluster::PodSpec& spec = info.spec;
  const bool ours = framework_for(spec.spec->scheduler_name) != nullptr;
  const bool settled = !spec.node.empty() || spec.finished();
  if (spec.group.empty() && (!ours || settled)) {
    untrack(spec.key);
    return;
  }
  const auto [at, is_new] = pods.try_emplace(spec.key);
  TrackedPod& pod = at->second;
  pod.id = id;
  pod.uid = spec.uid;
  pod.ours = ours;
  if (is_new || before == nullptr ||
      before->spec.unschedulable_reason != spec.unschedulable_reason ||
      before->spec.unschedulable_message != spec.unschedulable_message) {
    pod.shown_reason = spec.unschedulable_reason;
    pod.shown_message = spec.unschedulable_message;
  }
  if (settled) {
    nominations.erase(spec.key);
    if (pod.flight && ours && !spec.finished()) {
      for (const PostBindPlugin* plugin : framework_for(spec.spec->scheduler_name)->post_bind) {
        plugin->post_bind(model, journal, {spec, spec.node});
      }
    }
    if (pod.condemned_if_bound && !spec.finished()) seen_bound.insert(spec.key);
    pod.flight.reset();
    if (!pod.condemned) set_due(spec.key, pod, std::nullopt);
  }
  if (is_new && !settled && ours && !spec.nominated_node.empty()) {
    nominations.try_emplace(spec.key, spec.nominated_node);  // by an earlier run of ours
  }
  std::vector<ObjectKey> claims;
  for (const PodClaim& entry : spec.spec->resource_claims) {
    const auto made = spec.claim_names.find(entry.name);
    const std::string& name =
        !entry.claim.empty() || made == spec.claim_names.end() ? entry.claim : made->second;
    if (!name.empty()) claims.push_back({spec.key.ns, name});
  }
  const bool claims_changed = claims != pod.claims;
  if (claims_changed) {
    for (const ObjectKey& claim : pod.claims) users[claim].erase(spec.key);
    for (const ObjectKey& claim : claims) users[claim].insert(spec.key);
    pod.claims = std::move(claims);
  }
  const bool helps = is_new || before == nullptr || claims_changed || eases(*before, info);
  if (spec.group.empty()) {
    dirty_pods[spec.key] |= helps;
    return;
  }
  pod.group = ObjectKey{spec.key.ns, spec.group};
  groups[*pod.group].members.insert(spec.key);
  touch_group(*pod.group, helps);
}

void Scheduler::State::untrack(const ObjectKey& key) {
  const auto found = pods.find(key);
  if (found == pods.end()) return;
  TrackedPod& pod = found->second;
  set_due(key, pod, std::nullopt);
  if (pod.group) {
    groups[*pod.group].members.erase(key);
    touch_group(*pod.group, false);
  } else {
    queue.remove({false, key});
  }
  nominations.erase(key);
  failed_binds.erase(key);
  seen_bound.erase(key);
  dirty_pods.erase(key);
  for (const ObjectKey& claim : pod.claims) {
    const auto named = users.find(claim);
    named->second.erase(key);
    if (named->second.empty()) users.erase(named);
  }
  pods.erase(found);
}

void Scheduler::devices_changed(const ObjectKey* claim) { state_->devices_changed(claim); }

void Scheduler::apply(PodGroupSpec spec) {
  const ObjectKey key = spec.key;
  TrackedGroup& group = state_->groups[key];
  const std::shared_ptr<const PodGroupSpec> before = group.spec;
  if (before != nullptr && *before == spec) return;
  if (before == nullptr || before->uid != spec.uid) {
    group.reported_scheduled = false;
    group.quorum.reset();
    group.shown_reason = spec.condition_reason;
    group.shown_message = spec.condition_message;
  } else if (before->condition_reason != spec.condition_reason ||
             before->condition_message != spec.condition_message) {
    group.shown_reason = spec.condition_reason;
    group.shown_message = spec.condition_message;
  }
  state_->link(key, before.get(), &spec);
  const bool helps =
      before == nullptr || before->uid != spec.uid || before->min_count > spec.min_count ||
      before->gang != spec.gang || before->topology_key != spec.topology_key ||
      before->priority != spec.priority || before->needs_admission != spec.needs_admission ||
      before->resource_claims != spec.resource_claims || before->claim_names != spec.claim_names;
  group.spec = std::make_shared<const PodGroupSpec>(std::move(spec));
  state_->touch_group(key, helps);
}

void Scheduler::group_gone(const ObjectKey& key, std::string_view uid) {
  const auto found = state_->groups.find(key);
  if (found == state_->groups.end() || found->second.spec == nullptr ||
      found->second.spec->uid != uid) {
    return;
  }
  state_->link(key, found->second.spec.get(), nullptr);
  found->second.spec = nullptr;
  state_->touch_group(key, false);
}

void Scheduler::apply(CompositeGroupSpec spec) {
  const ObjectKey key = spec.key;
  TrackedComposite& composite = state_->composites[key];
  if (composite.object != nullptr && *composite.object == spec) return;
  state_->link(key, composite.spec() == nullptr ? "" : composite.spec()->parent, spec.parent);
  if (composite.object == nullptr || composite.object->uid != spec.uid) composite.whole = false;
  composite.object = std::make_shared<const CompositeGroupSpec>(std::move(spec));
  state_->touch_tree(key, true);
}

void Scheduler::composite_gone(const ObjectKey& key, std::string_view uid) {
  const auto found = state_->composites.find(key);
  if (found == state_->composites.end() || found->second.object == nullptr ||
      found->second.object->uid != uid) {
    return;
  }
  const std::string before = found->second.object->parent;
  found->second.object = nullptr;
  const CompositeGroupSpec* told = found->second.spec();
  state_->link(key, before, told == nullptr ? "" : told->parent);
  state_->touch_tree(key, false);
}

void Scheduler::admit_group(GroupAdmission admission) {
  const ObjectKey key = admission.group;
  TrackedGroup& group = state_->groups[key];
  if (group.admission == admission) return;
  group.admission = std::move(admission);
  state_->touch_group(key, true);
}

void Scheduler::withdraw_group(const ObjectKey& key) {
  const auto found = state_->groups.find(key);
  if (found == state_->groups.end() || !found->second.admission) return;
  found->second.admission.reset();
  state_->touch_group(key, false);
}

}  // namespace quorate::scheduler
