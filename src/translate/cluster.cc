// Nodes and pods.

#include "src/objects/names.h"
#include "src/translate/translate.h"

namespace quorate::translate {
namespace {

cluster::PodPhase phase_of(objects::PodPhase phase) {
  switch (phase) {
    case objects::PodPhase::Pending:
      return cluster::PodPhase::Pending;
    case objects::PodPhase::Running:
      return cluster::PodPhase::Running;
    case objects::PodPhase::Succeeded:
      return cluster::PodPhase::Succeeded;
    case objects::PodPhase::Failed:
      return cluster::PodPhase::Failed;
    case objects::PodPhase::Unknown:
      // Its node is not heard of; the pod may well run and holds what it was given.
      return cluster::PodPhase::Running;
  }
  return cluster::PodPhase::Running;
}

// The pod's template with what says which workload and pod set it belongs to, so that it finds the
// place that was reserved for it, and whether a topology assignment accounts for its room. Other
// labels and annotations are not kept here, so that pods share theirs.
std::shared_ptr<const PodTemplate> with_workload(const objects::Pod& pod) {
  namespace names = objects::names;
  Labels annotations, labels;
  const std::string_view workload = objects::value_of(pod.meta.annotations, names::kWorkload);
  const std::string_view pod_set = objects::value_of(pod.meta.labels, names::kPodSet);
  if (!workload.empty() && !pod_set.empty()) {
    annotations.emplace(names::kWorkload, workload);
    labels.emplace(names::kPodSet, pod_set);
  }
  for (const std::string_view key :
       {names::kRequiredTopology, names::kPreferredTopology, names::kUnconstrainedTopology}) {
    const auto found = pod.meta.annotations.find(key);
    if (found != pod.meta.annotations.end()) annotations.insert(*found);
  }
  if (annotations.empty()) return pod.spec;
  auto named = std::make_shared<PodTemplate>(*pod.spec);
  for (const auto& [key, value] : annotations) named->annotations[key] = value;
  for (const auto& [key, value] : labels) named->labels[key] = value;
  return named;
}

}  // namespace

cluster::NodeSpec to_spec(const objects::Node& node) {
  return {node.meta.key.name, node.meta.uid,      node.meta.labels,
          node.taints,        node.unschedulable, objects::is_true(node.conditions, "Ready"),
          node.allocatable};
}

cluster::PodSpec to_spec(const objects::Pod& pod) {
  cluster::PodSpec spec;
  spec.key = pod.meta.key;
  spec.uid = pod.meta.uid;
  spec.generation = pod.meta.generation;
  spec.spec = with_workload(pod);
  if (!pod.meta.labels.empty()) spec.labels = std::make_shared<const Labels>(pod.meta.labels);
  spec.requests = pod_requests(*pod.spec);
  spec.node = pod.node_name;
  spec.phase = phase_of(pod.phase);
  spec.terminating = pod.terminating();
  spec.created = pod.meta.created;
  spec.nominated_node = pod.nominated_node;
  spec.group = objects::group_of(pod);
  spec.claim_names = pod.claim_names;
  spec.extended_claim = pod.extended_claim;
  const objects::Condition* scheduled = objects::find_condition(pod.conditions, "PodScheduled");
  if (scheduled != nullptr && scheduled->status == objects::ConditionStatus::False) {
    spec.unschedulable_reason = scheduled->reason;
    spec.unschedulable_message = scheduled->message;
  }
  return spec;
}

}  // namespace quorate::translate
