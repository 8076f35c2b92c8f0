#include "controller/reconcile/placement_reconciler.h"

#include <algorithm>
#include <iterator>

#include "controller/reconcile/node_failures.h"
#include "controller/reconcile/topology_ungater.h"
#include "src/objects/names.h"

namespace quorate::controller {

namespace conditions = objects::conditions;
namespace names = objects::names;

bool has_places(const objects::Workload& workload) {
  const objects::WorkloadStatus& status = workload.status;
  return !workload.meta.deleted && status.admission &&
         objects::is_true(status.conditions, conditions::kQuotaReserved) &&
         !objects::is_true(status.conditions, conditions::kFinished) &&
         !objects::is_true(status.conditions, conditions::kEvicted) &&
         std::ranges::any_of(status.admission->pod_sets, [](const objects::PodSetAssignment& pods) {
           return pods.topology.has_value();
         });
}

std::vector<std::string> hosts_of(const objects::Workload& workload) {
  std::vector<std::string> hosts;
  if (!workload.status.admission) return hosts;
  for (const objects::PodSetAssignment& pods : workload.status.admission->pod_sets) {
    if (!on_hosts(pods)) continue;
    for (const objects::TopologyDomain& domain : pods.topology->domains) {
      hosts.push_back(domain.values.front());
    }
  }
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

std::string name_for_pods(const objects::Workload& workload) {
  const std::string_view slice = objects::value_of(workload.meta.annotations, names::kSliceName);
  return slice.empty() ? workload.meta.key.name : std::string(slice);
}

std::string_view workload_name_of(const objects::Pod& pod) {
  const std::string_view slice = objects::value_of(pod.meta.annotations, names::kSliceName);
  return slice.empty() ? objects::value_of(pod.meta.annotations, names::kWorkload) : slice;
}

Plan reconcile(const PlacementView& seen, const ReconcileSettings& settings, Time now) {
  if (!settings.topology_aware || !has_places(seen.workload)) return {};
  Plan plan;
  if (settings.replace_failed_nodes) plan = node_failures(seen, settings, now);
  std::ranges::move(ungate_by_topology(seen), std::back_inserter(plan.writes));
  return plan;
}

}  // namespace quorate::controller
