#pragma once

#include "src/scheduler/group_finding.h"
#include "src/scheduler/group_tree.h"

namespace quorate::scheduler {

// Of the leaf `group` of a tree that found no place. The model is as before when it returns.
GroupDiagnosis diagnose(const TreePlanInput& input, std::size_t group, const TreePlan& plan);

}  // namespace quorate::scheduler
