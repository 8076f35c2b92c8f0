#pragma once

#include "src/cluster/model.h"
#include "src/scheduler/views.h"

namespace quorate::scheduler {

// Puts a pod on a node in a trial, with the devices of its claims. Undone with the transaction of
// the journal. The pod fits there; where a search for its devices ends by its budget after all, it
// is charged without them.
void charge_pod(cluster::Model& model, Journal& journal, cluster::NodeId node, const PodView& pod);

}  // namespace quorate::scheduler
