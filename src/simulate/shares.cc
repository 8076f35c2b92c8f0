#include "src/simulate/shares.h"

#include "fairshare/share.h"
#include "quota/cohort_tree.h"
#include "src/translate/translate.h"

namespace quorate::simulate {

std::map<std::string, QueueShare> shares_of(const Objects& objects,
                                            const FinalAnswer::Usage& usage) {
  Journal journal;
  quota::Names names;
  quota::CohortTree tree(journal);
  std::map<std::string, std::int64_t> weights;
  for (const auto& [key, object] : objects.of<objects::Cohort>()) {
    const admission::CohortSpec spec = translate::to_spec(object);
    tree.put_cohort(spec.name, spec.parent, spec.resource_groups, names);
  }
  for (const auto& [key, object] : objects.of<objects::ClusterQueue>()) {
    const admission::ClusterQueueSpec spec = translate::to_spec(object);
    tree.put_cluster_queue(spec.name, spec.cohort, spec.resource_groups, names);
    weights[spec.name] = spec.fair_weight_milli;
  }
  tree.settle();
  std::map<std::string, QueueShare> shares;
  for (const auto& [queue, weight] : weights) {
    const auto used = usage.find(queue);
    if (used == usage.end()) continue;
    const quota::NodeId node = tree.cluster_queue(queue);
    for (const auto& [flavor, resources] : used->second) {
      for (const auto& [resource, amount] : resources) {
        tree.charge(node, names.pair(flavor, resource), amount);
      }
    }
  }
  for (const auto& [queue, weight] : weights) {
    const quota::NodeId node = tree.cluster_queue(queue);
    if (tree.in_cycle(node)) continue;
    const fairshare::DominantShare share = fairshare::dominant_share(tree, names, node, weight);
    shares[queue] = {share.share.weighted(), share.resource};
  }
  return shares;
}

}  // namespace quorate::simulate
