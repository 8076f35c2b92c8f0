#pragma once

#include <vector>

#include "src/scheduler/group_plan.h"

namespace quorate::scheduler {

// Plans the members of a group on the nodes of one placement: all that fit, if that reaches the
// minimum, else none. The model is as before when it returns; the caller takes the places.
//
// In steps, each only if the one before left the minimum unmet:
// 1. bound: of members that are all alike exactly as many fit as the nodes' free room says;
// 2. plain attempt: the members in their order, each on its best node - the algorithm whose counts
//    kube-scheduler reports;
// 3. bounds for mixed members: per shape, and per resource;
// 4. a search with backtracking, large members and full nodes first, complete within its budget of
//    work units (one unit = one node looked at for one shape).
GroupPlan plan_gang(const GroupPlanInput& input);

}  // namespace quorate::scheduler
