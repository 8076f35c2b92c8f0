#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "topology/counts.h"
#include "topology/placement.h"

namespace quorate::topology {

// One pod set of a workload that is to be placed in a flavor.
struct PodSetAsk {
  std::string group;  // pod sets of one group are placed together; "" if alone
  Ask ask;
  // Of the slice of an elastic workload that this one follows; nullptr: none.
  const Assignment* previous = nullptr;
};

using PodSetOutcome = std::variant<Assignment, Failure>;

// Places pod sets of one flavor in their order, each beside the ones before it. Of a group of two,
// the smaller one (on equal counts the second) is a leader of one pod, placed together with the
// other as the latter wishes. The answers come by position, in the order in which they were made;
// a failure ends the list (it stands for both pod sets of a group).
//
// `counters`: kept by whoever asks for the same pod sets again while only usage changes; one per
// pod set then.
using Counters = std::vector<std::optional<Counter>>;
std::vector<std::pair<std::size_t, PodSetOutcome>> place_all(Tree& tree,
                                                             std::span<const PodSetAsk> pod_sets,
                                                             const Options& options,
                                                             Counters* counters = nullptr);

}  // namespace quorate::topology
