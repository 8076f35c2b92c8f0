// One attempt at a group or a tree of groups: all members that the minimum needs, or none.

#include <algorithm>

#include "src/scheduler/group_diagnosis.h"
#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;
using cluster::PodSpec;
using Fate = GroupPlan::Fate;

std::string policy_of(const PodTemplate& pod) {
  return pod.preemption_policy.empty() ? "PreemptLowerPriority" : pod.preemption_policy;
}

// What all members of a tree have to agree on; empty if they do.
std::string inconsistency(const cluster::Model& model, const TreeStanding& at,
                          const std::map<ObjectKey, TrackedGroup>& groups,
                          const std::map<ObjectKey, TrackedPod>& pods,
                          const std::vector<Framework>& frameworks) {
  const auto ours = [&](std::string_view name) {
    return std::ranges::any_of(frameworks,
                               [&](const Framework& f) { return f.scheduler_name == name; });
  };
  std::vector<ObjectKey> members;
  for (const GroupNode& node : at.tree.groups) {
    if (node.composite) continue;
    const std::set<ObjectKey>& more = groups.at(node.key).members;
    members.insert(members.end(), more.begin(), more.end());
  }
  const PodTemplate* first = nullptr;
  for (const ObjectKey& key : members) {
    const TrackedPod& tracked = pods.at(key);
    const PodSpec& spec = model.pod(tracked.id).info->spec;
    if (spec.finished() || spec.terminating || tracked.condemned || tracked.gone) continue;
    const PodTemplate& pod = *spec.spec;
    if (!ours(pod.scheduler_name)) continue;
    if (at.group_priority && pod.priority.value_or(0) != *at.group_priority) {
      return "all pods in a single pod group should have the same priority as the pod group's "
             "priority, got " +
             std::to_string(pod.priority.value_or(0)) + " and " +
             std::to_string(*at.group_priority);
    }
    if (first == nullptr) {
      first = &pod;
      if (!at.group_policy.empty() && policy_of(pod) != at.group_policy) {
        return "all pods in a single pod group should have the same preemption policy, got " +
               policy_of(pod) + " and " + at.group_policy;
      }
      continue;
    }
    if (pod.scheduler_name != first->scheduler_name) {
      return "all pods in a single pod group should have the same scheduler name, got " +
             first->scheduler_name + " and " + pod.scheduler_name;
    }
    if (policy_of(pod) != policy_of(*first)) {
      return "all pods in a single pod group should have the same preemption policy, got " +
             policy_of(*first) + " and " + policy_of(pod);
    }
  }
  return "";
}

std::string counts(std::int32_t required, std::int32_t scheduled, std::int32_t remaining) {
  return "minCount (" + std::to_string(required) +
         ") cannot be satisfied: " + std::to_string(scheduled) + " scheduled, " +
         std::to_string(remaining) + " remaining";
}

}  // namespace

std::string core_text(const GroupTree& tree, const TreePlan& plan) {
  if (plan.placements == 0) return "no feasible placements found";
  return "pod group is unschedulable, 0/" + std::to_string(plan.placements) +
         " placements are available, first placement status: " +
         counts(tree.root().required, plan.scheduled, plan.remaining);
}

void Scheduler::State::report_group(TrackedGroup& group, const std::string& reason,
                                    const std::string& message) {
  // True is final.
  if (group.spec->initially_scheduled || group.reported_scheduled) return;
  if (group.shown_reason == reason && group.shown_message == message) return;
  group.shown_reason = reason;
  group.shown_message = message;
  decisions.emplace_back(
      GroupStatus{group.spec->key, group.spec->uid, group.spec->native, false, reason, message,
                  reason == "Unschedulable" ? group.diagnosis : GroupDiagnosis{}});
}

// Why each group without its minimum has no place.
void Scheduler::State::explain(cluster::Model& model, const TreePlanInput& input,
                               const TreeStanding& at, const TreePlan& plan) {
  const PodSpec& first = model.pod(pods.at(at.pending.front()).id).info->spec;
  const bool may_evict = first.spec->preemption_policy != "Never";
  const bool lower = !placed_pods.empty() && placed_pods.begin()->first < at.priority;
  for (std::size_t g = 0; g < at.tree.groups.size(); ++g) {
    if (at.tree.groups[g].composite) continue;
    TrackedGroup& group = groups.at(at.tree.groups[g].key);
    group.diagnosis = diagnose(input, g, plan);
    const GroupCause cause = group.diagnosis.cause;
    const bool room = cause == GroupCause::Capacity || cause == GroupCause::CapacityBelowMinimum ||
                      cause == GroupCause::Fragmentation;
    if (room && lower && !may_evict) group.diagnosis.cause = GroupCause::PreemptionNotAllowed;
  }
}

// The tree cannot be decided: every waiting member says so, and it is tried again after a while.
void Scheduler::State::fail_groups(const EntityKey& entity, const TreeStanding& at,
                                   const std::string& message, Time now) {
  for (const ObjectKey& key : at.pending) report(key, pods.at(key), "SchedulerError", message);
  for (const GroupNode& node : at.tree.groups) {
    if (node.composite) continue;
    TrackedGroup& group = groups.at(node.key);
    if (group.spec == nullptr) continue;
    report_group(group, "SchedulerError", message);
    group.message = message;
    group.proof.clear();
  }
  queue.failed(entity, now);
}

// Takes the places of a plan and sends the binds; members that it leaves out say why.
void Scheduler::State::carry_out(cluster::Model& model, Journal& journal, const EntityKey& entity,
                                 TreeStanding& at, const std::vector<Promise>& promises,
                                 const TreePlan& plan, Time now) {
  const PodSpec& first = model.pod(pods.at(at.pending.front()).id).info->spec;
  const Framework& framework = *framework_for(first.spec->scheduler_name);
  std::vector<std::pair<std::size_t, Places>> taken;  // by group of the tree
  Transaction taking(journal);
  for (std::size_t g = 0; g < at.tree.groups.size(); ++g) {
    const GroupNode& node = at.tree.groups[g];
    if (node.composite) continue;
    Places places;
    for (std::size_t i = node.first; i < node.last; ++i) {
      if (plan.members[i].fate != Fate::Placed) continue;
      places.emplace_back(at.pending[i], plan.members[i].node);
      take_up(model, journal, promises[i], plan.members[i].node);
    }
    if (places.empty()) continue;
    GroupStanding& standing = at.standings[g].group;
    standing.scheduled += static_cast<std::int32_t>(places.size());
    const Status status = take_places(model, journal, framework, places, &standing);
    if (!status.ok()) {
      taking.roll_back();
      fail_groups(entity, at, status.message, now);
      return;
    }
    taken.emplace_back(g, std::move(places));
  }
  taking.commit();
  reservations_freed = model.reservations_freed();
  for (const auto& [g, places] : taken) {
    emit_binds(model, framework, places, &at.standings[g].group, now);
  }
  bool left = false;
  for (std::size_t g = 0; g < at.tree.groups.size(); ++g) {
    const GroupNode& node = at.tree.groups[g];
    if (node.composite) continue;
    TrackedGroup& group = groups.at(node.key);
    group.message.clear();
    group.proof.clear();
    group.diagnosis = {};
    for (std::size_t i = node.first; i < node.last; ++i) {
      if (plan.members[i].fate == Fate::Placed) continue;
      left = true;
      group.message = plan.members[i].fate == Fate::Failed
                          ? plan.fit_errors[plan.members[i].fit_error]
                          : counts(node.required, at.standings[g].group.scheduled, 0);
      report(at.pending[i], pods.at(at.pending[i]), "Unschedulable", group.message);
    }
    touch_group(node.key, false);
  }
  if (left) {
    queue.unschedulable(entity, now, plan.rejectors);
  } else {
    queue.succeeded(entity);
  }
}

// Nobody is placed: what each member and each group says about it.
void Scheduler::State::refuse(const EntityKey& entity, const TreeStanding& at, const TreePlan& plan,
                              const std::string& post, Time now) {
  const bool somewhere = plan.placements > 0;
  const std::string core = core_text(at.tree, plan);
  const std::string condition = core + post;
  for (std::size_t i = 0; i < at.pending.size(); ++i) {
    const GroupPlan::Member& member = plan.members[i];
    std::string message = core;
    if (somewhere && member.fate == Fate::Failed) {
      message = plan.fit_errors[member.fit_error];
    } else if (somewhere && member.fate == Fate::Placed) {
      message = "pod group is unschedulable, " + condition;
    }
    report(at.pending[i], pods.at(at.pending[i]), "Unschedulable", message);
  }
  for (std::size_t g = 0; g < at.tree.groups.size(); ++g) {
    if (at.tree.groups[g].composite) continue;
    TrackedGroup& group = groups.at(at.tree.groups[g].key);
    const GroupStanding& standing = at.standings[g].group;
    if (standing.scheduled < standing.required) report_group(group, "Unschedulable", condition);
    group.message = condition;
    group.proof = plan.proof;
  }
  queue.unschedulable(entity, now, plan.rejectors);
}

void Scheduler::State::try_group(cluster::Model& model, Journal& journal, const EntityKey& entity,
                                 Time now) {
  TreeStanding at = tree_standing(model, entity);
  if (at.pending.empty()) return;  // held meanwhile
  if (const std::string wrong = inconsistency(model, at, groups, pods, frameworks);
      !wrong.empty()) {
    fail_groups(entity, at, wrong, now);
    return;
  }
  const PodSpec& first = model.pod(pods.at(at.pending.front()).id).info->spec;
  const Framework& framework = *framework_for(first.spec->scheduler_name);

  TreePlanInput input{framework,   model, journal, at.tree, {}, {}, config.search_budget,
                      &evaluations};
  std::vector<Promise> promises;
  for (const ObjectKey& member : at.pending) {
    const TrackedPod& pod = pods.at(member);
    input.pods.push_back(view(model, pod));
    promises.push_back(promise_to(model, model.pod(pod.id).info->spec));
  }
  TreePlan plan;
  std::string finding;
  {
    // With the places promised to the members given back to them.
    Transaction trial(journal);
    for (std::size_t i = 0; i < promises.size(); ++i) {
      const NodeId promised = give_back(model, journal, promises[i]);
      input.promised.push_back(promised ? promised : nominated_node(model, at.pending[i]));
    }
    charge_nominated(model, journal, entity, at.priority);
    plan = plan_tree(input);
    const bool refused = plan.error.empty() && plan.outcome != GroupPlan::Outcome::Placed;
    if (refused) explain(model, input, at, plan);
    if (refused && !framework.post_filter.empty()) {
      finding = preempt_for(model, journal, entity, at, input, now);
    }
  }
  if (!plan.error.empty()) {
    fail_groups(entity, at, plan.error, now);
  } else if (plan.outcome == GroupPlan::Outcome::Placed) {
    carry_out(model, journal, entity, at, promises, plan, now);
  } else {
    std::string post;
    for (const PostFilterPlugin* plugin : framework.post_filter) {
      post += ", " + plugin->post_filter_group(first.spec->preemption_policy, finding).message;
    }
    refuse(entity, at, plan, post, now);
  }
}

}  // namespace quorate::scheduler
