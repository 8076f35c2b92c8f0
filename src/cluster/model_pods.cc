// The part of the model that pods change.

#include "src/base/check.h"
#include "src/cluster/model.h"

namespace quorate::cluster {

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
  info->demand = make_demand(resources_, spec.spec, spec.requests);
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
    pods_.at(id).info = info;
    pods_.at(id).assumed = assumed;
  } else {
    if (before_node) take_off(journal, id);
    pods_.at(id).info = info;
    if (target) put_on(journal, id, target, assumed);
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
  charge(journal, node, pods_.at(pod).info->demand);
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
  release(journal, node, pods_.at(pod).info->demand);
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
}

void Model::unlist_pod(PodId pod) {
  Pod& leaving = pods_.at(pod);
  std::vector<PodId>& there = nodes_.at(leaving.node).pods;
  there[leaving.position] = there.back();
  pods_.at(there.back()).position = leaving.position;
  there.pop_back();
  leaving.node = {};
}

}  // namespace quorate::cluster
