#include "admission/queue_plan.h"

#include <algorithm>

namespace quorate::admission {

const QueuePlan::Group* QueuePlan::group_of(std::uint32_t resource) const {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return std::find(group.resources.begin(), group.resources.end(), resource) !=
           group.resources.end();
  });
  return found == groups.end() ? nullptr : &*found;
}

bool QueuePlan::has_flavor(std::uint32_t flavor) const {
  return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return std::find(group.flavors.begin(), group.flavors.end(), flavor) != group.flavors.end();
  });
}

QueuePlan compile(const ClusterQueueSpec& spec, quota::Names& names) {
  QueuePlan plan;
  for (const quota::ResourceGroup& group : spec.resource_groups) {
    QueuePlan::Group& compiled = plan.groups.emplace_back();
    for (const std::string& resource : group.covered_resources) {
      compiled.resources.push_back(names.resources.intern(resource).slot);
      plan.covers_pods = plan.covers_pods || resource == "pods";
    }
    for (const quota::FlavorQuotas& flavor : group.flavors) {
      compiled.flavors.push_back(names.flavors.intern(flavor.flavor).slot);
    }
  }
  return plan;
}

}  // namespace quorate::admission
