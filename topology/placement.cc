#include "topology/placement.h"

#include <algorithm>

#include "topology/balanced.h"
#include "topology/resolve.h"
#include "topology/search.h"

namespace quorate::topology {
namespace {

Failure error(const Tree& tree, std::string text) {
  Failure failure;
  failure.topology = tree.topology();
  failure.error = std::move(text);
  return failure;
}

// Whole slices of each layer within the best domain of the level where the search ended.
std::vector<Failure::LayerFit> layer_fits(const Tree& tree, const Ask& ask, const Counts& counts,
                                          std::size_t ended) {
  std::vector<Failure::LayerFit> fits;
  const std::vector<Count>& there = counts.levels[ended];
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < there.size(); ++i) {
    if (there[i].slices > there[best].slices) best = i;
  }
  for (const Layer& layer : ask.wish.layers) {
    Failure::LayerFit fit{layer.level, 0, ask.pods / layer.size};
    const std::size_t level = tree.level_of(layer.level);
    std::uint32_t first = best, last = best + 1;
    for (std::size_t at = ended; at < level; ++at) {
      first = tree.first_child(at, first);
      last = tree.first_child(at, last);
    }
    for (std::uint32_t i = first; level >= ended && i < last; ++i) {
      fit.fitting += counts.levels[level][i].pods / layer.size;
    }
    fits.push_back(std::move(fit));
  }
  return fits;
}

Failure no_room(const Tree& tree, const Ask& ask, const Plan& plan, const Counts& counts,
                const NoRoom& refused) {
  Failure failure;
  failure.topology = tree.topology();
  failure.level = tree.levels()[refused.level];
  failure.slices = plan.slice_size > 1;
  failure.fitting = refused.fitting;
  failure.wanted = plan.slices(ask.pods);
  failure.leaves = static_cast<std::int64_t>(tree.leaves());
  failure.excluded = excluded(tree, counts);
  if (ask.wish.layers.size() > 1) failure.layers = layer_fits(tree, ask, counts, refused.level);
  return failure;
}

Placed placed(const Tree& tree, const Ask& ask, const std::vector<Share>& shares) {
  Placed result;
  result.pods.levels = tree.assignment_levels();
  result.pods.domains.reserve(shares.size());
  if (ask.leader) result.leader.emplace().levels = result.pods.levels;
  for (const Share& share : shares) {
    const auto give = [&](Assignment& to, std::int64_t count) {
      if (count == 0) return;
      Assignment::Domain& domain = to.domains.emplace_back();
      domain.values = tree.assignment_values(share.domain);
      domain.count = static_cast<std::int32_t>(count);
    };
    if (ask.leader) give(*result.leader, share.leaders);
    give(result.pods, share.pods);
  }
  return result;
}

}  // namespace

Outcome place(Tree& tree, const Ask& ask, const Options& options) {
  tree.settle();
  const std::variant<Plan, std::string> resolved = resolve(tree, ask, options.profile);
  if (const auto* why = std::get_if<std::string>(&resolved)) return error(tree, *why);
  const Plan& plan = std::get<Plan>(resolved);
  if (tree.leaves() == 0) {
    return error(tree, "no topology domains at level: " + tree.levels()[plan.level]);
  }
  std::optional<Counter> once;
  std::optional<Counter>& counter = options.counter == nullptr ? once : *options.counter;
  if (counter) {
    counter->recount(options.assumed);
  } else {
    counter.emplace(tree, ask, plan, options,
                    options.counter == nullptr ? Counter::Use::Once : Counter::Use::Again);
  }
  const Counts& counts = counter->counts();
  if (options.profile.balanced && !ask.wish.preferred.empty() && ask.wish.layers.size() <= 1) {
    if (const auto shares = balance(tree, plan, counts, options.profile, ask.pods)) {
      return placed(tree, ask, *shares);
    }
  }
  const auto found = Search(tree, plan, counts, options.profile).run(ask.pods);
  if (const auto* refused = std::get_if<NoRoom>(&found)) {
    return no_room(tree, ask, plan, counts, *refused);
  }
  return placed(tree, ask, std::get<std::vector<Share>>(found));
}

void assume(const Tree& tree, const Assignment& assignment, const Amounts& pod, Assumed& assumed) {
  for (const Assignment::Domain& domain : assignment.domains) {
    const std::uint32_t leaf = tree.find_leaf(domain.values);
    if (leaf != Tree::kNone) add(assumed[leaf], pod, domain.count);
  }
}

}  // namespace quorate::topology
