// Making room: who may be evicted, for whom, and what is kept while they leave.

#include <algorithm>
#include <tuple>

#include "src/scheduler/preemption.h"
#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::PodSpec;

std::int64_t priority_of(const PodSpec& spec) { return spec.spec->priority.value_or(0); }

constexpr const char* kNobody = "No preemption victims found for incoming preemptor";
constexpr const char* kNotAgain = "not eligible due to a terminating pod on the nominated node.";

}  // namespace

void Scheduler::apply(DisruptionBudget budget) {
  std::vector<DisruptionBudget>& all = state_->budgets;
  const auto at = std::ranges::lower_bound(all, budget.key, {}, &DisruptionBudget::key);
  if (at != all.end() && at->key == budget.key) {
    *at = std::move(budget);
  } else {
    all.insert(at, std::move(budget));
  }
}

void Scheduler::budget_gone(const ObjectKey& key) {
  std::erase_if(state_->budgets, [&](const DisruptionBudget& budget) { return budget.key == key; });
}

// Keeps count of the pods on nodes, by their priority, and of those that are about to leave.
void Scheduler::State::follow_placed(const cluster::PodChange& change) {
  using Info = std::shared_ptr<const cluster::PodInfo>;
  const auto on_node = [](const Info& info) {
    return info != nullptr && !info->spec.node.empty() && !info->spec.finished();
  };
  for (const Info& info : {change.before, change.replaced_pod}) {
    if (!on_node(info)) continue;
    const auto count = placed_pods.find(priority_of(info->spec));
    if (count != placed_pods.end() && --count->second == 0) placed_pods.erase(count);
    ending.erase(info->spec.key);
  }
  if (on_node(change.after)) {
    ++placed_pods[priority_of(change.after->spec)];
    if (change.after->spec.terminating) ending.insert(change.after->spec.key);
  }
  // A victim that ended is not waited for any more.
  for (const Info& info : {change.before, change.replaced_pod}) {
    if (info == nullptr || on_node(change.after)) continue;
    for (auto entry = awaited.begin(); entry != awaited.end();) {
      entry->second.erase(info->spec.key);
      entry = entry->second.empty() ? awaited.erase(entry) : std::next(entry);
    }
  }
}

// Whether the engine's admission, and nobody else, evicts the pod.
bool Scheduler::State::queue_managed(const cluster::PodInfo& info) const {
  const PodSpec& pod = info.spec;
  const Labels& labels = *info.demand.occupant->labels;
  if (labels.contains("kueue.x-k8s.io/queue-name") || labels.contains("kueue.x-k8s.io/podset") ||
      pod.spec->annotations.contains("kueue.x-k8s.io/workload")) {
    return true;
  }
  if (pod.group.empty()) return false;
  const auto group = groups.find({pod.key.ns, pod.group});
  return group != groups.end() && group->second.spec != nullptr &&
         group->second.spec->needs_admission;
}

// That of the root group of the pod, or its own.
std::int64_t Scheduler::State::effective_priority(const PodSpec& pod) const {
  if (pod.group.empty()) return priority_of(pod);
  const ObjectKey key{pod.key.ns, pod.group};
  const RootOf root = root_of(key);
  std::optional<std::int32_t> priority;
  if (root.known && root.entity.composite) {
    priority = composites.at(root.entity.key).spec()->priority;
  } else if (root.known) {
    priority = groups.at(key).spec->priority;
  }
  return priority ? *priority : priority_of(pod);
}

// What goes if the pod goes; nullopt if that may not be.
std::optional<PreemptionUnit> Scheduler::State::unit_of(const cluster::Model& model, PodId id,
                                                        std::int64_t below_priority) const {
  const PodSpec& first = model.pod(id).info->spec;
  PreemptionUnit unit{
      PreemptionUnit::Kind::Pod, effective_priority(first), first.created, first.uid, {}};
  if (unit.priority >= below_priority) return std::nullopt;
  std::set<ObjectKey> members = {first.key};
  // The highest group above whose members go together.
  const auto group = groups.find({first.key.ns, first.group});
  if (!first.group.empty() && group != groups.end() && group->second.spec != nullptr) {
    if (group->second.spec->disrupt_together) {
      unit.kind = PreemptionUnit::Kind::Group;
      unit.uid = group->second.spec->uid;
      members = group->second.members;
    }
    const RootOf root = root_of(group->first);
    std::string parent = root.known ? parent_of(*group->second.spec) : "";
    while (!parent.empty()) {
      const ObjectKey key{first.key.ns, parent};
      const CompositeGroupSpec& spec = *composites.at(key).spec();
      if (spec.disrupt_together) {
        unit.kind = PreemptionUnit::Kind::Composite;
        unit.uid = spec.uid.empty() ? spec.key.text() : spec.uid;
        members.clear();
        std::vector<ObjectKey> inside = {key};
        while (!inside.empty()) {
          const TrackedComposite& at = composites.at(inside.back());
          inside.pop_back();
          inside.insert(inside.end(), at.composites.begin(), at.composites.end());
          for (const ObjectKey& leaf : at.groups) {
            const std::set<ObjectKey>& more = groups.at(leaf).members;
            members.insert(more.begin(), more.end());
          }
        }
      }
      parent = spec.parent;
    }
  }
  for (const ObjectKey& key : members) {
    const PodId member = model.find_pod(key);
    if (!member) continue;
    const cluster::Pod& pod = model.pod(member);
    const PodSpec& spec = pod.info->spec;
    if (!pod.node || spec.terminating || spec.finished()) continue;
    if (pod.assumed || queue_managed(*pod.info)) return std::nullopt;
    const bool leaves =
        std::ranges::any_of(awaited, [&](const auto& entry) { return entry.second.contains(key); });
    if (leaves) continue;
    unit.since = std::min(unit.since, spec.created);
    unit.pods.push_back(member);
  }
  if (unit.pods.empty()) return std::nullopt;
  return unit;
}

// The units with a pod on the node; pods that are `covered` belong to one that is known.
void Scheduler::State::add_units(const cluster::Model& model, NodeId node,
                                 std::int64_t below_priority, std::set<ObjectKey>& covered,
                                 std::vector<PreemptionUnit>& to) const {
  for (const PodId id : model.node(node).pods) {
    if (covered.contains(model.pod(id).info->spec.key)) continue;
    std::optional<PreemptionUnit> unit = unit_of(model, id, below_priority);
    if (!unit) continue;
    if (unit->kind != PreemptionUnit::Kind::Pod) {
      for (const PodId member : unit->pods) covered.insert(model.pod(member).info->spec.key);
    }
    to.push_back(std::move(*unit));
  }
}

std::vector<PreemptionUnit> Scheduler::State::units(const cluster::Model& model,
                                                    std::int64_t below_priority) const {
  std::vector<PreemptionUnit> all;
  std::set<ObjectKey> covered;
  for (const NodeId node : model.nodes()) add_units(model, node, below_priority, covered, all);
  return all;
}

// Pods that are going, or were told to.
std::vector<PodId> Scheduler::State::leaving(const cluster::Model& model) const {
  std::set<ObjectKey> keys = ending;
  for (const auto& [entity, victims] : awaited) {
    for (const auto& [key, victim] : victims) keys.insert(key);
  }
  std::vector<PodId> going;
  for (const ObjectKey& key : keys) {
    const PodId id = model.find_pod(key);
    if (id && model.pod(id).node) going.push_back(id);
  }
  return going;
}

// The room that is being made for others of at least this priority is theirs.
void Scheduler::State::charge_nominated(cluster::Model& model, Journal& journal,
                                        const EntityKey& entity, std::int64_t priority) const {
  for (const auto& [key, name] : nominations) {
    const auto tracked = pods.find(key);
    const NodeId node = model.find_node(name);
    if (tracked == pods.end() || !node || model.pod(tracked->second.id).node) continue;
    const cluster::PodInfo& info = *model.pod(tracked->second.id).info;
    if (priority_of(info.spec) < priority) continue;
    const EntityKey owner =
        tracked->second.group ? entity_of(*tracked->second.group) : EntityKey{false, key};
    if (owner == entity) continue;
    model.charge(journal, node, info.demand);
  }
}

NodeId Scheduler::State::nominated_node(const cluster::Model& model, const ObjectKey& pod) const {
  const auto found = nominations.find(pod);
  return found == nominations.end() ? NodeId{} : model.find_node(found->second);
}

void Scheduler::State::nominate(const cluster::Model& model, const ObjectKey& key,
                                const std::string& node) {
  const auto found = nominations.find(key);
  const std::string before = found == nominations.end() ? "" : found->second;
  if (node.empty()) {
    nominations.erase(key);
  } else {
    nominations[key] = node;
  }
  const PodSpec& spec = model.pod(pods.at(key).id).info->spec;
  if (node == before && node == spec.nominated_node) return;
  if (node.empty() && before.empty() && spec.nominated_node.empty()) return;
  decisions.emplace_back(Nominate{key, spec.uid, node});
}

void Scheduler::State::clear_nominations_below(const cluster::Model& model, const std::string& node,
                                               std::int64_t priority) {
  std::vector<ObjectKey> lower;
  for (const auto& [key, name] : nominations) {
    const auto tracked = pods.find(key);
    if (name != node || tracked == pods.end()) continue;
    if (priority_of(model.pod(tracked->second.id).info->spec) < priority) lower.push_back(key);
  }
  for (const ObjectKey& key : lower) nominate(model, key, "");
}

void Scheduler::State::evict_units(const cluster::Model& model, const EntityKey& preemptor,
                                   const std::string& uid, const std::string& scheduler,
                                   const std::string& where,
                                   const std::vector<PreemptionUnit>& victims, Time now) {
  const std::string what = preemptor.group ? "podgroup" : "pod";
  for (const PreemptionUnit& unit : victims) {
    for (const PodId id : unit.pods) {
      const PodSpec& spec = model.pod(id).info->spec;
      Evict order{spec.key,
                  spec.uid,
                  preemptor.key,
                  preemptor.group,
                  scheduler + ": preempting to accommodate a higher priority " + what,
                  "Preempted by " + what + " " + uid + " on node " + where};
      decisions.emplace_back(order);
      awaited[preemptor][spec.key] = {std::move(order), now};
    }
  }
}

// True if victims were found and told to leave; otherwise `outcome` says why nobody was.
bool Scheduler::State::preempt_for(cluster::Model& model, Journal& journal,
                                   const Framework& framework, const TrackedPod& tracked,
                                   const Evaluation& evaluation, FilterOutcome& outcome, Time now) {
  const PodSpec& spec = model.pod(tracked.id).info->spec;
  const EntityKey entity{false, spec.key};
  const std::int64_t priority = priority_of(spec);
  if (spec.spec->preemption_policy == "Never" || outcome.unschedulable == 0) return false;
  if (awaited.contains(entity)) {
    outcome.not_eligible = kNotAgain;
    return false;
  }
  if (placed_pods.empty() || placed_pods.begin()->first >= priority ||
      queue_managed(*model.pod(tracked.id).info))
    return false;
  std::vector<NodeId> candidates;
  for (std::size_t i = 0; i < evaluation.nodes().size(); ++i) {
    if (evaluation.refusal(i) == Code::Unschedulable) candidates.push_back(evaluation.nodes()[i]);
  }
  const std::vector<PodId> going = leaving(model);
  const PreemptionWorld world{framework, model, journal, budgets, going};
  const PodPreemption found =
      preempt_for_pod(world, evaluation.pod(), candidates, [&](NodeId node) {
        std::vector<PreemptionUnit> here;
        std::set<ObjectKey> covered;
        add_units(model, node, priority, covered, here);
        return here;
      });
  outcome.after_eviction = found.reasons;
  if (!found.node) {
    if (!spec.nominated_node.empty()) nominate(model, spec.key, "");
    return false;
  }
  const std::string name = model.node(found.node).spec->name;
  if (found.room_is_coming) {
    nominate(model, spec.key, name);
    return false;
  }
  evict_units(model, entity, spec.uid, framework.scheduler_name, name, found.victims, now);
  nominate(model, spec.key, name);
  clear_nominations_below(model, name, priority);
  return true;
}

// What looking for victims came to, in kube-scheduler's words.
std::string Scheduler::State::preempt_for(cluster::Model& model, Journal& journal,
                                          const EntityKey& entity, const TreeStanding& at,
                                          const TreePlanInput& input, Time now) {
  const std::string prefix = "pod group preemption: ";
  const PodSpec& first = model.pod(pods.at(at.pending.front()).id).info->spec;
  if (first.spec->preemption_policy == "Never") return "";
  if (awaited.contains(entity)) return prefix + kNotAgain;
  if (placed_pods.empty() || placed_pods.begin()->first >= at.priority ||
      queue_managed(*model.pod(pods.at(at.pending.front()).id).info)) {
    return prefix + kNobody;
  }
  const std::vector<PodId> going = leaving(model);
  std::vector<PreemptionUnit> all = units(model, at.priority);
  const bool somebody = !all.empty();
  const PreemptionWorld world{input.framework, model, journal, budgets, going};
  const GroupPreemption found = preempt_for_groups(world, input, std::move(all));
  if (found.room_is_coming) return prefix + kNotAgain;
  if (!somebody) return prefix + kNobody;
  if (!found.found) {
    for (const ObjectKey& key : at.pending) nominate(model, key, "");
    return "deallocation and deletion of ResourceClaims completed, " + prefix +
           core_text(at.tree, found.plan);
  }
  std::string uid;
  if (entity.composite) {
    uid = composites.at(entity.key).spec()->uid;
  } else {
    uid = groups.at(entity.key).spec->uid;
  }
  std::int64_t count = 0;
  for (const PreemptionUnit& unit : found.victims) {
    count += static_cast<std::int64_t>(unit.pods.size());
  }
  evict_units(model, entity, uid, input.framework.scheduler_name, "cluster", found.victims, now);
  for (std::size_t i = 0; i < at.pending.size(); ++i) {
    const GroupPlan::Member& member = found.plan.members[i];
    const bool has_place = member.fate == GroupPlan::Fate::Placed;
    const std::string node = has_place ? model.node(member.node).spec->name : "";
    nominate(model, at.pending[i], node);
    if (has_place) clear_nominations_below(model, node, at.priority);
  }
  return prefix + "found a placement for podgroup, preempting " + std::to_string(count) +
         " victims";
}

// A victim that does not leave is told again, as long as somebody waits for its room.
void Scheduler::State::victims_due(const cluster::Model& model, Time now) {
  std::erase_if(awaited, [&](const auto& entry) { return !queue.knows(entry.first); });
  for (auto& [entity, victims] : awaited) {
    for (auto& [key, victim] : victims) {
      if (now < victim.sent + config.bind_timeout) continue;
      victim.sent = now;
      const PodId id = model.find_pod(key, victim.evict.pod_uid);
      if (id && !model.pod(id).info->spec.terminating) decisions.emplace_back(victim.evict);
    }
  }
}

}  // namespace quorate::scheduler
