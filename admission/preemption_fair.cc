#include "admission/preemption_fair.h"

#include <algorithm>
#include <optional>

#include "admission/victim_tournament.h"

namespace quorate::admission {
namespace {

using quota::NodeId;

// The nodes just below the lowest common ancestor of the preemptor's queue and another one.
struct Sides {
  NodeId preemptor, other;
};

class FairSearch {
 public:
  FairSearch(const SearchContext& context, const Preemptor& preemptor, const FairRules& rules)
      : context_(context), tree_(context.tree), preemptor_(preemptor), rules_(rules) {
    for (NodeId at = preemptor.node; at; at = tree_.parent(at)) path_.push_back(at);
  }

  std::vector<Target> run() {
    std::vector<QueueOfVictims> queues = candidates();
    if (queues.empty()) return {};
    VictimTrial trial(context_, preemptor_);
    trial_ = &trial;
    count_preemptor(1);
    bool fits = first_pass(std::move(queues));
    if (!fits && rules_.strategies.size() > 1) fits = second_pass();
    count_preemptor(-1);
    if (!fits) return {};
    trial.drop_unneeded(targets_, true);
    return std::move(targets_);
  }

 private:
  // By queue, each in the order in which they are taken.
  std::vector<QueueOfVictims> candidates() const {
    std::vector<Candidate> all;
    const ClusterQueueSpec& spec = *preemptor_.spec;
    collect(context_.holders, preemptor_.node, spec.within_cluster_queue, preemptor_, all);
    if (spec.reclaim_within_cohort != PreemptionPolicy::Never && path_.size() > 1) {
      collect_borrowers(path_.back(), all);
    }
    sort_candidates(all, preemptor_.node);
    std::vector<QueueOfVictims> queues;
    for (const Candidate& one : all) {
      const auto found = std::find_if(queues.begin(), queues.end(),
                                      [&](const auto& queue) { return queue.node == one.node; });
      QueueOfVictims& queue = found != queues.end() ? *found : queues.emplace_back();
      queue.node = one.node;
      queue.victims.push_back(one);
    }
    return queues;
  }

  void collect_borrowers(NodeId cohort, std::vector<Candidate>& all) const {
    for (const NodeId child : tree_.children(cohort)) {
      if (!tree_.is_cluster_queue(child)) {
        collect_borrowers(child, all);
      } else if (child != preemptor_.node && over_quota(tree_, child, preemptor_)) {
        collect(context_.holders, child, preemptor_.spec->reclaim_within_cohort, preemptor_, all);
      }
    }
  }

  void count_preemptor(int sign) {
    for (const auto& [fr, amount] : preemptor_.usage) {
      if (sign > 0) {
        tree_.charge(preemptor_.node, fr, amount);
      } else {
        tree_.release(preemptor_.node, fr, amount);
      }
    }
  }

  bool preemptor_fits() {
    count_preemptor(-1);
    const bool fits = trial_->fits(true);
    count_preemptor(1);
    return fits;
  }

  // The preemptor counted, its queue takes nothing from others of what it is short of.
  bool is_within_nominal() const {
    return rules_.within_nominal && !over_quota(tree_, preemptor_.node, preemptor_);
  }

  Sides sides(NodeId queue) const {
    NodeId other = queue;
    while (true) {
      const NodeId above = tree_.parent(other);
      const auto shared = std::find(path_.begin(), path_.end(), above);
      if (shared != path_.end()) return {*std::prev(shared), other};
      other = above;
    }
  }

  fairshare::Share share(NodeId node) const { return rules_.sharing.share(tree_, node); }

  // Removes the candidate for good. True if the preemptor fits now.
  bool take(const Candidate& candidate, PreemptionKind kind) {
    trial_->remove(candidate);
    return keep(candidate, kind);
  }
  bool keep(const Candidate& candidate, PreemptionKind kind) {
    targets_.push_back({candidate, kind});
    return preemptor_fits();
  }

  bool first_pass(std::vector<QueueOfVictims> queues) {
    const bool within = is_within_nominal();
    VictimTournament tournament(tree_, rules_.sharing, path_, std::move(queues));
    while (QueueOfVictims* queue = tournament.next()) {
      if (queue->node == preemptor_.node || within) {
        const PreemptionKind kind = queue->node == preemptor_.node
                                        ? PreemptionKind::InClusterQueue
                                        : PreemptionKind::InCohortReclamation;
        if (take(queue->pop(), kind)) return true;
        continue;
      }
      if (by_first_strategy(*queue)) return true;
    }
    return false;
  }

  // Takes at most one candidate of the queue; those that the strategy refuses are for the second.
  bool by_first_strategy(QueueOfVictims& queue) {
    const Sides at = sides(queue.node);
    const fairshare::Share mine = share(at.preemptor), theirs = share(at.other);
    const bool hopeless = mine.is_infinite() && !theirs.is_infinite();
    while (!queue.empty()) {
      const Candidate candidate = queue.pop();
      if (!hopeless) {
        trial_->remove(candidate);
        const bool holds = rules_.strategies.front() == FairStrategy::LessThanInitialShare
                               ? mine < theirs
                               : mine <= share(at.other);
        if (holds) return keep(candidate, PreemptionKind::InCohortFairSharing);
        trial_->put_back(candidate);
      }
      retry(queue.node, candidate);
    }
    return false;
  }

  void retry(NodeId queue, const Candidate& candidate) {
    const auto found = std::find_if(retries_.begin(), retries_.end(),
                                    [&](const auto& one) { return one.node == queue; });
    QueueOfVictims& again = found != retries_.end() ? *found : retries_.emplace_back();
    again.node = queue;
    again.victims.push_back(candidate);
  }

  bool second_pass() {
    VictimTournament tournament(tree_, rules_.sharing, path_, std::move(retries_));
    while (QueueOfVictims* queue = tournament.next()) {
      const Candidate candidate = queue->pop();
      queue->clear();
      const Sides at = sides(candidate.node);
      if (share(at.preemptor) < share(at.other) &&
          take(candidate, PreemptionKind::InCohortFairSharing)) {
        return true;
      }
    }
    return false;
  }

  const SearchContext& context_;
  quota::CohortTree& tree_;
  const Preemptor& preemptor_;
  const FairRules& rules_;
  std::vector<NodeId> path_;  // from the preemptor's queue to the root
  VictimTrial* trial_ = nullptr;
  std::vector<QueueOfVictims> retries_;
  std::vector<Target> targets_;
};

}  // namespace

std::vector<Target> find_fair(const SearchContext& context, const Preemptor& preemptor,
                              const FairRules& rules) {
  return FairSearch(context, preemptor, rules).run();
}

}  // namespace quorate::admission
