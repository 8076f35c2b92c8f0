#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topology/request.h"

namespace quorate::topology {

// What a domain can take, as counted from its leaves. A slice is a group of pods that stay below
// one domain of the slice level; above and at that level slices are counted too.
struct Count {
  std::int64_t pods = 0;
  std::int64_t slices = 0;
  // The same with one leader placed in it; equal to them where no leader is asked for.
  std::int64_t pods_with_leader = 0;
  std::int64_t slices_with_leader = 0;
  std::int64_t leaders = 0;   // 0 or 1
  std::int64_t affinity = 0;  // weights of preferred terms that match
};

// An Ask with its levels resolved to positions.
struct Plan {
  std::size_t level = 0;        // where the pods shall be together
  std::size_t slice_level = 0;  // not above it
  std::int64_t slice_size = 1;
  // By level below the slice level: pods come in multiples of it.
  std::vector<std::int64_t> inner;
  bool required = false;
  bool unconstrained = false;
  bool best_fit = true;
  std::int64_t leaders = 0;

  std::int64_t slices(std::int64_t pods) const { return pods / slice_size; }
};

// All domains by level, and which leaves were left out and why.
struct Counts {
  std::vector<std::vector<Count>> levels;
  std::map<std::string, std::int64_t> excluded;
};

// Pods of that shape that `leaf` has room for; `limiting`: the resource that decides, the first by
// name of equals, or kNone.
std::int64_t room(const Tree& tree, std::uint32_t leaf, const Amounts& pod, const Options& options,
                  std::uint32_t* limiting);

// Counts leaves, then domains from below. O(leaves x resources), no allocation per domain.
Counts count(const Tree& tree, const Ask& ask, const Plan& plan, const Options& options);

// Counts one domain from its children, which are counted.
Count sum_children(const Tree& tree, const Plan& plan, std::size_t level, std::uint32_t domain,
                   const std::vector<Count>& children);

}  // namespace quorate::topology
