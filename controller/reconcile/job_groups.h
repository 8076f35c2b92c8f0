#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/objects/job.h"
#include "src/objects/pod_group.h"

namespace quorate::controller {

// What the PodGroup of an admitted Job needs before the Job may start.
struct GroupPlan {
  std::vector<Write> writes;
  std::vector<Write> later;  // may wait for more of their kind
  bool blocked = false;      // the group's name is taken; nothing may start meanwhile
  std::string why;           // "" if waiting is all there is to do
};

// The PodGroup that the Job's pod template names, by spec.schedulingGroup or the fallback's label,
// with a gang of `count`, or of as many as are left of the Job: those that have succeeded come no
// more, so a minimum that counted them would hold back who replaces a lost one, and the last pods
// of a Job with more completions than parallelism. A group that is there already is used as it is,
// and follows that number if the Job controls it; downwards only once a pod is not ready, which may
// be one that waits for others. A Job whose template names none gets none: the Job controller makes
// its own.
GroupPlan plan_group(const objects::Job& job, const std::vector<objects::PodGroup>& groups,
                     std::int32_t count, const ReconcileSettings& settings);

// Name of the group that the template names; "" for none.
std::string group_name(const objects::Job& job);

}  // namespace quorate::controller
