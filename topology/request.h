#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/node_filter.h"
#include "topology/tree.h"

namespace quorate::topology {

// Pods in multiples of `size` stay together in one domain of `level`.
struct Layer {
  std::string level;
  std::int64_t size = 1;

  friend bool operator==(const Layer&, const Layer&) = default;
};

// What a pod set asks of the topology. Nothing set: implied, which is unconstrained.
struct Wish {
  std::string required, preferred;  // level keys; at most one is set
  bool unconstrained = false;
  std::vector<Layer> layers;  // outermost first

  friend bool operator==(const Wish&, const Wish&) = default;
};

// The pods to place: a pod set, or the workers of a group with their leader.
struct Ask {
  Wish wish;
  std::int64_t pods = 0;
  Amounts pod;  // of one pod, in the columns of the tree
  std::optional<Amounts> leader;
  NodeFilter filter;
};

struct Profile {
  bool mixed = true;               // unconstrained pods fill the least free places
  bool balanced = false;           // gate TASBalancedPlacement
  bool respect_preferred = false;  // gate TASRespectNodeAffinityPreferred

  friend bool operator==(const Profile&, const Profile&) = default;
};

// What earlier pod sets of the same workload take, by leaf; the amounts are not sorted.
using Assumed = std::map<std::uint32_t, Amounts>;

class Counter;

struct Options {
  Profile profile;
  bool empty = false;  // as if no topology workload ran
  const Assumed* assumed = nullptr;
  // Only leaves below that domain take part: (level, domain).
  std::optional<std::pair<std::size_t, std::uint32_t>> within;
  // Where counts are kept for the next placement of the same pods in the same tree, while only
  // usage changes; nullptr: they are not kept.
  std::optional<Counter>* counter = nullptr;
};

}  // namespace quorate::topology
