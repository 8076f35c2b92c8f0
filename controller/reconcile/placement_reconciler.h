#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/reconcile/job_workload.h"
#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// A Workload with a topology assignment, and what is on its places.
struct PlacementView {
  objects::Workload workload;
  std::vector<std::shared_ptr<const objects::Pod>> pods;  // of the Workload, by name
  // The nodes of its places, by hostname.
  std::map<std::string, std::shared_ptr<const objects::Node>, std::less<>> nodes;
  FlavorsByName flavors;  // those of its admission
};

// Whether there is anything to look after: quota is reserved with places, and the end has not come.
bool has_places(const objects::Workload& workload);

// Hostnames of its places, sorted; nothing where places are no single hosts.
std::vector<std::string> hosts_of(const objects::Workload& workload);

// The name by which pods know their Workload: that of the first of a chain of slices, or its own.
std::string name_for_pods(const objects::Workload& workload);
// The same, as a pod says it; "" for none.
std::string_view workload_name_of(const objects::Pod& pod);

// Lets gated pods go to their places, and notices hosts of the assignment that have failed.
//
// Places: an admitted Workload's pods carry the gate kueue.x-k8s.io/topology. Each one loses it and
// gains its domain's node selector in one write: by rank where the pods have indexes, else in the
// order of their names; whoever takes the place of a pod that is gone gets its domain.
//
// Hosts: one that has failed is recorded in the status, and admission finds another; a second one
// evicts the Workload. Pods that wait for a host that they will never get are ended.
//
// Level-based: applying the result and calling again gives no writes.
Plan reconcile(const PlacementView& seen, const ReconcileSettings& settings, Time now);

}  // namespace quorate::controller
