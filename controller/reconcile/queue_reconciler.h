#pragma once

// ClusterQueues, LocalQueues and ResourceFlavors: status and finalizers.

#include <optional>
#include <string>

#include "admission/views.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/objects/flavors.h"
#include "src/objects/queues.h"

namespace quorate::controller {

enum class QueueKind { ClusterQueue, LocalQueue, Cohort };

// The status that a queue should show: `view` over what it shows now (for transition times). The
// borrowed part is left out for LocalQueues.
objects::QueueStatus queue_status(const objects::QueueStatus& now_shown,
                                  const admission::QueueView& view, QueueKind kind,
                                  std::int64_t generation, Time now);

// Our finalizer on a queue or flavor: put on while it lives, taken off when it is being deleted and
// `in_use` no longer. Nothing if it is as it should be.
std::optional<SetFinalizers> finalizer_change(const objects::KindInfo& kind,
                                              const objects::ObjectMeta& meta, bool in_use);

// Whether the queue lists the flavor.
bool lists_flavor(const std::vector<objects::ResourceGroup>& groups, std::string_view flavor);

}  // namespace quorate::controller
