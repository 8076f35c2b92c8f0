// Trees of groups: which groups belong together, and what that means for the queue.

#include <algorithm>
#include <tuple>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {
namespace {

// Composites on the way from a root to a leaf, as kube-scheduler allows.
constexpr std::size_t kDeepest = 4;

ObjectKey parent_key(const ObjectKey& child, const std::string& parent) {
  return {child.ns, parent};
}

std::string too_deep(const ObjectKey& root) {
  return "the tree of CompositePodGroup " + root.text() + " has more than " +
         std::to_string(kDeepest) + " levels of composites";
}

}  // namespace

std::string parent_of(const PodGroupSpec& group) {
  if (!group.parent.empty()) return group.parent;
  return group.ancestors.empty() ? "" : group.ancestors.front().key.name;
}

// What a PodGroup names and tells, instead of what it named and told.
void Scheduler::State::link(const ObjectKey& group, const PodGroupSpec* before,
                            const PodGroupSpec* after) {
  const auto place = [&](const PodGroupSpec* spec) {
    return spec == nullptr || parent_of(*spec).empty() ? ObjectKey{}
                                                       : parent_key(group, parent_of(*spec));
  };
  const auto told_parent = [&](const ObjectKey& key) {
    const CompositeGroupSpec* spec = composites[key].spec();
    return spec == nullptr ? std::string() : spec->parent;
  };
  const ObjectKey old_parent = place(before);
  const ObjectKey new_parent = place(after);
  if (old_parent != new_parent) {
    if (!old_parent.name.empty()) {
      composites[old_parent].groups.erase(group);
      touch_tree(old_parent, false);
    }
    if (!new_parent.name.empty()) composites[new_parent].groups.insert(group);
  }
  if (before != nullptr && after != nullptr && before->ancestors == after->ancestors) return;
  for (const PodGroupSpec* spec : {before, after}) {
    if (spec == nullptr) continue;
    for (const CompositeGroupSpec& told : spec->ancestors) {
      const std::string was = told_parent(told.key);
      TrackedComposite& composite = composites[told.key];
      if (spec == after) {
        composite.told.insert_or_assign(group, told);
      } else {
        composite.told.erase(group);
      }
      link(told.key, was, told_parent(told.key));
      touch_tree(told.key, true);
    }
  }
}

void Scheduler::State::link(const ObjectKey& composite, const std::string& before,
                            const std::string& after) {
  if (before == after) return;
  if (!before.empty()) {
    composites[parent_key(composite, before)].composites.erase(composite);
    touch_tree(parent_key(composite, before), false);
  }
  if (!after.empty()) composites[parent_key(composite, after)].composites.insert(composite);
}

// Marks the tree that the composite belongs to, or the part of it that is known.
void Scheduler::State::touch_tree(const ObjectKey& composite, bool helps) {
  ObjectKey at = composite;
  for (std::size_t steps = 0; steps <= 2 * kDeepest; ++steps) {
    const auto found = composites.find(at);
    const CompositeGroupSpec* spec = found == composites.end() ? nullptr : found->second.spec();
    if (spec == nullptr || spec->parent.empty()) break;
    at = parent_key(at, spec->parent);
  }
  dirty_trees[at] |= helps;
}

RootOf Scheduler::State::root_of(const ObjectKey& group) const {
  const auto found = groups.find(group);
  if (found == groups.end() || found->second.spec == nullptr) return {};
  std::string parent = parent_of(*found->second.spec);
  if (parent.empty()) return {true, {true, group}, ""};
  std::set<ObjectKey> seen;
  ObjectKey at = group;
  while (!parent.empty()) {
    at = parent_key(at, parent);
    if (!seen.insert(at).second) {
      return {false, {}, "CompositePodGroup " + at.text() + " is above itself"};
    }
    const auto composite = composites.find(at);
    const CompositeGroupSpec* spec =
        composite == composites.end() ? nullptr : composite->second.spec();
    if (spec == nullptr) return {};
    parent = spec->parent;
  }
  if (seen.size() > kDeepest) {
    return {false, {}, too_deep(at)};
  }
  return {true, {true, at, true}, ""};
}

EntityKey Scheduler::State::entity_of(const ObjectKey& group) const {
  const RootOf root = root_of(group);
  return root.known ? root.entity : EntityKey{true, group};
}

void Scheduler::State::add_group(const cluster::Model& model, const ObjectKey& key,
                                 std::size_t parent, TreeStanding& to) const {
  const TrackedGroup& group = groups.at(key);
  Standing at = standing(model, key, group);
  GroupNode node;
  node.key = key;
  node.required = at.group.required;
  if (group.spec != nullptr) node.topology_key = group.spec->topology_key;
  node.parent = parent;
  node.scheduled = at.group.scheduled;
  node.nodes = at.group.nodes;
  node.first = to.pending.size();
  if (group.spec != nullptr && at.group.admitted) {
    to.pending.insert(to.pending.end(), at.pending.begin(), at.pending.end());
  }
  node.last = to.pending.size();
  to.incomplete |= group.below_since.has_value() && at.bound > 0;
  to.priority = to.tree.groups.empty() ? at.priority : std::max(to.priority, at.priority);
  to.tree.groups.push_back(std::move(node));
  to.standings.push_back(std::move(at));
}

void Scheduler::State::add_composite(const cluster::Model& model, const ObjectKey& key,
                                     std::size_t parent, TreeStanding& to) const {
  const TrackedComposite& composite = composites.at(key);
  const CompositeGroupSpec* spec = composite.spec();
  const std::size_t index = to.tree.groups.size();
  GroupNode node;
  node.key = key;
  node.composite = true;
  node.parent = parent;
  node.first = to.pending.size();
  if (spec != nullptr) {
    node.required = spec->gang ? std::max(1, spec->min_groups) : 1;
    node.topology_key = spec->topology_key;
  }
  to.tree.groups.push_back(std::move(node));
  to.standings.emplace_back();

  std::size_t depth = 1;
  for (std::size_t up = parent; up != kNoParent; up = to.tree.groups[up].parent) ++depth;
  if (depth > kDeepest) {
    to.defect = too_deep(to.tree.root().key);
    return;
  }
  using Child = std::tuple<Time, ObjectKey, bool>;
  std::vector<Child> children;
  for (const ObjectKey& child : composite.groups) {
    const auto group = groups.find(child);
    if (group == groups.end() || group->second.spec == nullptr) continue;
    children.emplace_back(group->second.spec->created, child, false);
  }
  for (const ObjectKey& child : composite.composites) {
    const CompositeGroupSpec* told = composites.at(child).spec();
    if (told != nullptr) children.emplace_back(told->created, child, true);
  }
  std::ranges::sort(children);
  for (const Child& child : children) {
    const std::size_t at = to.tree.groups.size();
    if (std::get<bool>(child)) {
      add_composite(model, std::get<ObjectKey>(child), index, to);
    } else {
      add_group(model, std::get<ObjectKey>(child), index, to);
    }
    to.tree.groups[index].children.push_back(at);
    const std::vector<cluster::NodeId> nodes = to.tree.groups[at].nodes;
    std::vector<cluster::NodeId>& all = to.tree.groups[index].nodes;
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  to.tree.groups[index].last = to.pending.size();
}

TreeStanding Scheduler::State::tree_standing(const cluster::Model& model,
                                             const EntityKey& root) const {
  TreeStanding at;
  if (!root.composite) {
    add_group(model, root.key, kNoParent, at);
    const PodGroupSpec* spec = groups.at(root.key).spec.get();
    if (spec == nullptr) return at;
    at.group_priority = spec->priority;
    at.group_policy = spec->preemption_policy;
    at.since = spec->created;
    return at;
  }
  add_composite(model, root.key, kNoParent, at);
  const CompositeGroupSpec* spec = composites.at(root.key).spec();
  if (spec == nullptr) return at;
  at.group_priority = spec->priority;
  at.group_policy = spec->preemption_policy;
  at.since = spec->created;
  if (spec->priority) at.priority = *spec->priority;
  std::string workload;
  for (const GroupNode& node : at.tree.groups) {
    const std::string& named = node.composite ? composites.at(node.key).spec()->workload
                                              : groups.at(node.key).spec->workload;
    if (named.empty()) continue;
    if (workload.empty()) workload = named;
    if (workload != named) {
      at.defect = "the groups of CompositePodGroup " + root.key.text() +
                  " belong to more than one Workload: " + workload + " and " + named;
    }
  }
  return at;
}

// Whether enough of the group exists for it to be tried.
bool Scheduler::State::ready(const TreeStanding& at, std::size_t group) const {
  const GroupNode& node = at.tree.groups[group];
  if (!node.composite) {
    return std::ranges::all_of(frameworks.front().group_pre_enqueue, [&](const auto* plugin) {
      return plugin->pre_enqueue_group(at.standings[group].group).ok();
    });
  }
  std::int32_t children = 0;
  for (const std::size_t child : node.children) children += ready(at, child) ? 1 : 0;
  return children >= node.required;
}

void Scheduler::State::settle_tree(const cluster::Model& model, const ObjectKey& root, bool helps,
                                   Time now) {
  const auto found = composites.find(root);
  if (found == composites.end()) return;
  TrackedComposite& composite = found->second;
  const EntityKey entity{true, root, true};
  const bool is_root = composite.spec() != nullptr && composite.spec()->parent.empty();
  if (!is_root) {
    // Named only, or part of a cycle: whoever is below waits, or is told what is wrong.
    queue.remove(entity);
    if (composite.groups.empty() && composite.composites.empty() && composite.spec() == nullptr) {
      composites.erase(found);
      return;
    }
    std::vector<ObjectKey> below_it(composite.groups.begin(), composite.groups.end());
    for (const ObjectKey& key : below_it) {
      TrackedGroup& group = groups.at(key);
      const RootOf above = root_of(key);
      if (!above.defect.empty() && group.spec) report_group(group, "Invalid", above.defect);
    }
    return;
  }
  TreeStanding at = tree_standing(model, entity);
  std::vector<std::int32_t> bound;
  bool whole_before = false;
  for (std::size_t i = 0; i < at.tree.groups.size(); ++i) {
    bound.push_back(at.standings[i].bound);
    if (at.tree.groups[i].composite) continue;
    const TrackedGroup& group = groups.at(at.tree.groups[i].key);
    whole_before |= group.spec->initially_scheduled || group.reported_scheduled;
  }
  composite.whole |= whole_before || at.tree.satisfied(0, bound);
  bool incomplete = false;
  bool waiting = false;
  for (std::size_t i = 0; i < at.tree.groups.size(); ++i) {
    const GroupNode& node = at.tree.groups[i];
    if (node.composite) continue;
    TrackedGroup& group = groups.at(node.key);
    queue.remove({true, node.key});
    follow_group(group, node.key, at.standings[i], &composite.whole, now);
    incomplete |= group.below_since.has_value() && at.standings[i].bound > 0;
    waiting |= node.first < node.last;
    if (at.standings[i].pending.empty()) {
      group.message.clear();
      group.proof.clear();
      group.diagnosis = {};
    }
    const RootOf above = root_of(node.key);
    const std::string& defect = above.defect.empty() ? at.defect : above.defect;
    if (!defect.empty()) {
      report_group(group, "Invalid", defect);
      at.defect = defect;
    }
  }
  if (!at.defect.empty() || !waiting || !ready(at, 0)) {
    queue.hold(entity);
    return;
  }
  queue.offer({at.priority, incomplete, at.since, entity}, now);
  if (helps) queue.activate(entity, now);
}

}  // namespace quorate::scheduler
