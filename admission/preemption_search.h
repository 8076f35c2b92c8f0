#pragma once

// The trial that every search for victims is made of: take workloads out, ask whether the preemptor
// fits, put back who was not needed.

#include <vector>

#include "admission/preemption_candidates.h"
#include "src/base/transaction.h"

namespace quorate::admission {

// What else than quota must hold for the preemptor to fit: the place where the topology placement
// joins the search. Told of every change that the trial makes; what it changes itself must be
// undone by the search's transaction.
class PlacementTrial {
 public:
  virtual ~PlacementTrial() = default;
  virtual void removed(const Candidate& candidate) = 0;
  virtual void put_back(const Candidate& candidate) = 0;
  virtual bool fits() = 0;
};

// What a search works on.
struct SearchContext {
  Journal& journal;
  quota::CohortTree& tree;
  const Holders& holders;
  PlacementTrial* placement = nullptr;  // nullptr: quota alone decides
};

// A trial on the live tree, undone when it ends. Removing or putting back costs the (flavor,
// resource) pairs of one workload times the depth of the tree, and so does asking.
class VictimTrial {
 public:
  VictimTrial(const SearchContext& context, const Preemptor& preemptor)
      : context_(context), preemptor_(preemptor), trial_(context.journal) {}

  void remove(const Candidate& candidate);
  void put_back(const Candidate& candidate);
  void start_over() { trial_.roll_back(); }

  // Whether the preemptor would get its quota and its places now; with `may_borrow` false only if
  // its queue stays within its own quota.
  bool fits(bool may_borrow) const;

  // Of targets that make the preemptor fit together, those that are needed: from the last but one
  // to the first, each is put back and dropped if the preemptor fits nevertheless. No single one of
  // the rest can be spared.
  void drop_unneeded(std::vector<Target>& targets, bool may_borrow);

 private:
  const SearchContext& context_;
  const Preemptor& preemptor_;
  Transaction trial_;
};

}  // namespace quorate::admission
