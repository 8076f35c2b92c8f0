#include "topology/balanced.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "src/base/log2.h"

namespace quorate::topology {
namespace {

using Domains = Search::Domains;
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): `using` cannot be marked

// How a list of domains would be used up, largest first.
struct Greedy {
  std::int64_t domains = 0;
  std::optional<std::uint32_t> last_with_leader, last_without;
};

class Balance {
 public:
  Balance(const Tree& tree, const Plan& plan, const Counts& counts, const Profile& profile,
          std::int64_t pods)
      : tree_(tree),
        plan_(plan),
        original_(counts),
        profile_(profile),
        slices_(plan.slices(pods)) {}

  std::optional<std::vector<Share>> run() {
    for (const Domains& set : candidate_sets()) consider(set);
    if (best_share_ <= 0) return std::nullopt;
    return spread();
  }

 private:
  std::vector<Domains> candidate_sets() const {
    if (plan_.level == 0) return {all_domains(tree_, 0)};
    std::vector<Domains> sets;
    for (std::uint32_t parent = 0; parent < tree_.size(plan_.level - 1); ++parent) {
      sets.push_back(children(plan_.level - 1, {parent}));
    }
    return sets;
  }

  Domains children(std::size_t level, const Domains& parents) const {
    Domains below;
    for (const std::uint32_t parent : parents) {
      for (std::uint32_t child = tree_.first_child(level, parent);
           child < tree_.first_child(level, parent + 1); ++child) {
        below.push_back(child);
      }
    }
    return below;
  }

  // nullopt: it does not fit.
  std::optional<Greedy> greedy(const Counts& all, std::size_t level, Domains domains) const {
    const std::vector<Count>& counts = all.levels[level];
    const Search search(tree_, plan_, all, profile_);
    search.sort_with_leader(counts, domains);
    Greedy result;
    std::int64_t left = slices_, leaders = plan_.leaders;
    std::size_t i = 0;
    for (; leaders > 0 && i < domains.size() && counts[domains[i]].leaders > 0; ++i) {
      result.last_with_leader = domains[i];
      left -= counts[domains[i]].slices_with_leader;
      leaders -= counts[domains[i]].leaders;
      ++result.domains;
    }
    if (leaders > 0) return std::nullopt;
    domains.erase(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(i));
    search.sort_plain(counts, domains);
    for (const std::uint32_t domain : domains) {
      if (left <= 0) break;
      if (counts[domain].slices <= 0) continue;
      result.last_without = domain;
      left -= counts[domain].slices;
      ++result.domains;
    }
    if (left > 0) return std::nullopt;
    return result;
  }

  void consider(const Domains& set) {
    const bool own = plan_.level == plan_.slice_level;
    const std::size_t inner_level = own ? plan_.level : plan_.level + 1;
    const auto inner = greedy(original_, inner_level, own ? set : children(plan_.level, set));
    if (!inner || inner->domains == 0) return;
    const std::vector<Count>& counts = original_.levels[inner_level];
    std::int64_t share = slices_ / inner->domains;
    if (inner->last_with_leader) {
      share = std::min(share, counts[*inner->last_with_leader].slices_with_leader);
    }
    if (inner->last_without) share = std::min(share, counts[*inner->last_without].slices);
    if (share < best_share_) return;
    if (keep(set, share)) return;
    if (plan_.leaders == 0 || !inner->last_without) return;
    const std::int64_t less = counts[*inner->last_without].slices_with_leader;
    if (less < share && less > 0 && less >= best_share_) keep(set, less);
  }

  // Takes the set for the best so far if it is; false if it does not fit once pruned.
  bool keep(const Domains& set, std::int64_t share) {
    Counts pruned = original_;
    prune(pruned, set, share);
    const auto outer = greedy(pruned, plan_.level, set);
    if (!outer) return false;
    if (share > best_share_ || (share == best_share_ && outer->domains < best_domains_)) {
      best_share_ = share;
      best_domains_ = outer->domains;
      best_set_ = set;
      best_counts_ = std::move(pruned);
    }
    return true;
  }

  // Domains that cannot take their share lose what they have.
  void prune(Counts& counts, const Domains& set, std::int64_t share) const {
    if (plan_.level < tree_.lowest()) {
      for (const std::uint32_t child : children(plan_.level, set)) {
        prune_one(counts, plan_.level + 1, child, share);
      }
    }
    for (const std::uint32_t domain : set) {
      if (plan_.level < tree_.lowest()) {
        counts.levels[plan_.level][domain] =
            sum_children(tree_, plan_, plan_.level, domain, counts.levels[plan_.level + 1]);
      }
      prune_one(counts, plan_.level, domain, share);
    }
  }

  void prune_one(Counts& counts, std::size_t level, std::uint32_t domain,
                 std::int64_t share) const {
    const Count& here = counts.levels[level][domain];
    if (here.slices >= share && here.slices_with_leader >= share) return;
    const bool all = here.slices < share;
    std::uint32_t first = domain, last = domain + 1;
    for (std::size_t at = level;; ++at) {
      for (std::uint32_t i = first; i < last; ++i) {
        Count& count = counts.levels[at][i];
        if (all) count.pods = count.slices = 0;
        count.leaders = count.pods_with_leader = count.slices_with_leader = 0;
      }
      if (at == tree_.lowest()) return;
      first = tree_.first_child(at, first);
      last = tree_.first_child(at, last);
    }
  }

  // As many domains as greedy needs, the ones that leave the least room unused.
  std::optional<Domains> choose(std::size_t level, const Domains& list) const {
    const auto needed = greedy(best_counts_, level, list);
    if (!needed) return std::nullopt;
    struct Entry {
      std::int32_t before = -1;
      std::uint32_t domain = 0;
    };
    std::vector<Entry> entries{{}};
    using Left = std::pair<std::int64_t, std::int64_t>;  // leaders, pods
    std::vector<std::map<Left, std::int32_t>> by_number(static_cast<std::size_t>(needed->domains) +
                                                        1);
    by_number[0].emplace(Left{plan_.leaders, slices_ * plan_.slice_size}, 0);
    for (const std::uint32_t domain : list) {
      const Count& here = best_counts_.levels[level][domain];
      for (std::size_t i = by_number.size() - 1; i >= 1; --i) {
        const auto add = [&](std::int64_t leaders, std::int64_t pods, std::int32_t before) {
          const auto [at, added] = by_number[i].try_emplace(Left{leaders, pods}, 0);
          if (!added) return;
          at->second = static_cast<std::int32_t>(entries.size());
          entries.push_back({before, domain});
        };
        for (const auto& [left, entry] : by_number[i - 1]) {
          const auto [leaders, pods] = left;
          if (leaders <= 0 && pods <= 0) continue;
          if (leaders > 0 && here.leaders > 0) {
            add(leaders - here.leaders, pods - here.pods_with_leader, entry);
          }
          if (here.slices > 0) add(leaders, pods - here.pods, entry);
        }
      }
    }
    std::optional<std::int32_t> answer;
    for (const auto& [left, entry] : by_number.back()) {
      if (left.first == 0 && left.second <= 0) answer = entry;  // ascending: the tightest last
    }
    if (!answer) return std::nullopt;
    Domains chosen;
    for (std::int32_t at = *answer; at > 0; at = entries[static_cast<std::size_t>(at)].before) {
      chosen.push_back(entries[static_cast<std::size_t>(at)].domain);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // How evenly pods find room below a domain: -sum p log p, in units of 2^-32.
  std::int64_t entropy(std::size_t level, std::uint32_t domain) const {
    std::int64_t sum = 0;
    Wide weighted = 0;
    for (const std::uint32_t child : children(level, {domain})) {
      const std::int64_t pods = best_counts_.levels[level + 1][child].pods;
      if (pods <= 0) continue;
      sum += pods;
      weighted += static_cast<Wide>(pods) * fixed_log2(static_cast<std::uint64_t>(pods));
    }
    if (sum == 0) return 0;
    return fixed_log2(static_cast<std::uint64_t>(sum)) - static_cast<std::int64_t>(weighted / sum);
  }

  std::optional<std::vector<Share>> spread() const {
    Domains list = best_set_;
    std::size_t level = plan_.level;
    if (plan_.level < plan_.slice_level) {
      const std::vector<Count>& counts = best_counts_.levels[level];
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto key = [&](std::uint32_t domain) {
          return std::tuple(-counts[domain].leaders, -counts[domain].slices_with_leader,
                            -entropy(level, domain), domain);
        };
        return key(a) < key(b);
      });
      const auto chosen = choose(level, list);
      if (!chosen) return std::nullopt;
      list = children(level, *chosen);
      ++level;
    }
    auto chosen = choose(level, list);
    if (!chosen) return std::nullopt;
    const auto number = static_cast<std::int64_t>(chosen->size());
    std::int64_t extra = slices_ - best_share_ * number;
    if (extra < 0) return std::nullopt;
    const std::vector<Count>& counts = best_counts_.levels[level];
    const Search search(tree_, plan_, best_counts_, profile_);
    search.sort_with_leader(counts, *chosen);
    std::vector<Share> shares;
    std::int64_t leaders = plan_.leaders;
    for (const std::uint32_t domain : *chosen) {
      const Count& here = counts[domain];
      const std::int64_t most = leaders > 0 ? here.slices_with_leader : here.slices;
      const std::int64_t more = std::clamp<std::int64_t>(most - best_share_, 0, extra);
      shares.push_back({domain, (best_share_ + more) * plan_.slice_size, leaders > 0 ? 1 : 0});
      if (leaders > 0) --leaders;
      extra -= more;
    }
    if (extra > 0 || leaders > 0) return std::nullopt;
    return search.below(level, std::move(shares));
  }

  const Tree& tree_;
  const Plan& plan_;
  const Counts& original_;
  const Profile& profile_;
  const std::int64_t slices_;
  std::int64_t best_share_ = 0;
  std::int64_t best_domains_ = 0;
  Domains best_set_;
  Counts best_counts_;
};

}  // namespace

std::optional<std::vector<Share>> balance(const Tree& tree, const Plan& plan, const Counts& counts,
                                          const Profile& profile, std::int64_t pods) {
  return Balance(tree, plan, counts, profile, pods).run();
}

}  // namespace quorate::topology
