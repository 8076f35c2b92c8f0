#include "admission/preemption_candidates.h"

#include <algorithm>
#include <tuple>

namespace quorate::admission {

std::string_view kind_name(PreemptionKind kind) {
  switch (kind) {
    case PreemptionKind::InClusterQueue:
      return "InClusterQueue";
    case PreemptionKind::InCohortReclamation:
      return "InCohortReclamation";
    case PreemptionKind::InCohortFairSharing:
      return "InCohortFairSharing";
    case PreemptionKind::InCohortReclaimWhileBorrowing:
      return "InCohortReclaimWhileBorrowing";
  }
  return "";
}

bool allowed_by(PreemptionPolicy policy, const Facts& preemptor, const Facts& candidate) {
  switch (policy) {
    case PreemptionPolicy::Never:
      return false;
    case PreemptionPolicy::Any:
      return true;
    case PreemptionPolicy::LowerPriority:
      return candidate.priority < preemptor.priority;
    case PreemptionPolicy::LowerOrNewerEqualPriority:
      if (candidate.priority != preemptor.priority) return candidate.priority < preemptor.priority;
      return preemptor.queued_at < candidate.queued_at;
  }
  return false;
}

bool holds_contested(const Preemptor& preemptor, const Candidate& candidate) {
  return std::any_of(preemptor.contested.begin(), preemptor.contested.end(),
                     [&](quota::FlavorResource fr) { return (*candidate.usage)[fr] > Quantity{}; });
}

bool over_quota(const quota::CohortTree& tree, quota::NodeId node, const Preemptor& preemptor) {
  return std::any_of(
      preemptor.contested.begin(), preemptor.contested.end(),
      [&](quota::FlavorResource fr) { return tree.borrowing_with(node, fr, quota::Amount{}); });
}

void collect(const Holders& holders, quota::NodeId queue, PreemptionPolicy policy,
             const Preemptor& preemptor, std::vector<Candidate>& out) {
  if (policy == PreemptionPolicy::Never) return;
  holders.each(queue, [&](const Candidate& candidate) {
    if (!allowed_by(policy, *preemptor.facts, *candidate.facts)) return;
    if (holds_contested(preemptor, candidate)) out.push_back(candidate);
  });
}

bool taken_before(const Candidate& a, const Candidate& b, quota::NodeId own_queue) {
  if (a.evicted != b.evicted) return a.evicted;
  const bool a_own = a.node == own_queue, b_own = b.node == own_queue;
  if (a_own != b_own) return b_own;
  if (a.node == b.node && a.local_usage && b.local_usage && *a.local_usage != *b.local_usage &&
      std::tie(a.facts->key.ns, a.local_queue) != std::tie(b.facts->key.ns, b.local_queue)) {
    return *a.local_usage > *b.local_usage;
  }
  if (a.facts->priority != b.facts->priority) return a.facts->priority < b.facts->priority;
  if (a.reserved != b.reserved) return a.reserved > b.reserved;
  return std::tie(a.facts->uid, a.facts->key) < std::tie(b.facts->uid, b.facts->key);
}

void sort_candidates(std::vector<Candidate>& candidates, quota::NodeId own_queue) {
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return taken_before(a, b, own_queue); });
}

}  // namespace quorate::admission
