#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/assignment.h"

namespace quorate::topology {

// A pod of a pod set with an assignment that has not ended.
struct PlacedPod {
  bool gated = true;
  std::optional<std::int64_t> index;      // of the index label; nullopt: it has none, or no number
  std::optional<std::int64_t> sub_group;  // of the sub-group label
  std::vector<std::string> domain;        // of its node selector, by the assignment's levels
};

// How the pods of a pod set are told apart.
struct RankRules {
  std::int64_t count = 0;       // of the pod set
  bool by_index = false;        // it has an index label
  std::int64_t offset = 0;      // the rank of index 0 is minus that: pods of the leader come before
  std::int64_t sub_groups = 0;  // 0: there are none
};

// Which domain each gated pod gets: (position of the pod, position of the domain), in the order of
// the pods. Pods whose domain is one of `failed` wait and are left out.
//
// Ranks run through the domains in their order. They count if every pod has one, none twice, and
// those that run already are where their rank belongs; otherwise gated pods fill up the domains in
// the order in which they are listed. O(pods x domains).
std::vector<std::pair<std::size_t, std::size_t>> domains_of_gated(
    const Assignment& assignment, std::span<const PlacedPod> pods, const RankRules& rules,
    std::span<const std::string> failed);

}  // namespace quorate::topology
