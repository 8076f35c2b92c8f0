// Outcomes of binds, their deadlines, and taking back what could not be bound whole.

#include <algorithm>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {

void Scheduler::State::set_due(const ObjectKey& key, TrackedPod& pod, std::optional<Time> when) {
  if (pod.due) due.erase({*pod.due, key});
  pod.due = when;
  if (when) due.insert({*when, key});
}

// The pod has no place any more; what it held is free.
void Scheduler::State::drop_flight(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                   TrackedPod& pod) {
  if (!pod.flight) return;
  pod.flight.reset();
  set_due(key, pod, std::nullopt);
  release_claims(model, pod);
  pod.writes.clear();
  if (!model.pod(pod.id).assumed) return;
  note(kUsageFreed, model.pod(pod.id).node);
  model.forget(journal, pod.id);
}

void Scheduler::bind_written(cluster::Model& model, Journal& journal, const ObjectKey& key,
                             std::string_view uid, std::string_view node, BindResult result,
                             std::string_view message) {
  const auto found = state_->pods.find(key);
  if (found == state_->pods.end() || found->second.uid != uid) return;
  TrackedPod& pod = found->second;
  if (!pod.flight) {
    // Rolled back while it was unanswered, and bound after all: its deletion need not wait for
    // the pod to show it.
    if (result == BindResult::Bound && pod.condemned_if_bound) state_->seen_bound.insert(key);
    return;
  }
  switch (result) {
    case BindResult::Bound:
      pod.flight->confirmed = true;
      pod.flight->failed = false;
      state_->failed_binds.erase(key);
      state_->set_due(key, pod, std::nullopt);
      break;
    case BindResult::Elsewhere:
      if (node.empty()) {
        pod.flight->failed = true;
        pod.flight->message = message;
        state_->failed_binds.insert(key);
        break;
      }
      state_->note(kUsageFreed, model.pod(pod.id).node);
      model.forget(journal, pod.id);
      model.assume(journal, pod.id, model.node_or_placeholder(journal, node));
      pod.flight->node = node;
      pod.flight->confirmed = true;
      pod.flight->failed = false;
      state_->failed_binds.erase(key);
      state_->set_due(key, pod, std::nullopt);
      break;
    case BindResult::Gone:
      state_->drop_flight(model, journal, key, pod);
      state_->failed_binds.erase(key);
      pod.gone = true;
      break;
    case BindResult::Failed:
      if (pod.flight->confirmed) break;
      pod.flight->failed = true;
      pod.flight->message = message;
      state_->failed_binds.insert(key);
      break;
  }
  if (pod.group) {
    state_->touch_group(*pod.group, false);
  } else {
    state_->dirty_pods[key] |= false;
  }
}

// A pod that is not needed for a minimum goes back to the queue after its bind failed.
void Scheduler::State::give_up(cluster::Model& model, Journal& journal, const ObjectKey& key,
                               TrackedPod& pod, Time now) {
  const std::string message = "binding failed: " + pod.flight->message;
  drop_flight(model, journal, key, pod);
  report(key, pod, "SchedulerError", message);
  const EntityKey entity = pod.group ? entity_of(*pod.group) : EntityKey{false, key};
  if (queue.knows(entity)) queue.failed(entity, now);
  if (pod.group) touch_group(*pod.group, false);
}

void Scheduler::State::bind_failed(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                   Time now) {
  const auto found = pods.find(key);
  if (found == pods.end() || !found->second.flight || !found->second.flight->failed) return;
  TrackedPod& pod = found->second;
  const TrackedGroup* group = pod.group ? &groups.at(*pod.group) : nullptr;
  if (group == nullptr || group->spec == nullptr || !group->spec->gang) {
    give_up(model, journal, key, pod, now);
    return;
  }
  groups.at(*pod.group).bind_error = pod.flight->message;
  const Standing at = standing(model, *pod.group, *group);
  const bool all_failed = std::ranges::all_of(group->members, [&](const ObjectKey& member) {
    const auto& flight = pods.at(member).flight;
    return !flight || flight->failed;
  });
  // Nobody is bound and nobody can be any more: nothing has to be taken back.
  if (at.bound == 0 && all_failed) {
    roll_back(model, journal, *pod.group, now);
    return;
  }
  set_due(key, pod, now + config.bind_retry);
}

// A retry is due, or an answer is overdue. Sending a bind again is harmless.
void Scheduler::State::flight_due(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                  Time now) {
  TrackedPod& pod = pods.at(key);
  if (pod.condemned) {
    // The deletion did not happen so far.
    const bool there = !model.pod(pod.id).info->spec.terminating;
    if (there) condemn(key, pod, "its gang was rolled back", now);
    return;
  }
  if (!pod.flight) {
    set_due(key, pod, std::nullopt);
    return;
  }
  if (pod.flight->failed && now >= pod.flight->first_sent + config.bind_timeout) {
    give_up(model, journal, key, pod, now);
    return;
  }
  const TrackedGroup* group = pod.group ? &groups.at(*pod.group) : nullptr;
  Bind bind{key, pod.uid, pod.flight->node, std::nullopt};
  if (group != nullptr && group->spec != nullptr) bind.group = group->spec->key;
  bind.claims = pod.writes;
  decisions.emplace_back(std::move(bind));
  pod.flight->failed = false;
  set_due(key, pod, now + config.bind_timeout);
}

void Scheduler::State::condemn(const ObjectKey& key, TrackedPod& pod, const std::string& message,
                               Time now) {
  pod.condemned = true;
  pod.condemned_if_bound = false;
  decisions.emplace_back(DeleteMember{key, pod.uid, pod.group.value_or(ObjectKey{}), message});
  set_due(key, pod, now + config.bind_timeout);
  if (pod.group) touch_group(*pod.group, false);
}

// Takes back a gang that is bound in part: the bound members are deleted, everything held is free.
void Scheduler::State::roll_back(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                 Time now) {
  TrackedGroup& group = groups.at(key);
  const Standing at = standing(model, key, group);
  std::string message = std::to_string(at.bound) + " of " + std::to_string(at.group.required) +
                        " members of gang " + key.text() + " could be bound";
  if (!group.bind_error.empty()) message += ": " + group.bind_error;
  for (const ObjectKey& member : group.members) {
    TrackedPod& pod = pods.at(member);
    const cluster::Pod& placed = model.pod(pod.id);
    const cluster::PodSpec& spec = placed.info->spec;
    if (spec.finished() || spec.terminating || pod.condemned) continue;
    const bool bound = (placed.node && !placed.assumed) || (pod.flight && pod.flight->confirmed);
    if (bound) {
      condemn(member, pod, message, now);
      continue;
    }
    if (pod.flight) {
      pod.condemned_if_bound = !pod.flight->failed;
      drop_flight(model, journal, member, pod);
      report(member, pod, "SchedulerError", message);
    }
  }
  group.message = message;
  group.proof.clear();
  group.bind_error.clear();
  group.below_since.reset();
  below.erase(key);
  const EntityKey entity = entity_of(key);
  if (queue.knows(entity)) queue.failed(entity, now);
  touch_group(key, false);
}

void Scheduler::State::deadlines(cluster::Model& model, Journal& journal, Time now) {
  const std::set<ObjectKey> broken = below;
  for (const ObjectKey& key : broken) {
    if (now >= *groups.at(key).below_since + config.bind_timeout) {
      roll_back(model, journal, key, now);
    }
  }
  victims_due(model, now);
  std::vector<ObjectKey> ready;
  for (const auto& [when, key] : due) {
    if (when > now) break;
    ready.push_back(key);
  }
  for (const ObjectKey& key : ready) {
    if (const auto pod = pods.find(key); pod != pods.end() && pod->second.due) {
      if (*pod->second.due <= now) flight_due(model, journal, key, now);
    }
  }
}

}  // namespace quorate::scheduler
