#pragma once

// Every plugin: as the one object it is, or made with its arguments. registry.cc lists them in
// their order.

#include "src/scheduler/framework.h"

namespace quorate::scheduler {

const Plugin& scheduling_gates();
const Plugin& priority_sort();
const Plugin& node_name();
const Plugin& node_unschedulable();
const Plugin& taint_toleration();
const Plugin& node_ports();
const Plugin& pod_topology_spread();
const Plugin& default_preemption();
const Plugin& default_binder();
const Plugin& dynamic_resources();
const Plugin& device_remainder();
const Plugin& gang();
const Plugin& topology_placement();
const Plugin& pod_group_pods_count();

std::shared_ptr<const Plugin> make_node_affinity(const NodeAffinity& added);
std::shared_ptr<const Plugin> make_node_resources_fit(const FitArgs& args);
std::shared_ptr<const Plugin> make_inter_pod_affinity(const InterPodArgs& args);
std::shared_ptr<const Plugin> make_balanced_allocation(const BalancedArgs& args);

}  // namespace quorate::scheduler
