// The algorithm is that of Kueue's topology-aware scheduling (KEP 2724): one domain if one
// suffices, else the level above, at last several; then down again, level by level.

#include "topology/search.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace quorate::topology {

Search::Domains all_domains(const Tree& tree, std::size_t level) {
  Search::Domains domains(tree.size(level));
  std::iota(domains.begin(), domains.end(), 0u);
  return domains;
}

std::int64_t Search::amount(const Count& count, Unit unit, bool with_leader) const {
  if (unit == Unit::Slices) return with_leader ? count.slices_with_leader : count.slices;
  return with_leader ? count.pods_with_leader : count.pods;
}

namespace {

// The key of an order beside its domain, so that sorting does not look the counts up.
struct Ranked {
  std::int64_t affinity, slices, pods;
  std::uint32_t domain;  // of a level, numbered by their values: breaks ties
  auto operator<=>(const Ranked&) const = default;
};

}  // namespace

void Search::sort_plain(const std::vector<Count>& counts, Domains& domains,
                        std::size_t most) const {
  const std::int64_t sign = plan_.best_fit ? -1 : 1;
  std::vector<Ranked> ranked;
  ranked.reserve(domains.size());
  for (const std::uint32_t domain : domains) {
    const Count& here = counts[domain];
    ranked.push_back({-here.affinity, sign * here.slices, here.pods, domain});
  }
  if (most < ranked.size()) {
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(ranked.begin(), end, ranked.end());
    std::sort(ranked.begin(), end);
  } else {
    std::sort(ranked.begin(), ranked.end());
  }
  for (std::size_t i = 0; i < ranked.size(); ++i) domains[i] = ranked[i].domain;
}

namespace {

bool before_with_leader(const Count& x, std::uint32_t a, const Count& y, std::uint32_t b,
                        std::int64_t sign) {
  return std::tuple(-x.leaders, -x.affinity, sign * x.slices_with_leader, x.pods_with_leader, a) <
         std::tuple(-y.leaders, -y.affinity, sign * y.slices_with_leader, y.pods_with_leader, b);
}

}  // namespace

void Search::sort_with_leader(const std::vector<Count>& counts, Domains& domains) const {
  const std::int64_t sign = plan_.best_fit ? -1 : 1;
  std::sort(domains.begin(), domains.end(), [&](std::uint32_t a, std::uint32_t b) {
    return before_with_leader(counts[a], a, counts[b], b, sign);
  });
}

// The smallest domain that holds all that is needed, the first of equals; the first of the list if
// none does. Places that the pods prefer come before a better fit.
std::size_t Search::best_fit(const std::vector<Count>& counts, const Domains& domains,
                             std::size_t from, std::int64_t needed, std::int64_t leaders,
                             Unit unit) const {
  std::size_t best = from;
  bool found = false;
  const std::int64_t tier = counts[domains[from]].affinity;
  for (std::size_t i = from; i < domains.size(); ++i) {
    const Count& here = counts[domains[i]];
    if (profile_.respect_preferred && here.affinity != tier) continue;
    const std::int64_t holds = amount(here, unit, leaders > 0);
    if (here.leaders < leaders || holds < needed) continue;
    if (found && holds >= amount(counts[domains[best]], unit, leaders > 0)) continue;
    best = i;
    found = true;
  }
  return best;
}

// Moves a domain to the front that can take the leaders and leaves enough room everywhere for the
// rest.
void Search::leader_first(const std::vector<Count>& counts, Domains& domains, std::int64_t needed,
                          std::int64_t leaders, Unit unit) const {
  if (leaders == 0) return;
  std::int64_t sum = 0;
  for (const std::uint32_t domain : domains) sum += amount(counts[domain], unit, false);
  for (auto at = domains.begin(); at != domains.end(); ++at) {
    const Count& here = counts[*at];
    if (here.leaders < leaders) continue;
    if (sum - (amount(here, unit, false) - amount(here, unit, true)) < needed) continue;
    std::rotate(domains.begin(), at, at + 1);
    return;
  }
}

// The one domain of a level that takes all, if there is one.
std::optional<std::uint32_t> Search::one_domain(const std::vector<Count>& counts,
                                                std::int64_t slices) const {
  const std::int64_t sign = plan_.best_fit ? -1 : 1;
  const auto suffices = [&](const Count& here) {
    return here.slices_with_leader >= slices && here.leaders >= plan_.leaders;
  };
  std::optional<std::uint32_t> top;
  const bool only_top = plan_.best_fit && !(profile_.respect_preferred && plan_.required);
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    // Least free capacity looks for the first that suffices, best fit at the first of all.
    if (!only_top && !suffices(counts[i])) continue;
    if (!top || before_with_leader(counts[i], i, counts[*top], *top, sign)) top = i;
  }
  if (!top || !suffices(counts[*top])) return std::nullopt;
  if (!plan_.best_fit) return top;
  // The smallest that suffices, first by what the order looks at after that.
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const Count& here = counts[i];
    if (profile_.respect_preferred && here.affinity != counts[*top].affinity) continue;
    const std::int64_t holds = plan_.leaders > 0 ? here.slices_with_leader : here.slices;
    if (here.leaders < plan_.leaders || holds < slices) continue;
    if (best) {
      const Count& known = counts[*best];
      const std::int64_t most = plan_.leaders > 0 ? known.slices_with_leader : known.slices;
      if (holds > most) continue;
      if (holds == most && !before_with_leader(here, i, known, *best, sign)) continue;
    }
    best = i;
  }
  return best;
}

std::variant<Search::Domains, NoRoom> Search::choose(std::int64_t slices,
                                                     std::size_t* level) const {
  for (*level = plan_.level;; --*level) {
    const std::vector<Count>& counts = counts_.levels[*level];
    if (const auto one = one_domain(counts, slices)) return Domains{*one};
    if (plan_.required) {
      std::uint32_t top = 0;
      for (std::uint32_t i = 1; i < counts.size(); ++i) {
        if (before_with_leader(counts[i], i, counts[top], top, plan_.best_fit ? -1 : 1)) top = i;
      }
      return NoRoom{counts[top].slices, *level};
    }
    if (plan_.unconstrained || *level == 0) break;
  }
  return several(*level, all_domains(tree_, *level), slices);
}

std::variant<Search::Domains, NoRoom> Search::several(std::size_t level, Domains domains,
                                                      std::int64_t slices) const {
  const std::vector<Count>& counts = counts_.levels[level];
  if (plan_.leaders > 0) {
    sort_with_leader(counts, domains);
    leader_first(counts, domains, slices, plan_.leaders, Unit::Slices);
  }
  Domains chosen;
  std::int64_t left = slices, leaders = plan_.leaders;
  std::size_t i = 0;
  for (; leaders > 0 && i < domains.size() && counts[domains[i]].leaders > 0; ++i) {
    std::uint32_t domain = domains[i];
    if (plan_.best_fit && counts[domain].slices_with_leader >= left) {
      domain = domains[best_fit(counts, domains, i, left, leaders, Unit::Slices)];
    }
    chosen.push_back(domain);
    left -= counts[domain].slices_with_leader;
    leaders -= counts[domain].leaders;
  }
  if (leaders > 0) return NoRoom{plan_.leaders - leaders, level};
  domains.erase(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(i));
  std::erase_if(domains, [&](std::uint32_t domain) { return counts[domain].slices <= 0; });
  // Each takes a slice at least; the best fit is looked for among all.
  const std::size_t most =
      plan_.best_fit ? domains.size() : static_cast<std::size_t>(std::max<std::int64_t>(left, 0));
  sort_plain(counts, domains, most);
  for (i = 0; left > 0 && i < domains.size(); ++i) {
    std::uint32_t domain = domains[i];
    if (plan_.best_fit && counts[domain].slices >= left) {
      domain = domains[best_fit(counts, domains, i, left, 0, Unit::Slices)];
    }
    chosen.push_back(domain);
    left -= counts[domain].slices;
  }
  if (left > 0) return NoRoom{slices - left, level};
  return chosen;
}

std::vector<Share> Search::distribute(const std::vector<Count>& counts, Domains domains,
                                      std::int64_t pods, std::int64_t leaders, std::int64_t size,
                                      Unit unit) const {
  std::int64_t left = unit == Unit::Slices ? pods / size : pods;
  const std::int64_t per_unit = unit == Unit::Slices ? size : 1;
  leader_first(counts, domains, left, leaders, unit);
  std::vector<Share> shares;
  const auto give = [&](std::uint32_t domain, std::int64_t units, std::int64_t with_leaders) {
    if (units > 0 || with_leaders > 0) shares.push_back({domain, units * per_unit, with_leaders});
  };
  for (std::size_t i = 0; i < domains.size() && (left > 0 || leaders > 0); ++i) {
    std::uint32_t domain = domains[i];
    const bool with_leader = leaders > 0;
    const auto suffices = [&](const Count& here) {
      return amount(here, unit, with_leader) >= left && here.leaders >= leaders;
    };
    if (suffices(counts[domain])) {
      if (plan_.best_fit) domain = domains[best_fit(counts, domains, i, left, leaders, unit)];
      give(domain, left, leaders);
      break;
    }
    const Count& here = counts[domain];
    const std::int64_t units = std::min(amount(here, unit, with_leader), left);
    const std::int64_t taken = std::min(here.leaders, leaders);
    give(domain, units, taken);
    left -= units;
    leaders -= taken;
  }
  return shares;
}

std::variant<std::vector<Share>, NoRoom> Search::run(std::int64_t pods) const {
  std::size_t level = 0;
  std::variant<Domains, NoRoom> found = choose(plan_.slices(pods), &level);
  if (const auto* refused = std::get_if<NoRoom>(&found)) return *refused;
  std::vector<Share> chosen = distribute(counts_.levels[level], std::get<Domains>(found), pods,
                                         plan_.leaders, plan_.slice_size, Unit::Slices);
  // Above the slice level the pods may move between the parents chosen before.
  for (; level < plan_.slice_level && level < tree_.lowest(); ++level) {
    Domains pool;
    for (const Share& share : chosen) {
      const std::uint32_t last = tree_.first_child(level, share.domain + 1);
      for (std::uint32_t child = tree_.first_child(level, share.domain); child < last; ++child) {
        pool.push_back(child);
      }
    }
    sort_plain(counts_.levels[level + 1], pool);
    chosen = distribute(counts_.levels[level + 1], std::move(pool), pods, plan_.leaders,
                        plan_.slice_size, Unit::Slices);
  }
  std::vector<Share> leaves = below(level, std::move(chosen));
  // Greedy choices cannot be taken back, so a leader may be left without a place below a domain
  // that had one for it: nothing is placed then.
  std::int64_t placed = 0, leaders = 0;
  for (const Share& share : leaves) {
    placed += share.pods;
    leaders += share.leaders;
  }
  if (plan_.slices(placed) < plan_.slices(pods) || leaders < plan_.leaders) {
    return NoRoom{plan_.slices(placed), level};
  }
  return leaves;
}

std::vector<Share> Search::below(std::size_t level, std::vector<Share> chosen) const {
  for (; level < tree_.lowest(); ++level) {
    const std::vector<Count>& counts = counts_.levels[level + 1];
    // Above the slice level in whole slices, below it in multiples of the layer.
    const std::int64_t size =
        level + 1 <= plan_.slice_level ? plan_.slice_size : plan_.inner[level + 1];
    std::vector<Share> next;
    for (const Share& share : chosen) {
      Domains children;
      const std::uint32_t last = tree_.first_child(level, share.domain + 1);
      for (std::uint32_t child = tree_.first_child(level, share.domain); child < last; ++child) {
        children.push_back(child);
      }
      sort_plain(counts, children);
      std::vector<Share> given;
      if (size > 1) {
        // Only the counts of these children are looked at.
        std::vector<Count> sliced(children.size());
        Domains at(children.size());
        for (std::size_t i = 0; i < children.size(); ++i) {
          sliced[i] = counts[children[i]];
          sliced[i].slices = sliced[i].pods / size;
          sliced[i].slices_with_leader = sliced[i].pods_with_leader / size;
          at[i] = static_cast<std::uint32_t>(i);
        }
        given = distribute(sliced, at, share.pods, share.leaders, size, Unit::Slices);
        for (Share& one : given) one.domain = children[one.domain];
      } else {
        given = distribute(counts, std::move(children), share.pods, share.leaders, 1, Unit::Pods);
      }
      next.insert(next.end(), given.begin(), given.end());
    }
    chosen = std::move(next);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const Share& a, const Share& b) { return a.domain < b.domain; });
  return chosen;
}

}  // namespace quorate::topology
