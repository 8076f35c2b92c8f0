#include "admission/preemption_classic.h"

#include <algorithm>

namespace quorate::admission {
namespace {

using quota::Amount;
using quota::NodeId;

// A candidate and what taking it means.
struct Choice {
  Candidate candidate;
  PreemptionKind kind = PreemptionKind::InClusterQueue;
  NodeId ancestor;              // of both queues, the lowest; false id: own queue
  bool own_quota_only = false;  // may be taken only if the preemptor does not borrow
};

class ClassicSearch {
 public:
  ClassicSearch(const SearchContext& context, const Preemptor& preemptor)
      : context_(context), tree_(context.tree), preemptor_(preemptor) {}

  std::vector<Target> run() {
    collect_candidates();
    const std::vector<Choice> choices = in_order();
    if (choices.empty()) return {};
    VictimTrial trial(context_, preemptor_);
    for (const bool may_borrow : attempts()) {
      if (std::vector<Target> targets = pass(trial, choices, may_borrow); !targets.empty()) {
        return targets;
      }
      trial.start_over();
    }
    return {};
  }

 private:
  // --- candidates ---

  void collect_candidates() {
    const ClusterQueueSpec& spec = *preemptor_.spec;
    std::vector<Candidate> own;
    collect(context_.holders, preemptor_.node, spec.within_cluster_queue, preemptor_, own);
    for (const Candidate& one : own) {
      own_.push_back({one, PreemptionKind::InClusterQueue, NodeId{}, false});
    }
    if (spec.reclaim_within_cohort == PreemptionPolicy::Never) return;

    // Up from the queue: how much of the request each subtree cannot serve by itself.
    std::vector<Unserved> rest;
    for (const auto& [fr, amount] : preemptor_.usage) rest.push_back({fr, Amount{amount}});
    bool advantage = served_by(preemptor_.node, rest);
    NodeId below = preemptor_.node;
    for (NodeId at = tree_.parent(below); at; below = at, at = tree_.parent(at)) {
      std::vector<Candidate> found;
      collect_below(at, below, found);
      for (const Candidate& one : found) {
        if (advantage) {
          hierarchical_.push_back({one, PreemptionKind::InCohortReclamation, at, false});
        } else {
          priority_.push_back(by_priority(one, at));
        }
      }
      advantage = served_by(at, rest) || advantage;
    }
  }

  struct Unserved {
    quota::FlavorResource fr;
    Amount amount;
  };

  // Whether the vertex' subtree has the quota for the rest; what it can give itself is taken off.
  bool served_by(NodeId node, std::vector<Unserved>& rest) const {
    bool fits = true;
    for (auto& [fr, amount] : rest) {
      fits = fits && !tree_.borrowing_with(node, fr, amount);
      const Amount room = (tree_.local_quota(node, fr) - tree_.usage(node, fr)).or_zero();
      amount = (amount - room).or_zero();
    }
    return fits;
  }

  // Candidates in the subtree of `node`, without that of `visited`.
  void collect_below(NodeId node, NodeId visited, std::vector<Candidate>& out) const {
    for (const NodeId child : tree_.children(node)) {
      if (child == visited || !over_quota(tree_, child, preemptor_)) continue;
      if (tree_.is_cluster_queue(child)) {
        collect(context_.holders, child, preemptor_.spec->reclaim_within_cohort, preemptor_, out);
      } else {
        collect_below(child, NodeId{}, out);
      }
    }
  }

  Choice by_priority(const Candidate& candidate, NodeId ancestor) const {
    const BorrowWithinCohort& borrow = preemptor_.spec->borrow_within_cohort;
    const std::int64_t priority = candidate.facts->priority;
    const bool spared =
        borrow.policy == PreemptionPolicy::Never || priority >= preemptor_.facts->priority ||
        (borrow.max_priority_threshold && priority > *borrow.max_priority_threshold);
    return {candidate,
            spared ? PreemptionKind::InCohortReclamation
                   : PreemptionKind::InCohortReclaimWhileBorrowing,
            ancestor, spared};
  }

  // Those on their way out first, then by advantage; each list in the order of candidates.
  std::vector<Choice> in_order() {
    std::vector<Choice> all;
    for (std::vector<Choice>* list : {&hierarchical_, &priority_, &own_}) {
      std::sort(list->begin(), list->end(), [this](const Choice& a, const Choice& b) {
        return taken_before(a.candidate, b.candidate, preemptor_.node);
      });
    }
    for (const bool evicted : {true, false}) {
      for (const std::vector<Choice>* list : {&hierarchical_, &priority_, &own_}) {
        for (const Choice& choice : *list) {
          if (choice.candidate.evicted == evicted) all.push_back(choice);
        }
      }
    }
    return all;
  }

  // --- passes ---

  // Whether the preemptor may borrow, one pass after the other.
  std::vector<bool> attempts() const {
    const bool forbidden = preemptor_.spec->borrow_within_cohort.policy == PreemptionPolicy::Never;
    if (hierarchical_.empty() && priority_.empty()) return {true};
    if (forbidden && !strictly_under_nominal()) return {true};
    if (forbidden && hierarchical_.empty()) return {false, true};
    return {true, false};
  }

  bool strictly_under_nominal() const {
    return std::all_of(preemptor_.contested.begin(), preemptor_.contested.end(), [&](auto fr) {
      return tree_.usage(preemptor_.node, fr) < tree_.nominal(preemptor_.node, fr);
    });
  }

  std::vector<Target> pass(VictimTrial& trial, const std::vector<Choice>& choices,
                           bool may_borrow) const {
    std::vector<Target> targets;
    for (const Choice& choice : choices) {
      if (!valid(choice, may_borrow)) continue;
      trial.remove(choice.candidate);
      targets.push_back({choice.candidate, choice.kind});
      if (!trial.fits(may_borrow)) continue;
      trial.drop_unneeded(targets, may_borrow);
      return targets;
    }
    return {};
  }

  // Removals before may have brought its queue, or a cohort on the way, back within quota.
  bool valid(const Choice& choice, bool may_borrow) const {
    if (!choice.ancestor) return true;
    if (may_borrow && choice.own_quota_only) return false;
    for (NodeId at = choice.candidate.node; at != choice.ancestor; at = tree_.parent(at)) {
      if (!over_quota(tree_, at, preemptor_)) return false;
    }
    return true;
  }

  const SearchContext& context_;
  const quota::CohortTree& tree_;
  const Preemptor& preemptor_;
  std::vector<Choice> hierarchical_, priority_, own_;
};

}  // namespace

std::vector<Target> find_classic(const SearchContext& context, const Preemptor& preemptor) {
  return ClassicSearch(context, preemptor).run();
}

}  // namespace quorate::admission
