#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/scheduler/plan_trial.h"

namespace quorate::scheduler {

// Looks for places for `needed` of the members of a trial, whatever order that takes.
//
// Depth first over the shapes, the largest first; identical members go to nodes in one fixed order
// and of nodes that look alike only the first untouched one is tried, so that no assignment is
// visited in two guises. The last shape needs no search: what is left of it fits or not by count.
class GangSearch {
 public:
  enum class Outcome { Found, Exhausted, BudgetEnded };

  GangSearch(PlanTrial& trial, std::int64_t needed, std::int64_t budget);

  // On Found the trial is charged with what places() lists; otherwise it is as it was.
  Outcome run();
  // (member, node index), as many as were needed.
  const std::vector<std::pair<std::size_t, std::size_t>>& places() const { return places_; }

  // Shapes in the order of the search: the largest share of what the nodes have comes first.
  static std::vector<std::size_t> largest_first(const PlanTrial& trial);
  // Nodes in the order of the search: the least room comes first.
  static std::vector<std::size_t> fullest_first(const PlanTrial& trial);

 private:
  Outcome shape_at(std::size_t depth, std::int64_t needed);
  Outcome member_at(std::size_t depth, std::int64_t left, std::size_t from, std::int64_t needed);
  bool spent();
  void take(std::size_t shape, std::size_t position);
  void given_back(std::size_t shape, std::size_t position);

  PlanTrial& trial_;
  std::int64_t needed_;
  std::int64_t work_limit_;
  std::vector<std::size_t> shapes_;
  std::vector<std::int64_t> behind_;  // members of the shapes from this depth on
  std::vector<std::size_t> nodes_;    // in search order
  std::vector<std::size_t> alike_;    // by search position: group of nodes that look alike
  std::vector<std::int32_t> taken_;   // by search position: members there
  std::vector<std::size_t> used_of_;  // by shape: members placed
  std::vector<std::pair<std::size_t, std::size_t>> places_;
};

}  // namespace quorate::scheduler
