#include <map>
#include <set>
#include <tuple>

#include "quota/wide.h"
#include "src/simulate/trace.h"

namespace quorate::simulate {
namespace {

// The root of the tree that a cohort stands in; a cycle ends where it began.
std::string root_of(const Objects& objects, std::string cohort) {
  const auto& all = objects.of<objects::Cohort>();
  std::set<std::string> seen;
  while (seen.insert(cohort).second) {
    const auto found = all.find({"", cohort});
    if (found == all.end() || found->second.parent.empty()) break;
    cohort = found->second.parent;
  }
  return cohort;
}

// A tree of queues and one resource.
using Pool = std::pair<std::string, std::string>;

template <class T>
void add_quota(const T& object, const std::string& tree, std::map<Pool, Quantity>& capacity) {
  for (const objects::ResourceGroup& group : object.resource_groups) {
    for (const objects::FlavorQuotas& flavor : group.flavors) {
      for (const objects::ResourceQuota& quota : flavor.resources) {
        capacity[{tree, quota.name}] += quota.nominal;
      }
    }
  }
}

}  // namespace

Duration makespan_bound(const Trace& trace) {
  const Objects& objects = trace.objects;
  std::map<Pool, Quantity> capacity;
  std::map<std::string, std::string> trees;  // by queue
  for (const auto& [key, queue] : objects.of<objects::ClusterQueue>()) {
    // No cohort has a name with a slash in it.
    std::string tree = queue.cohort.empty() ? "queue/" + key.name : root_of(objects, queue.cohort);
    add_quota(queue, tree, capacity);
    trees[key.name] = std::move(tree);
  }
  for (const auto& [key, cohort] : objects.of<objects::Cohort>()) {
    add_quota(cohort, root_of(objects, key.name), capacity);
  }
  std::map<Pool, quota::Wide> work;  // units times nanoseconds that come from here on
  Duration bound;
  if (trace.arrivals.empty()) return bound;
  const Time start = trace.arrivals.front().at;
  for (auto arrival = trace.arrivals.rbegin(); arrival != trace.arrivals.rend(); ++arrival) {
    const Duration at = arrival->at - start;
    bound = std::max(bound, at + arrival->runtime);
    const auto tree = trees.find(arrival->workload.queue_name);
    if (tree == trees.end()) continue;
    for (const objects::PodSet& set : arrival->workload.pod_sets) {
      for (const ContainerResources& container : set.pod_template.parsed->containers) {
        for (const auto& [resource, amount] : container.requests) {
          const Pool pool{tree->second, resource};
          const auto have = capacity.find(pool);
          if (have == capacity.end() || have->second <= Quantity{}) continue;
          quota::Wide& sum = work[pool];
          sum +=
              static_cast<quota::Wide>((amount * set.count).base_units()) * arrival->runtime.nanos;
          const auto nanos = static_cast<std::int64_t>(sum / have->second.base_units());
          bound = std::max(bound, at + Duration{nanos});
        }
      }
    }
  }
  return bound;
}

}  // namespace quorate::simulate
