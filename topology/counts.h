#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
  // The highest level that the search looks at.
  std::size_t top() const { return required || unconstrained ? level : 0; }
};

// Domains by level, from the plan's top down, and which leaves were left out.
struct Counts {
  std::vector<std::vector<Count>> levels;       // empty above the top
  std::map<std::string, std::int64_t> refused;  // leaves that may not be used, by the reason
  std::vector<std::int64_t> short_of;           // leaves without room, by the limiting resource
};

// Both kinds of left-out leaves, as Kueue's statistics name them.
std::vector<std::pair<std::string, std::int64_t>> excluded(const Tree& tree, const Counts& counts);

// Counts one domain from its children, which are counted.
Count sum_children(const Tree& tree, const Plan& plan, std::size_t level, std::uint32_t domain,
                   const std::vector<Count>& children);

// Counts leaves, then domains from below: O(leaves x resources), without allocation per domain.
//
// With Use::Again the same may be counted anew while only usage changes: that costs a comparison of
// the usage, and the leaves that changed with the domains above them.
class Counter {
 public:
  enum class Use { Once, Again };
  // Holds the tree; its nodes must not change while this lives.
  Counter(const Tree& tree, const Ask& ask, const Plan& plan, const Options& options, Use use);

  const Counts& counts() const { return counts_; }
  // Usage changed, or what is assumed.
  void recount(const Assumed* assumed);

 private:
  // What a pod takes of one resource, with the tree's cells of it by leaf slot.
  struct Need {
    const std::int64_t* capacity;
    const Column* used;  // nullptr: as if no topology workload ran
    std::int64_t amount;
    std::uint32_t resource;
  };
  using Needs = std::vector<Need>;
  Needs needs_of(const Amounts& pod) const;
  static std::int64_t room(const Needs& needs, std::uint32_t slot, const Amounts* assumed,
                           std::uint32_t* limiting);
  void bar_leaves(const Ask& ask, const Options& options);
  void count_leaf(std::uint32_t leaf, const Amounts* assumed, const Needs& pod,
                  const Needs& leader);
  void count_above(std::vector<std::uint32_t> leaves);
  void remember(const Assumed* assumed);

  const Tree& tree_;
  const Plan plan_;
  const Amounts pod_;
  const std::optional<Amounts> leader_;
  const bool empty_;
  const std::uint64_t nodes_;  // the tree's revision of them
  Counts counts_;
  // By leaf: the resource that leaves no room, Tree::kNone if there is room, kBarred if it may not
  // be used.
  std::vector<std::uint32_t> limiting_;
  static constexpr std::uint32_t kBarred = Tree::kNone - 1;
  // Of Use::Again: what the counts were made from.
  std::vector<std::pair<std::uint32_t, std::vector<std::int64_t>>> seen_;  // usage by resource
  std::vector<std::uint32_t> assumed_;                                     // leaves
};

}  // namespace quorate::topology
