#include "topology/ranks.h"

#include <algorithm>

namespace quorate::topology {
namespace {

std::optional<std::int64_t> rank_of(const PlacedPod& pod, const RankRules& rules) {
  if (!rules.by_index || !pod.index || *pod.index < 0) return std::nullopt;
  std::int64_t rank = *pod.index - rules.offset;
  if (rules.sub_groups > 0) {
    const std::int64_t size = rules.count / rules.sub_groups;
    if (!pod.sub_group || *pod.sub_group < 0 || *pod.sub_group >= rules.sub_groups ||
        *pod.index >= size) {
      return std::nullopt;
    }
    rank += *pod.sub_group * size;
  } else if (*pod.index >= rules.count + rules.offset) {
    return std::nullopt;
  }
  if (rank < 0 || rank >= rules.count) return std::nullopt;
  return rank;
}

// The domain of each pod by its rank; nullopt if the ranks are no use.
std::optional<std::vector<std::size_t>> by_rank(const Assignment& assignment,
                                                std::span<const PlacedPod> pods,
                                                const RankRules& rules) {
  std::vector<std::size_t> domain_of_rank;
  for (std::size_t i = 0; i < assignment.domains.size(); ++i) {
    domain_of_rank.insert(domain_of_rank.end(),
                          static_cast<std::size_t>(std::max(assignment.domains[i].count, 0)), i);
  }
  std::vector<bool> taken(domain_of_rank.size(), false);
  std::vector<std::size_t> domains;
  for (const PlacedPod& pod : pods) {
    const std::optional<std::int64_t> rank = rank_of(pod, rules);
    if (!rank || static_cast<std::size_t>(*rank) >= taken.size()) return std::nullopt;
    const auto at = static_cast<std::size_t>(*rank);
    if (taken[at]) return std::nullopt;
    taken[at] = true;
    const std::size_t domain = domain_of_rank[at];
    if (!pod.gated && pod.domain != assignment.domains[domain].values) return std::nullopt;
    domains.push_back(domain);
  }
  return domains;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> domains_of_gated(
    const Assignment& assignment, std::span<const PlacedPod> pods, const RankRules& rules,
    std::span<const std::string> failed) {
  std::vector<std::pair<std::size_t, std::size_t>> given;
  if (const auto ranked = by_rank(assignment, pods, rules)) {
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (pods[i].gated) given.push_back({i, (*ranked)[i]});
    }
  } else {
    std::size_t next = 0;  // gated pod
    for (std::size_t i = 0; i < assignment.domains.size(); ++i) {
      const Assignment::Domain& domain = assignment.domains[i];
      std::int64_t missing =
          domain.count - std::count_if(pods.begin(), pods.end(), [&](const PlacedPod& pod) {
            return !pod.gated && pod.domain == domain.values;
          });
      for (; missing > 0; --missing, ++next) {
        while (next < pods.size() && !pods[next].gated) ++next;
        if (next == pods.size()) break;
        given.push_back({next, i});
      }
    }
    std::sort(given.begin(), given.end());
  }
  std::erase_if(given, [&](const auto& one) {
    const std::string& host = assignment.domains[one.second].values.back();
    return std::find(failed.begin(), failed.end(), host) != failed.end();
  });
  return given;
}

}  // namespace quorate::topology
