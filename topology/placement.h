#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topology/assignment.h"
#include "topology/failure.h"
#include "topology/request.h"
#include "topology/tree.h"

namespace quorate::topology {

struct Placed {
  Assignment pods;
  std::optional<Assignment> leader;

  friend bool operator==(const Placed&, const Placed&) = default;
};
using Outcome = std::variant<Placed, Failure>;

// Chooses domains for the pods of one pod set, or of workers with their leader: at the level that
// they wish for, in whole slices, as few domains as possible (least free ones first for pods
// without a wish). Deterministic; ties go by the values of the levels.
//
// Costs O(leaves x resources + domains), and a sort of the domains among which is chosen. The tree
// is settled first; it is not changed otherwise.
Outcome place(Tree& tree, const Ask& ask, const Options& options);

// What a placement takes, for the pod sets that are placed after it.
void assume(const Tree& tree, const Assignment& assignment, const Amounts& pod, Assumed& assumed);

// Finds places for the pods of `old` that were on the failed domain, leaving the others where they
// are: within the domain of an incomplete slice, or within the required domain. Returns the whole
// new assignment. The usage of `old` is in the tree.
Outcome replace(Tree& tree, const Ask& ask, const Assignment& old,
                const std::vector<std::string>& failed, const Options& options);

// Grows or shrinks a placement with as little change as possible: more pods keep the old places
// and only the difference is placed, fewer are cut from the end. Where a domain of `old` is gone
// everything is placed anew. Only for pods without required or preferred level; a leader keeps its
// place and is not looked at. The usage of `old` is not in the tree.
Outcome resize(Tree& tree, const Ask& ask, const Assignment& old, const Options& options);

}  // namespace quorate::topology
