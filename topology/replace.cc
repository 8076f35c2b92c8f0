// Placements that start from an old one: a failed node, a workload that grew or shrank.

#include <algorithm>
#include <map>

#include "topology/placement.h"

namespace quorate::topology {
namespace {

Failure error(const Tree& tree, std::string text) {
  Failure failure;
  failure.topology = tree.topology();
  failure.error = std::move(text);
  return failure;
}

// The domain of the layer whose slice lost pods: those that it still has and those to place make
// whole slices. The first by its values if several do.
std::optional<std::uint32_t> broken_slice(const Tree& tree, const Layer& layer,
                                          const Assignment& rest, std::int64_t lost) {
  const std::size_t level = tree.level_of(layer.level);
  if (level == tree.levels().size()) return std::nullopt;
  std::map<std::uint32_t, std::int64_t> pods;
  for (const Assignment::Domain& domain : rest.domains) {
    pods[tree.ancestor(level, tree.find_leaf(domain.values))] += domain.count;
  }
  for (const auto& [domain, there] : pods) {
    if ((there + lost) % layer.size == 0) return domain;
  }
  return std::nullopt;
}

}  // namespace

Outcome replace(Tree& tree, const Ask& ask, const Assignment& old,
                const std::vector<std::string>& failed, const Options& options) {
  tree.settle();
  Assignment rest{old.levels, {}};
  std::int64_t lost = 0;
  for (const Assignment::Domain& domain : old.domains) {
    if (domain.values == failed) {
      lost += domain.count;
      continue;
    }
    if (tree.find_leaf(domain.values) == Tree::kNone) {
      return error(tree,
                   "Cannot replace the node, because the existing topologyAssignment is invalid, "
                   "as it contains the stale domain " +
                       (domain.values.empty() ? "" : domain.values.back()));
    }
    rest.domains.push_back(domain);
  }
  Ask again = ask;
  again.pods = lost;
  again.leader.reset();
  Options there = options;
  const std::vector<Layer>& layers = ask.wish.layers;
  if (!layers.empty() && lost % layers.front().size != 0) {
    const auto broken = std::find_if(layers.rbegin(), layers.rend(),
                                     [&](const Layer& layer) { return lost % layer.size != 0; });
    if (const auto domain = broken_slice(tree, *broken, rest, lost)) {
      there.within = {tree.level_of(broken->level), *domain};
    }
    const auto whole = std::find_if(layers.rbegin(), layers.rend(),
                                    [&](const Layer& layer) { return lost % layer.size == 0; });
    again.wish.layers.clear();
    if (whole != layers.rend()) {
      again.wish.layers.push_back(*whole);
    } else if (ask.wish.required.empty() && ask.wish.preferred.empty() && !ask.wish.unconstrained) {
      return error(tree, "topology level not specified");
    }
  } else if (!ask.wish.required.empty() && !rest.domains.empty()) {
    const std::size_t level = tree.level_of(ask.wish.required);
    if (level == tree.levels().size()) {
      return error(tree, "no requested topology level: " + ask.wish.required);
    }
    there.within = {level, tree.ancestor(level, tree.find_leaf(rest.domains.front().values))};
  }
  Outcome found = place(tree, again, there);
  if (auto* placed = std::get_if<Placed>(&found)) placed->pods = merged(rest, placed->pods);
  return found;
}

Outcome resize(Tree& tree, const Ask& ask, const Assignment& old, const Options& options) {
  if (!ask.wish.required.empty()) {
    return error(tree, "required topology is not supported with ElasticJobsViaWorkloadSlices");
  }
  if (!ask.wish.preferred.empty()) {
    return error(tree, "preferred topology is not supported with ElasticJobsViaWorkloadSlices");
  }
  tree.settle();
  const bool stale = std::any_of(old.domains.begin(), old.domains.end(), [&](const auto& domain) {
    return tree.find_leaf(domain.values) == Tree::kNone;
  });
  if (stale) return place(tree, ask, options);
  const std::int64_t had = old.pods();
  if (had < ask.pods) {
    Assumed assumed = options.assumed == nullptr ? Assumed{} : *options.assumed;
    assume(tree, old, ask.pod, assumed);
    Options beside = options;
    beside.assumed = &assumed;
    Ask more = ask;
    more.pods = ask.pods - had;
    more.leader.reset();
    Outcome found = place(tree, more, beside);
    if (auto* placed = std::get_if<Placed>(&found)) placed->pods = merged(old, placed->pods);
    return found;
  }
  Placed kept{old, std::nullopt};
  std::int64_t cut = had - ask.pods;
  while (cut > 0) {
    Assignment::Domain& last = kept.pods.domains.back();
    const auto gone = static_cast<std::int32_t>(std::min<std::int64_t>(cut, last.count));
    last.count -= gone;
    cut -= gone;
    if (last.count == 0) kept.pods.domains.pop_back();
  }
  return kept;
}

}  // namespace quorate::topology
