// What fair sharing adds to the cycle: the order of the nominees.

#include <utility>

#include "admission/core.h"

namespace quorate::admission {

// The order depends on what the winners before took, so it comes one by one.
fairshare::Tournament Core::tournament(const std::vector<Entry>& entries) {
  std::vector<fairshare::Contender> contenders;
  for (const Entry& entry : entries) {
    const Facts& facts = *workloads_.at(entry.workload).facts;
    contenders.push_back({queues_.at(entry.queue).node, &entry.assignment.usage,
                          is_preemptor(entry), facts.priority, facts.queued_at, facts.uid});
  }
  return {
      tree_,
      *journal_,
      sharing_,
      {config_.prioritize_preemptors, config_.non_borrowing_first, config_.priority_within_cohort},
      std::move(contenders)};
}

}  // namespace quorate::admission
