#pragma once

#include <optional>
#include <vector>

#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/objects/queues.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// A parent of variants, as the caches have it.
struct FamilyView {
  objects::Workload parent;
  std::vector<objects::Workload> variants;     // those that it controls
  std::optional<objects::ClusterQueue> queue;  // nullopt: it is in none
};

// Concurrent admission: one variant for each flavor of the queue is there and is a copy of its
// parent, which follows the one that runs. Without a policy the family is dissolved, once nothing
// of it runs, and the parent is queued by itself.
//
// Level-based, as admission::plan_variants() is, which decides most of it.
Plan reconcile(const FamilyView& seen, const ReconcileSettings& settings, Time now);

// Reporting controller of a family's events.
inline constexpr std::string_view kFamilyEventController = "concurrent-admission-controller";

}  // namespace quorate::controller
