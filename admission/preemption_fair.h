#pragma once

#include <vector>

#include "admission/config.h"
#include "admission/preemption_search.h"
#include "fairshare/sharing.h"

namespace quorate::admission {

// How fair-sharing preemption is done.
struct FairRules {
  const fairshare::Sharing& sharing;
  const std::vector<FairStrategy>& strategies;  // one, or both in their order
  bool within_nominal = true;                   // gate FairSharingPreemptWithinNominal
};

// Who has to leave for the preemptor where capacity is shared fairly; nobody if that would not
// help.
//
// The preemptor counts as admitted while shares are compared. Victims are taken one by one from the
// queue that a tournament by shares names (the highest goes first), as long as the rule of the
// first strategy holds between the two nodes below the lowest common ancestor of both queues; where
// it fails for all, the second strategy tries once more, one victim per queue. Whoever stays within
// its nominal quota, and whoever takes from its own queue, needs no rule. In the end those who are
// not needed are put back.
//
// Cost: per victim, one share for every queue that has candidates and for the cohorts above it.
std::vector<Target> find_fair(const SearchContext& context, const Preemptor& preemptor,
                              const FairRules& rules);

}  // namespace quorate::admission
