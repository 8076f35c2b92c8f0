#include "topology/counts.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace quorate::topology {
namespace {

std::int64_t assumed_of(const Options& options, std::uint32_t leaf, std::uint32_t resource) {
  if (options.assumed == nullptr) return 0;
  const auto there = options.assumed->find(leaf);
  if (there == options.assumed->end()) return 0;
  const auto amount = there->second.find(resource);
  return amount == there->second.end() ? 0 : amount->second;
}

// Answers of the filter by node class: nodes of a class differ in nothing that it looks at.
class FilterCache {
 public:
  FilterCache(const Tree& tree, const NodeFilter& filter)
      : tree_(tree),
        filter_(filter),
        skip_(!tree.by_host() || (filter.takes_all() && !tree.any_tainted())),
        by_name_(filter.by_name()) {}

  // nullptr: the leaf passes.
  const std::string* refusal(std::uint32_t leaf) {
    if (skip_) return nullptr;
    const Tree::Leaf& there = tree_.leaf(leaf);
    if (!there.tainted && filter_.takes_all()) return nullptr;
    if (by_name_) {
      last_ = topology::refusal(filter_, tree_.sample(leaf));
      return last_.empty() ? nullptr : &last_;
    }
    const auto [at, added] = known_.try_emplace(there.node_class);
    if (added) at->second = topology::refusal(filter_, tree_.sample(leaf));
    return at->second.empty() ? nullptr : &at->second;
  }

 private:
  const Tree& tree_;
  const NodeFilter& filter_;
  const bool skip_, by_name_;
  std::unordered_map<std::uint32_t, std::string> known_;
  std::string last_;
};

std::int64_t rounded(std::int64_t pods, std::int64_t multiple) {
  return multiple > 1 ? pods / multiple * multiple : pods;
}

// Pods that find room where a leader has taken its share.
std::int64_t room_beside(const Tree& tree, std::uint32_t leaf, const Amounts& pod,
                         const Amounts& leader, const Options& options) {
  std::int64_t pods = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : pod) {
    std::int64_t free =
        tree.free(leaf, resource, options.empty) - assumed_of(options, leaf, resource);
    for (const auto& [taken, of_leader] : leader) {
      if (taken == resource) free -= of_leader;
    }
    pods = std::min(pods, std::max<std::int64_t>(free, 0) / amount);
  }
  return pods;
}

}  // namespace

std::int64_t room(const Tree& tree, std::uint32_t leaf, const Amounts& pod, const Options& options,
                  std::uint32_t* limiting) {
  std::int64_t pods = std::numeric_limits<std::int64_t>::max();
  *limiting = Tree::kNone;
  for (const auto& [resource, amount] : pod) {
    const std::int64_t free =
        tree.free(leaf, resource, options.empty) - assumed_of(options, leaf, resource);
    const std::int64_t here = free <= 0 ? 0 : free / amount;
    if (here >= pods) continue;
    pods = here;
    *limiting = resource;
  }
  return pods;
}

Count sum_children(const Tree& tree, const Plan& plan, std::size_t level, std::uint32_t domain,
                   const std::vector<Count>& children) {
  Count sum;
  const std::uint32_t first = tree.first_child(level, domain);
  const std::uint32_t last = tree.first_child(level, domain + 1);
  const std::int64_t multiple = plan.inner[level + 1];
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::int64_t pods_lost = kNever, slices_lost = kNever;  // to the leader, at least
  for (std::uint32_t child = first; child < last; ++child) {
    const Count& one = children[child];
    const std::int64_t pods = rounded(one.pods, multiple);
    sum.pods += pods;
    sum.slices += one.slices;
    sum.affinity += one.affinity;
    sum.leaders = std::max(sum.leaders, one.leaders);
    if (plan.leaders > 0 && one.leaders == 0) continue;
    pods_lost = std::min(pods_lost, pods - rounded(one.pods_with_leader, multiple));
    slices_lost = std::min(slices_lost, one.slices - one.slices_with_leader);
  }
  if (pods_lost != kNever) {
    sum.pods_with_leader = sum.pods - pods_lost;
    sum.slices_with_leader = sum.slices - slices_lost;
  }
  if (level == plan.slice_level) {
    sum.slices = plan.slices(sum.pods);
    sum.slices_with_leader = plan.slices(sum.pods_with_leader);
  }
  return sum;
}

Counts count(const Tree& tree, const Ask& ask, const Plan& plan, const Options& options) {
  Counts counts;
  counts.levels.resize(tree.levels().size());
  for (std::size_t level = 0; level < counts.levels.size(); ++level) {
    counts.levels[level].resize(tree.size(level));
  }
  FilterCache filter(tree, ask.filter);
  std::uint32_t first = 0, last = static_cast<std::uint32_t>(tree.leaves());
  if (options.within) {
    const auto [level, domain] = *options.within;
    first = tree.first_leaf(level, domain);
    last = tree.first_leaf(level, domain + 1);
    const auto outside = static_cast<std::int64_t>(tree.leaves()) - (last - first);
    if (outside > 0) counts.excluded["topologyDomain"] = outside;
  }
  std::vector<std::int64_t> short_of;  // leaves without room, by resource
  std::vector<Count>& leaves = counts.levels[tree.lowest()];
  for (std::uint32_t leaf = first; leaf < last; ++leaf) {
    if (const std::string* why = filter.refusal(leaf)) {
      ++counts.excluded[*why];
      continue;
    }
    Count& here = leaves[leaf];
    std::uint32_t limiting = Tree::kNone;
    here.pods = room(tree, leaf, ask.pod, options, &limiting);
    if (here.pods == 0 && limiting != Tree::kNone) {
      if (short_of.size() <= limiting) short_of.resize(limiting + 1, 0);
      ++short_of[limiting];
    }
    here.pods_with_leader = here.pods;
    if (ask.leader) {
      std::uint32_t unused = 0;
      if (room(tree, leaf, *ask.leader, options, &unused) > 0) {
        here.leaders = 1;
        here.pods_with_leader = room_beside(tree, leaf, ask.pod, *ask.leader, options);
      }
    }
    if (options.profile.respect_preferred && tree.by_host()) {
      here.affinity = preference(ask.filter, tree.sample(leaf));
    }
    if (plan.slice_level == tree.lowest()) {
      here.slices = plan.slices(here.pods);
      here.slices_with_leader = plan.slices(here.pods_with_leader);
    }
  }
  for (std::uint32_t resource = 0; resource < short_of.size(); ++resource) {
    if (short_of[resource] == 0) continue;
    counts.excluded["resource \"" + tree.resource_name(resource) + "\""] += short_of[resource];
  }
  for (std::size_t level = tree.lowest(); level-- > 0;) {
    for (std::uint32_t domain = 0; domain < tree.size(level); ++domain) {
      counts.levels[level][domain] =
          sum_children(tree, plan, level, domain, counts.levels[level + 1]);
    }
  }
  return counts;
}

}  // namespace quorate::topology
