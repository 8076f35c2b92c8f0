// One attempt at a group: all members it needs, or none.

#include <algorithm>
#include <set>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;
using cluster::PodSpec;

// What all members have to agree on; empty if they do.
std::string inconsistency(const cluster::Model& model, const TrackedGroup& group,
                          const std::map<ObjectKey, TrackedPod>& pods,
                          const std::vector<Framework>& frameworks) {
  const auto ours = [&](std::string_view name) {
    return std::ranges::any_of(frameworks,
                               [&](const Framework& f) { return f.scheduler_name == name; });
  };
  const PodTemplate* first = nullptr;
  for (const ObjectKey& key : group.members) {
    const TrackedPod& tracked = pods.at(key);
    const PodSpec& spec = model.pod(tracked.id).info->spec;
    if (spec.finished() || spec.terminating || tracked.condemned || tracked.gone) continue;
    const PodTemplate& pod = *spec.spec;
    if (!ours(pod.scheduler_name)) continue;
    if (group.spec->priority && pod.priority.value_or(0) != *group.spec->priority) {
      return "all pods in a single pod group should have the same priority as the pod group's "
             "priority, got " +
             std::to_string(pod.priority.value_or(0)) + " and " +
             std::to_string(*group.spec->priority);
    }
    if (first == nullptr) {
      first = &pod;
      continue;
    }
    if (pod.scheduler_name != first->scheduler_name) {
      return "all pods in a single pod group should have the same scheduler name, got " +
             first->scheduler_name + " and " + pod.scheduler_name;
    }
    const auto policy = [](const PodTemplate& of) {
      return of.preemption_policy.empty() ? std::string("PreemptLowerPriority")
                                          : of.preemption_policy;
    };
    if (policy(pod) != policy(*first)) {
      return "all pods in a single pod group should have the same preemption policy, got " +
             policy(*first) + " and " + policy(pod);
    }
  }
  return "";
}

struct Candidate {
  const Placement* placement;
  GroupPlan plan;
  std::vector<std::int64_t> scores;  // raw, by plugin
};

// The candidate with the highest sum of scores, each normalised so that the best has 100. Equal
// sums: the first domain by its name.
const Candidate& best_of(const std::vector<Candidate>& candidates) {
  const std::size_t plugins = candidates.front().scores.size();
  std::vector<std::int64_t> highest(plugins, 0);
  for (const Candidate& candidate : candidates) {
    for (std::size_t i = 0; i < plugins; ++i) {
      highest[i] = std::max(highest[i], candidate.scores[i]);
    }
  }
  const Candidate* best = nullptr;
  std::int64_t best_total = -1;
  for (const Candidate& candidate : candidates) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < plugins; ++i) {
      if (highest[i] > 0) total += candidate.scores[i] * 100 / highest[i];
    }
    if (total <= best_total) continue;
    best = &candidate;
    best_total = total;
  }
  return *best;
}

const std::string kNoPlacement = "no feasible placements found";

}  // namespace

void Scheduler::State::report_group(TrackedGroup& group, const std::string& reason,
                                    const std::string& message) {
  // True is final.
  if (group.spec->initially_scheduled || group.reported_scheduled) return;
  if (group.shown_reason == reason && group.shown_message == message) return;
  group.shown_reason = reason;
  group.shown_message = message;
  decisions.emplace_back(
      GroupStatus{group.spec->key, group.spec->uid, group.spec->native, false, reason, message});
}

// The group cannot be decided: every waiting member says so, and it is tried again after a while.
void Scheduler::State::fail_group(TrackedGroup& group, const EntityKey& entity, const Standing& at,
                                  const std::string& message, Time now) {
  for (const ObjectKey& key : at.pending) report(key, pods.at(key), "SchedulerError", message);
  report_group(group, "SchedulerError", message);
  group.message = message;
  group.proof.clear();
  queue.failed(entity, now);
}

void Scheduler::State::try_group(cluster::Model& model, Journal& journal, const ObjectKey& key,
                                 Time now) {
  TrackedGroup& group = groups.at(key);
  const EntityKey entity{true, key};
  Standing at = standing(model, key, group);
  if (group.spec == nullptr || at.pending.empty()) return;  // held meanwhile
  if (const std::string wrong = inconsistency(model, group, pods, frameworks); !wrong.empty()) {
    fail_group(group, entity, at, wrong, now);
    return;
  }
  const PodSpec& first = model.pod(pods.at(at.pending.front()).id).info->spec;
  const Framework& framework = *framework_for(first.spec->scheduler_name);
  const std::string policy = first.spec->preemption_policy;

  std::vector<PodView> views;
  std::vector<Promise> promises;
  for (const ObjectKey& member : at.pending) {
    const TrackedPod& pod = pods.at(member);
    views.push_back(view(model, pod));
    promises.push_back(promise_to(model, model.pod(pod.id).info->spec));
  }

  Status status;
  std::vector<Placement> placements;
  bool generated = false;
  for (const PlacementGeneratePlugin* plugin : framework.placement_generate) {
    auto offered = plugin->generate(model, at.group, model.nodes(), status);
    if (!offered) continue;
    placements = std::move(*offered);
    generated = true;
    break;
  }
  if (!status.ok()) {
    fail_group(group, entity, at, status.message, now);
    return;
  }
  if (!generated) placements.push_back({"", {model.nodes().begin(), model.nodes().end()}});

  // Plan with the places promised to the members given back to them.
  std::vector<Candidate> candidates;
  std::optional<GroupPlan> first_plan;
  std::uint64_t rejectors = 0;
  std::int64_t search_budget = config.search_budget;
  {
    Transaction trial(journal);
    std::vector<NodeId> promised(views.size());
    for (std::size_t i = 0; i < promises.size(); ++i) {
      promised[i] = give_back(model, journal, promises[i]);
    }
    for (const Placement& placement : placements) {
      const GroupPlanInput input{framework,
                                 model,
                                 journal,
                                 views,
                                 at.group.scheduled,
                                 at.group.required,
                                 placement.nodes,
                                 promised,
                                 search_budget,
                                 generated ? nullptr : &evaluations};
      GroupPlan plan = framework.plan_group->plan(input);
      search_budget = std::max<std::int64_t>(0, search_budget - plan.work);
      rejectors |= plan.rejectors;
      if (!first_plan) first_plan = plan;
      if (plan.outcome != GroupPlan::Outcome::Placed) continue;
      std::vector<std::int64_t> scores;
      if (placements.size() > 1) {
        for (const PlacementScorePlugin* plugin : framework.placement_score) {
          scores.push_back(plugin->score_placement(model, input, plan));
        }
      }
      candidates.push_back({&placement, std::move(plan), std::move(scores)});
    }
  }

  if (!candidates.empty()) {
    const GroupPlan& plan = best_of(candidates).plan;
    std::vector<std::pair<ObjectKey, NodeId>> places;
    Transaction taking(journal);
    for (std::size_t i = 0; i < plan.members.size(); ++i) {
      if (plan.members[i].fate != GroupPlan::Fate::Placed) continue;
      places.emplace_back(at.pending[i], plan.members[i].node);
      take_up(model, journal, promises[i], plan.members[i].node);
    }
    at.group.scheduled += static_cast<std::int32_t>(places.size());
    status = take_places(model, journal, framework, places, &at.group);
    if (!status.ok()) {
      taking.roll_back();
      fail_group(group, entity, at, status.message, now);
      return;
    }
    taking.commit();
    reservations_freed = model.reservations_freed();
    emit_binds(model, framework, places, &at.group, now);
    group.message.clear();
    group.proof.clear();
    bool left = false;
    for (std::size_t i = 0; i < plan.members.size(); ++i) {
      if (plan.members[i].fate == GroupPlan::Fate::Placed) continue;
      left = true;
      group.message = plan.fit_errors[plan.members[i].fit_error];
      report(at.pending[i], pods.at(at.pending[i]), "Unschedulable", group.message);
    }
    if (left) {
      queue.unschedulable(entity, now, plan.rejectors);
    } else {
      queue.succeeded(entity);
    }
    touch_group(key, false);
    return;
  }

  // Nobody is placed.
  std::string post;
  for (const PostFilterPlugin* plugin : framework.post_filter) {
    post += ", " + plugin->post_filter_group(policy).message;
  }
  std::string core = kNoPlacement;
  if (first_plan) {
    core = "pod group is unschedulable, 0/" + std::to_string(placements.size()) +
           " placements are available, first placement status: minCount (" +
           std::to_string(at.group.required) +
           ") cannot be satisfied: " + std::to_string(first_plan->scheduled) + " scheduled, " +
           std::to_string(first_plan->remaining) + " remaining";
  }
  const std::string condition = core + post;
  for (std::size_t i = 0; i < at.pending.size(); ++i) {
    std::string message = core;
    if (first_plan && first_plan->members[i].fate == GroupPlan::Fate::Failed) {
      message = first_plan->fit_errors[first_plan->members[i].fit_error];
    } else if (first_plan && first_plan->members[i].fate == GroupPlan::Fate::Placed) {
      message = "pod group is unschedulable, " + condition;
    }
    report(at.pending[i], pods.at(at.pending[i]), "Unschedulable", message);
  }
  if (at.group.scheduled < at.group.required) report_group(group, "Unschedulable", condition);
  group.message = condition;
  group.proof = first_plan ? first_plan->proof : kNoPlacement;
  queue.unschedulable(entity, now, rejectors);
}

}  // namespace quorate::scheduler
