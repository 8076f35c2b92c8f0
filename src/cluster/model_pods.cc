// The part of the model that pods change.

#include "src/base/check.h"
#include "src/cluster/model.h"

namespace quorate::cluster {

// The pod as others see it; the one from before if nothing of that changed.
std::shared_ptr<const Occupant> Model::occupant_of(const PodSpec& spec,
                                                   const PodInfo* before) const {
  std::shared_ptr<const Labels> labels = spec.labels;
  if (labels == nullptr) labels = {spec.spec, &spec.spec->labels};
  if (before != nullptr) {
    const Occupant& was = *before->demand.occupant;
    const bool same = was.terminating == spec.terminating && *was.labels == *labels &&
                      (was.pod == spec.spec || *was.pod == *spec.spec);
    if (same) return before->demand.occupant;
  }
  return std::make_shared<const Occupant>(Occupant{spec.key.ns, spec.key.name, spec.uid,
                                                   std::move(labels), spec.spec, spec.terminating});
}

PodChange Model::apply(Journal& journal, PodSpec spec) {
  check(!journal.recording(), "a pod event inside a transaction");
  check(spec.spec != nullptr, "a pod without a template");
  PodChange change;
  if (dead_pods_.contains(spec.uid)) {
    change.ignored = true;
    return change;
  }
  PodId id = find_pod(spec.key);
  if (id && pods_.at(id).info->spec.uid != spec.uid) {
    if (const NodeId node = pods_.at(id).node) change.freed = node;
    change.replaced = id;
    change.replaced_pod = forget_pod(journal, id);
    id = {};
  }
  auto info = std::make_shared<PodInfo>();
  info->demand = make_demand(resources_, occupant_of(spec, id ? pods_.at(id).info.get() : nullptr),
                             spec.requests);
  info->spec = std::move(spec);
  const PodSpec& seen = info->spec;

  if (!id) {
    id = pods_.insert(Pod{info});
    pods_by_key_.insert(seen.key, id);
  } else {
    change.before = pods_.at(id).info;
  }
  const NodeId before_node = pods_.at(id).node;
  const bool was_assumed = pods_.at(id).assumed;

  NodeId target;  // where it is charged from now on
  bool assumed = false;
  if (seen.finished()) {
    target = {};
  } else if (!seen.node.empty()) {
    target = node_or_placeholder(journal, seen.node);
  } else if (was_assumed) {
    target = before_node;
    assumed = true;
  }

  const bool same_charge = change.before != nullptr && target == before_node &&
                           change.before->demand.charges == info->demand.charges &&
                           change.before->demand.ports == info->demand.ports;
  if (same_charge) {
    const std::shared_ptr<const Occupant> was = change.before->demand.occupant;
    pods_.at(id).info = info;
    pods_.at(id).assumed = assumed;
    if (target && was != info->demand.occupant) {
      moved(target, was, -1);
      moved(target, info->demand.occupant, 1);
      change.arrived = target;
    }
  } else {
    if (before_node) take_off(journal, id);
    pods_.at(id).info = info;
    if (target) put_on(journal, id, target, assumed);
    if (target && target != before_node) change.arrived = target;
    if (before_node) change.freed = before_node;
  }
  if (before_node && before_node != target) drop_if_empty(before_node);
  change.id = id;
  change.after = std::move(info);
  return change;
}

PodChange Model::pod_gone(Journal& journal, const ObjectKey& key, std::string_view uid) {
  check(!journal.recording(), "a pod event inside a transaction");
  PodChange change;
  const PodId id = find_pod(key, uid);
  dead_pods_.add(std::string(uid));
  if (!id) {
    change.ignored = true;
    return change;
  }
  change.id = id;
  change.freed = pods_.at(id).node;
  change.before = forget_pod(journal, id);
  return change;
}

std::shared_ptr<const PodInfo> Model::forget_pod(Journal& journal, PodId id) {
  std::shared_ptr<const PodInfo> info = pods_.at(id).info;
  const NodeId node = pods_.at(id).node;
  if (node) {
    take_off(journal, id);
    drop_if_empty(node);
  }
  pods_by_key_.erase(info->spec.key, id);
  pods_.erase(id);
  dead_pods_.add(info->spec.uid);
  return info;
}

void Model::assume(Journal& journal, PodId pod, NodeId node) {
  check(!pods_.at(pod).node, "assume: the pod has a node");
  put_on(journal, pod, node, true);
}

void Model::forget(Journal& journal, PodId pod) {
  if (!pods_.at(pod).assumed) return;
  const NodeId node = pods_.at(pod).node;
  take_off(journal, pod);
  if (!journal.recording()) drop_if_empty(node);
}

void Model::put_on(Journal& journal, PodId pod, NodeId node, bool assumed) {
  take_room(journal, node, pods_.at(pod).info->demand);
  list_pod(pod, node);
  pods_.at(pod).assumed = assumed;
  if (journal.recording()) {
    journal.action([this, pod] {
      unlist_pod(pod);
      pods_.at(pod).assumed = false;
    });
  }
}

void Model::take_off(Journal& journal, PodId pod) {
  const NodeId node = pods_.at(pod).node;
  const bool assumed = pods_.at(pod).assumed;
  give_room(journal, node, pods_.at(pod).info->demand);
  unlist_pod(pod);
  pods_.at(pod).assumed = false;
  if (journal.recording()) {
    journal.action([this, pod, node, assumed] {
      list_pod(pod, node);
      pods_.at(pod).assumed = assumed;
    });
  }
}

void Model::list_pod(PodId pod, NodeId node) {
  std::vector<PodId>& there = nodes_.at(node).pods;
  pods_.at(pod).node = node;
  pods_.at(pod).position = static_cast<std::uint32_t>(there.size());
  there.push_back(pod);
  moved(node, pods_.at(pod).info->demand.occupant, 1);
}

void Model::unlist_pod(PodId pod) {
  Pod& leaving = pods_.at(pod);
  std::vector<PodId>& there = nodes_.at(leaving.node).pods;
  there[leaving.position] = there.back();
  pods_.at(there.back()).position = leaving.position;
  there.pop_back();
  moved(leaving.node, leaving.info->demand.occupant, -1);
  leaving.node = {};
}

}  // namespace quorate::cluster
