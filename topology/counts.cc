#include "topology/counts.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "src/base/check.h"

namespace quorate::topology {
namespace {

std::int64_t amount_of(const Amounts& amounts, std::uint32_t resource) {
  const auto found = std::find_if(amounts.begin(), amounts.end(),
                                  [&](const auto& one) { return one.first == resource; });
  return found == amounts.end() ? 0 : found->second;
}

const Amounts* assumed_at(const Assumed* assumed, std::uint32_t leaf) {
  if (assumed == nullptr) return nullptr;
  const auto found = assumed->find(leaf);
  return found == assumed->end() ? nullptr : &found->second;
}

// Answers of the filter by node class: nodes of a class differ in nothing that it looks at.
class FilterCache {
 public:
  FilterCache(const Tree& tree, const NodeFilter& filter)
      : tree_(tree),
        filter_(filter),
        skip_(!tree.by_host() || (filter.takes_all() && !tree.any_tainted())),
        by_name_(filter.by_name()) {}

  // Every leaf passes.
  bool skips() const { return skip_; }
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

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> excluded(const Tree& tree, const Counts& counts) {
  std::map<std::string, std::int64_t> all = counts.refused;
  for (std::uint32_t resource = 0; resource < counts.short_of.size(); ++resource) {
    if (counts.short_of[resource] == 0) continue;
    all["resource \"" + tree.resource_name(resource) + "\""] += counts.short_of[resource];
  }
  return {all.begin(), all.end()};
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

Counter::Counter(const Tree& tree, const Ask& ask, const Plan& plan, const Options& options,
                 Use use)
    : tree_(tree),
      plan_(plan),
      pod_(ask.pod),
      leader_(ask.leader),
      empty_(options.empty),
      nodes_(tree.revision()),
      limiting_(tree.leaves(), Tree::kNone) {
  counts_.levels.resize(tree.levels().size());
  for (std::size_t level = plan.top(); level < counts_.levels.size(); ++level) {
    counts_.levels[level].resize(tree.size(level));
  }
  bar_leaves(ask, options);
  const Needs pod = needs_of(pod_), leader = leader_ ? needs_of(*leader_) : Needs{};
  counts_.short_of.resize(tree.resources(), 0);
  const bool assumes = options.assumed != nullptr && !options.assumed->empty();
  const auto leaves = static_cast<std::uint32_t>(tree.leaves());
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    if (limiting_[leaf] == kBarred) continue;
    count_leaf(leaf, assumes ? assumed_at(options.assumed, leaf) : nullptr, pod, leader);
  }
  for (std::size_t level = tree.lowest(); level-- > plan.top();) {
    for (std::uint32_t domain = 0; domain < tree.size(level); ++domain) {
      counts_.levels[level][domain] =
          sum_children(tree, plan, level, domain, counts_.levels[level + 1]);
    }
  }
  if (use == Use::Again) remember(options.assumed);
}

Counter::Needs Counter::needs_of(const Amounts& pod) const {
  Needs needs;
  for (const auto& [resource, amount] : pod) {
    needs.push_back({tree_.capacity(resource).data(), empty_ ? nullptr : &tree_.usage(resource),
                     amount, resource});
  }
  return needs;
}

// Pods of that shape that there is room for; `limiting`: the resource that decides, the first by
// name of equals.
std::int64_t Counter::room(const Needs& needs, std::uint32_t slot, const Amounts* assumed,
                           std::uint32_t* limiting) {
  std::int64_t pods = std::numeric_limits<std::int64_t>::max();
  for (const Need& need : needs) {
    std::int64_t free = need.capacity[slot];
    if (need.used != nullptr) free -= (*need.used)[slot];
    if (assumed != nullptr) free -= amount_of(*assumed, need.resource);
    free = std::max<std::int64_t>(free, 0);
    // Most resources leave room for at least as many pods, which a product shows without a
    // division.
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(pods, need.amount, &product) && free >= product) continue;
    pods = free / need.amount;
    *limiting = need.resource;
  }
  return pods;
}

// Leaves that may not be used, whatever room they have.
void Counter::bar_leaves(const Ask& ask, const Options& options) {
  FilterCache filter(tree_, ask.filter);
  auto first = std::uint32_t{0}, last = static_cast<std::uint32_t>(tree_.leaves());
  if (options.within) {
    const auto [level, domain] = *options.within;
    const std::uint32_t from = tree_.first_leaf(level, domain);
    const std::uint32_t to = tree_.first_leaf(level, domain + 1);
    std::fill(limiting_.begin(), limiting_.begin() + from, kBarred);
    std::fill(limiting_.begin() + to, limiting_.end(), kBarred);
    if (to - from < last) counts_.refused["topologyDomain"] = last - (to - from);
    first = from;
    last = to;
  }
  const bool prefers = options.profile.respect_preferred && tree_.by_host();
  if (filter.skips() && !prefers) return;
  for (std::uint32_t leaf = first; leaf < last; ++leaf) {
    if (const std::string* why = filter.refusal(leaf)) {
      ++counts_.refused[*why];
      limiting_[leaf] = kBarred;
    } else if (prefers) {
      counts_.levels.back()[leaf].affinity = preference(ask.filter, tree_.sample(leaf));
    }
  }
}

void Counter::count_leaf(std::uint32_t leaf, const Amounts* assumed, const Needs& pod,
                         const Needs& leader) {
  const std::uint32_t slot = tree_.slot(leaf);
  Count& here = counts_.levels.back()[leaf];
  std::uint32_t limiting = Tree::kNone;
  here.pods = room(pod, slot, assumed, &limiting);
  if (limiting_[leaf] != Tree::kNone) --counts_.short_of[limiting_[leaf]];
  limiting_[leaf] = here.pods == 0 ? limiting : Tree::kNone;
  if (limiting_[leaf] != Tree::kNone) ++counts_.short_of[limiting_[leaf]];
  here.leaders = 0;
  here.pods_with_leader = here.pods;
  if (leader_ && room(leader, slot, assumed, &limiting) > 0) {
    Amounts taken = *leader_;
    if (assumed != nullptr) add(taken, *assumed, 1);
    here.leaders = 1;
    here.pods_with_leader = room(pod, slot, &taken, &limiting);
  }
  if (plan_.slice_level == tree_.lowest()) {
    here.slices = plan_.slices(here.pods);
    here.slices_with_leader = plan_.slices(here.pods_with_leader);
  }
}

void Counter::recount(const Assumed* assumed) {
  check(nodes_ == tree_.revision(), "nodes changed below a count");
  std::vector<std::uint32_t> changed = std::move(assumed_);
  if (assumed != nullptr) {
    for (const auto& [leaf, amounts] : *assumed) changed.push_back(leaf);
  }
  for (auto& [resource, seen] : seen_) {
    const Column& used = tree_.usage(resource);
    for (std::uint32_t slot = 0; slot < seen.size(); ++slot) {
      if (used[slot] == seen[slot]) continue;
      seen[slot] = used[slot];
      const std::uint32_t leaf = tree_.rank(slot);
      if (leaf != Tree::kNone) changed.push_back(leaf);
    }
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  std::erase_if(changed, [&](std::uint32_t leaf) { return limiting_[leaf] == kBarred; });
  const Needs pod = needs_of(pod_), leader = leader_ ? needs_of(*leader_) : Needs{};
  for (const std::uint32_t leaf : changed) count_leaf(leaf, assumed_at(assumed, leaf), pod, leader);
  count_above(changed);
  remember(assumed);
}

// Counts the domains above the leaves anew.
void Counter::count_above(std::vector<std::uint32_t> domains) {
  for (std::size_t level = tree_.lowest(); level-- > plan_.top();) {
    for (std::uint32_t& domain : domains) domain = tree_.parent(level + 1, domain);
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    for (const std::uint32_t domain : domains) {
      counts_.levels[level][domain] =
          sum_children(tree_, plan_, level, domain, counts_.levels[level + 1]);
    }
  }
}

void Counter::remember(const Assumed* assumed) {
  assumed_.clear();
  if (assumed != nullptr) {
    for (const auto& [leaf, amounts] : *assumed) assumed_.push_back(leaf);
  }
  if (empty_ || !seen_.empty()) return;
  const auto see = [this](const Amounts& amounts) {
    for (const auto& [resource, amount] : amounts) seen_.push_back({resource, {}});
  };
  see(pod_);
  if (leader_) see(*leader_);
  for (auto& [resource, seen] : seen_) {
    const Column& used = tree_.usage(resource);
    for (std::size_t slot = 0; slot < used.size(); ++slot) seen.push_back(used[slot]);
  }
}

}  // namespace quorate::topology
