#include "topology/placement.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace quorate::topology {
namespace {

using Index = std::uint32_t;

class Search {
 public:
  Search(const Tree& tree, const Request& request,
         const std::function<std::int64_t(const Domain&)>& room)
      : tree_(tree), best_fit_(request.wish != Wish::Unconstrained), counts_(tree.size(), 0) {
    for (std::size_t level = tree.levels().size(); level-- > 0;) {
      for (const Index index : tree.at_level(level)) {
        const Domain& domain = tree.domain(index);
        if (level == tree.lowest()) counts_[index] = std::max<std::int64_t>(room(domain), 0);
        if (domain.parent >= 0) counts_[static_cast<Index>(domain.parent)] += counts_[index];
      }
    }
  }

  std::variant<Placement, TooSmall> run(const Request& request) {
    std::size_t level = request.level;
    std::vector<std::pair<Index, std::int64_t>> chosen;
    while (true) {
      std::vector<Index> domains = tree_.at_level(level);
      sort(domains);
      if (const std::optional<Index> one = single(domains, request.pods)) {
        chosen = {{*one, request.pods}};
        break;
      }
      if (request.wish == Wish::Required) {
        return TooSmall{domains.empty() ? 0 : counts_[domains.front()]};
      }
      if (request.wish == Wish::Preferred && level > 0) {
        --level;
        continue;
      }
      std::int64_t left = request.pods;
      chosen = distribute(std::move(domains), left);
      if (left > 0) return TooSmall{request.pods - left};
      break;
    }
    // Down to the leaves: the children of all that was chosen share the pods anew.
    for (; level < tree_.lowest(); ++level) {
      std::vector<Index> pool;
      for (const auto& [index, pods] : chosen) {
        const std::vector<Index>& children = tree_.domain(index).children;
        pool.insert(pool.end(), children.begin(), children.end());
      }
      sort(pool);
      std::int64_t left = request.pods;
      chosen = distribute(std::move(pool), left);
    }
    Placement placement;
    for (const auto& [index, pods] : chosen) {
      placement.push_back({tree_.domain(index).values, pods});
    }
    std::sort(placement.begin(), placement.end());
    return placement;
  }

 private:
  void sort(std::vector<Index>& domains) const {
    std::sort(domains.begin(), domains.end(), [this](Index a, Index b) {
      if (counts_[a] != counts_[b])
        return best_fit_ ? counts_[a] > counts_[b] : counts_[a] < counts_[b];
      return tree_.domain(a).values < tree_.domain(b).values;
    });
  }

  // The smallest domain that holds all of `pods`, the first of equals.
  std::optional<Index> single(const std::vector<Index>& domains, std::int64_t pods) const {
    std::optional<Index> best;
    for (const Index index : domains) {
      if (counts_[index] < pods) continue;
      if (!best || counts_[index] < counts_[*best]) best = index;
    }
    return best;
  }

  // Fills domains in order until nothing is left.
  std::vector<std::pair<Index, std::int64_t>> distribute(std::vector<Index> domains,
                                                         std::int64_t& left) const {
    std::vector<std::pair<Index, std::int64_t>> filled;
    for (auto at = domains.begin(); at != domains.end() && left > 0; ++at) {
      Index index = *at;
      if (counts_[index] >= left && best_fit_) {
        index = *single({at, domains.end()}, left);
      }
      const std::int64_t pods = std::min(counts_[index], left);
      if (pods > 0) filled.push_back({index, pods});
      left -= pods;
    }
    return filled;
  }

  const Tree& tree_;
  const bool best_fit_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::int64_t fitting_pods(const ResourceList& free, const ResourceList& request) {
  std::int64_t pods = std::numeric_limits<std::int64_t>::max();
  for (const auto& [resource, amount] : request) {
    if (amount <= Quantity{}) continue;
    const auto there = free.find(resource);
    const Quantity room = there == free.end() ? Quantity{} : there->second.or_zero();
    pods = std::min(pods, (room / amount.base_units()).base_units());
  }
  return pods;
}

std::variant<Placement, TooSmall> place(const Tree& tree, const Request& request,
                                        const std::function<std::int64_t(const Domain&)>& room) {
  return Search(tree, request, room).run(request);
}

std::string failure_text(const std::string& topology, const TooSmall& failure,
                         const Request& request) {
  const std::string head = "topology \"" + topology + "\" ";
  if (failure.fitting == 0) {
    return head + "doesn't allow to fit any of " + std::to_string(request.pods) + " pod(s)";
  }
  return head + "allows to fit only " + std::to_string(failure.fitting) + " out of " +
         std::to_string(request.pods) + " pod(s)";
}

}  // namespace quorate::topology
