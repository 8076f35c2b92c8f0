#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "fairshare/sharing.h"
#include "quota/resource_map.h"
#include "src/base/time.h"

namespace quorate::fairshare {

// One workload that asks to be admitted.
struct Contender {
  quota::NodeId queue;
  const quota::ResourceMap* usage = nullptr;  // what it would add; outlives the tournament
  bool preemptor = false;                     // its queue waits for its victims to leave
  std::int64_t priority = 0;
  Time queued_at;
  std::string_view uid;  // outlives the tournament
};

struct TournamentRules {
  bool preemptors_first = false;    // gate PrioritizePreemptorWorkloads
  bool non_borrowing_first = true;  // gate FairSharingPrioritizeNonBorrowing
  bool by_priority = true;          // gate PrioritySortingWithinCohort

  friend bool operator==(const TournamentRules&, const TournamentRules&) = default;
};

// In which order the heads of the queues are admitted when capacity is shared fairly.
//
// At every cohort the champions of its children meet, each with the share that its child would have
// with it; at equal shares the higher priority and then the older wins, and the uid makes the order
// total. The root's champion goes first. Trees do not share quota, so between them only priority
// and age count.
//
// What processing a winner changes is the usage of its queue and of that queue's ancestors.
// Children beside this path keep their standing, so only the champions along the path are looked
// for again: one winner costs, for each of its ancestors, one share and the logarithm of the
// children.
class Tournament {
 public:
  // `tree` is charged and restored while shares are computed. All arguments outlive the tournament.
  Tournament(quota::CohortTree& tree, Journal& journal, const Sharing& sharing,
             TournamentRules rules, std::vector<Contender> contenders);

  // The index of the next winner; to be called when the one before has been processed. nullopt:
  // everybody has had their turn.
  std::optional<std::size_t> next();

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffffu;

  // How a contender stands at a vertex, as the parent sees it.
  struct Standing {
    Index child = kNone;  // the vertex
    Index contender = kNone;
    bool borrowing = false;
    Share share;
  };
  struct Vertex {
    quota::NodeId node;  // none for the field of all trees
    Index parent = kNone;
    std::vector<Index> own;       // of a queue: its contenders
    std::vector<Standing> field;  // of a cohort: a heap of its children's champions, best first
  };

  Index vertex_of(quota::NodeId node);
  Standing standing(Index vertex, Index contender);
  // The best of what is left at a vertex, as its parent sees it.
  std::optional<Standing> champion(Index vertex);
  void enter(const Standing& standing);
  bool better(const Standing& a, const Standing& b) const;

  quota::CohortTree& tree_;
  Journal& journal_;
  const Sharing& sharing_;
  TournamentRules rules_;
  std::vector<Contender> contenders_;
  std::vector<Vertex> vertices_;  // the first is the field of all trees; parents before children
  std::map<std::uint32_t, Index> index_;  // by the node's slot
  Index last_ = kNone;                    // the winner that is being processed
};

}  // namespace quorate::fairshare
