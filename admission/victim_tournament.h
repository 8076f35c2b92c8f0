#pragma once

// From which queue the next victim of fair-sharing preemption comes.

#include <cstddef>
#include <vector>

#include "admission/preemption_candidates.h"
#include "fairshare/sharing.h"

namespace quorate::admission {

// The candidates of one queue, in the order in which they are taken.
struct QueueOfVictims {
  quota::NodeId node;
  std::vector<Candidate> victims;
  std::size_t taken = 0;

  bool empty() const { return taken == victims.size(); }
  const Candidate& front() const { return victims[taken]; }
  Candidate pop() { return victims[taken++]; }
  void clear() { taken = victims.size(); }
};

// From the root down, the child with the highest share that borrows and has candidates; the
// preemptor's own queue and what lies above it need not borrow. At equal shares a cohort goes
// before a queue, and among equals the one whose first candidate is taken first.
//
// Shares are asked for at every step, since each victim changes them. What had nothing to offer
// once is not looked at again.
class VictimTournament {
 public:
  // `path` leads from the preemptor's queue to the root. All arguments outlive the tournament.
  VictimTournament(const quota::CohortTree& tree, const fairshare::Sharing& sharing,
                   const std::vector<quota::NodeId>& path, std::vector<QueueOfVictims> queues);

  // The queue of the next victim, of which the caller takes at least one; nullptr at the end.
  QueueOfVictims* next();

 private:
  struct Vertex {
    quota::NodeId node;
    QueueOfVictims* queue = nullptr;  // nullptr: a cohort
    std::vector<std::size_t> children;
    bool pruned = false;
  };

  std::size_t vertex_of(quota::NodeId node);
  bool on_path(quota::NodeId node) const;
  bool has_nothing(const Vertex& vertex) const;
  // The candidate of a vertex that would be taken first; nullptr if there is none.
  const Candidate* first(std::size_t vertex) const;
  bool offers_first(std::size_t a, std::size_t b) const;
  // The best child that is not pruned, of queues or of cohorts; `none` if there is none.
  std::size_t best_child(std::size_t cohort, bool of_queues);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const quota::CohortTree& tree_;
  const fairshare::Sharing& sharing_;
  const std::vector<quota::NodeId>& path_;
  std::vector<QueueOfVictims> queues_;
  std::vector<Vertex> vertices_;  // only what leads to a queue with candidates; the root is first
};

}  // namespace quorate::admission
