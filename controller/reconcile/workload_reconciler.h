#pragma once

#include <optional>

#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// What a Workload needs by itself, whatever its owner does.
struct WorkloadView {
  objects::Workload workload;
  // The kind of its controlling owner is looked after by us, and the owner (with that uid) is gone.
  bool owner_gone = false;
  // Value of the WorkloadPriorityClass that it names; nullopt: it names none, or there is none.
  std::optional<std::int32_t> class_value;
  // What its controlling owner is, where we look after that kind.
  std::optional<kube::Resource> owner;
  // Its queue has it queued as variants, and it does not say yet that it is their parent.
  bool wants_variants = false;
};

// Ends Workloads whose owner is gone, follows the value of their priority class, carries out a
// deactivation that is due, and deletes what has been over for as long as it is to be kept:
// finished Workloads, and the jobs of those that a controller deactivated.
Plan reconcile(const WorkloadView& seen, const ReconcileSettings& settings, Time now);

}  // namespace quorate::controller
