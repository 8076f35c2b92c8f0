#pragma once

// Whom a workload preempts where shares play no role. A greedy search, as Kueue defines it: the set
// it finds cannot spare any single victim, but need not be the smallest.

#include <vector>

#include "admission/preemption_search.h"

namespace quorate::admission {

// The victims that let the preemptor in; none if nobody's leaving does. The state is unchanged.
//
// Candidates are workloads of its own queue, and of queues in its tree that use more than their
// nominal quota where the preemptor is short. Against those outside of a subtree whose quota
// suffices for it, the preemptor has *advantage*; from all others it may take only while it does
// not borrow itself, unless borrowWithinCohort lets it.
//
// Cost: the holders of the queues that borrow, once; sorting the candidates; then at most two
// passes of one removal and one question each, and as many questions as targets to put back.
std::vector<Target> find_classic(const SearchContext& context, const Preemptor& preemptor);

}  // namespace quorate::admission
