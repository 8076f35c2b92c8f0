#include "src/scheduler/registry.h"

#include <array>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {

std::span<const Plugin* const> registry() {
  static const std::array kPlugins = {
      &scheduling_gates(),   &priority_sort(),        &node_name(),      &node_unschedulable(),
      &taint_toleration(),   &node_affinity(),        &node_ports(),     &node_resources_fit(),
      &default_preemption(), &balanced_allocation(),  &default_binder(), &gang(),
      &topology_placement(), &pod_group_pods_count(),
  };
  return kPlugins;
}

}  // namespace quorate::scheduler
