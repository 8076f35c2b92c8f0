#pragma once

#include "controller/reconcile/placement_reconciler.h"
#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"

namespace quorate::controller {

// Places that are single hosts, which is what a failure is about.
bool on_hosts(const objects::PodSetAssignment& pods);

// What the hosts of a Workload's places ask for: a record of the one that failed, an eviction when
// another one follows, an end for pods that wait for a host that they will never get.
//
// A host has failed for the Workload when its node is gone or says nothing of readiness; when it is
// not ready, or has a taint that the pods do not tolerate for ever, and none of the Workload's pods
// runs there. One on which all of them have succeeded is needed no more.
Plan node_failures(const PlacementView& seen, const ReconcileSettings& settings, Time now);

}  // namespace quorate::controller
