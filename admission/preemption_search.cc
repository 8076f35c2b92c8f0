#include "admission/preemption_search.h"

#include <algorithm>

namespace quorate::admission {

void VictimTrial::remove(const Candidate& candidate) {
  for (const auto& [fr, amount] : *candidate.usage) {
    context_.tree.release(candidate.node, fr, amount);
  }
  if (context_.placement != nullptr) context_.placement->removed(candidate);
}

void VictimTrial::put_back(const Candidate& candidate) {
  for (const auto& [fr, amount] : *candidate.usage) {
    context_.tree.charge(candidate.node, fr, amount);
  }
  if (context_.placement != nullptr) context_.placement->put_back(candidate);
}

bool VictimTrial::fits(bool may_borrow) const {
  const quota::CohortTree& tree = context_.tree;
  const quota::NodeId node = preemptor_.node;
  const bool quota_fits =
      std::all_of(preemptor_.usage.begin(), preemptor_.usage.end(), [&](const auto& wanted) {
        const auto& [fr, amount] = wanted;
        if (!may_borrow && tree.borrowing_with(node, fr, amount)) return false;
        return quota::Amount{amount} <= tree.available(node, fr).or_zero();
      });
  return quota_fits && (context_.placement == nullptr || context_.placement->fits());
}

void VictimTrial::drop_unneeded(std::vector<Target>& targets, bool may_borrow) {
  for (std::size_t left = targets.size(); left > 1; --left) {
    const auto at = targets.begin() + static_cast<std::ptrdiff_t>(left - 2);
    put_back(at->victim);
    if (fits(may_borrow)) {
      targets.erase(at);
    } else {
      remove(at->victim);
    }
  }
}

}  // namespace quorate::admission
