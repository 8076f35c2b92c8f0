#include "src/simulate/shares.h"

#include "fairshare/sharing.h"
#include "quota/cohort_tree.h"
#include "src/translate/translate.h"

namespace quorate::simulate {

std::map<std::string, QueueShare> shares_of(const Objects& objects,
                                            const FinalAnswer::Usage& usage) {
  Journal journal;
  quota::Names names;
  quota::CohortTree tree(journal);
  fairshare::Sharing sharing;
  for (const auto& [key, object] : objects.of<objects::Cohort>()) {
    const admission::CohortSpec spec = translate::to_spec(object);
    tree.put_cohort(spec.name, spec.parent, spec.resource_groups, names);
    sharing.set_weight(tree.cohort(spec.name), spec.fair_weight);
  }
  std::map<std::string, quota::NodeId> queues;
  for (const auto& [key, object] : objects.of<objects::ClusterQueue>()) {
    const admission::ClusterQueueSpec spec = translate::to_spec(object);
    const quota::NodeId node =
        tree.put_cluster_queue(spec.name, spec.cohort, spec.resource_groups, names);
    sharing.set_weight(node, spec.fair_weight);
    queues[spec.name] = node;
  }
  tree.settle();
  for (const auto& [queue, node] : queues) {
    const auto used = usage.find(queue);
    if (used == usage.end()) continue;
    for (const auto& [flavor, resources] : used->second) {
      for (const auto& [resource, amount] : resources) {
        tree.charge(node, names.pair(flavor, resource), amount);
      }
    }
  }
  std::map<std::string, QueueShare> shares;
  for (const auto& [queue, node] : queues) {
    if (tree.in_cycle(node)) continue;
    const fairshare::DominantShare share = sharing.dominant_share(tree, names, node);
    shares[queue] = {share.share.weighted(), share.resource};
  }
  return shares;
}

}  // namespace quorate::simulate
