#pragma once

// Every plugin, as the one object it is. registry.cc lists them in their order.

#include "src/scheduler/framework.h"

namespace quorate::scheduler {

const Plugin& scheduling_gates();
const Plugin& priority_sort();
const Plugin& node_name();
const Plugin& node_unschedulable();
const Plugin& taint_toleration();
const Plugin& node_affinity();
const Plugin& node_ports();
const Plugin& node_resources_fit();
const Plugin& default_preemption();
const Plugin& balanced_allocation();
const Plugin& default_binder();
const Plugin& gang();
const Plugin& topology_placement();
const Plugin& pod_group_pods_count();

}  // namespace quorate::scheduler
