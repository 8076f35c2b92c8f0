#include "src/scheduler/registry.h"

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// A plugin without arguments is one object for the whole process.
std::shared_ptr<const Plugin> shared(const Plugin& plugin) {
  return {std::shared_ptr<const Plugin>(), &plugin};
}

}  // namespace

Plugins make_plugins(const PluginArgs& args) {
  return {
      shared(scheduling_gates()),    shared(priority_sort()),
      shared(node_name()),           shared(node_unschedulable()),
      shared(taint_toleration()),    make_node_affinity(args.added_affinity),
      shared(node_ports()),          make_node_resources_fit(args.fit),
      shared(pod_topology_spread()), make_inter_pod_affinity(args.inter_pod),
      shared(dynamic_resources()),   shared(device_remainder()),
      shared(default_preemption()),  make_balanced_allocation(args.balanced),
      shared(default_binder()),      shared(gang()),
      shared(topology_placement()),  shared(pod_group_pods_count()),
  };
}

std::vector<std::string> plugin_names() {
  std::vector<std::string> names;
  for (const auto& plugin : make_plugins({})) names.emplace_back(plugin->name());
  return names;
}

}  // namespace quorate::scheduler
