#include "topology/pod_sets.h"

#include <algorithm>
#include <optional>

namespace quorate::topology {
namespace {

// The other pod set of the group, if exactly one of the two is a leader.
std::optional<std::size_t> partner_of(std::span<const PodSetAsk> pod_sets, std::size_t at) {
  const std::string& group = pod_sets[at].group;
  if (group.empty()) return std::nullopt;
  std::optional<std::size_t> partner;
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    if (i == at || pod_sets[i].group != group) continue;
    if (partner) return std::nullopt;
    partner = i;
  }
  if (!partner) return std::nullopt;
  const std::int64_t fewer = std::min(pod_sets[at].ask.pods, pod_sets[*partner].ask.pods);
  return fewer == 1 ? partner : std::nullopt;
}

}  // namespace

std::vector<std::pair<std::size_t, PodSetOutcome>> place_all(Tree& tree,
                                                             std::span<const PodSetAsk> pod_sets,
                                                             const Options& options,
                                                             Counters* counters) {
  std::vector<std::pair<std::size_t, PodSetOutcome>> outcomes;
  Assumed assumed = options.assumed == nullptr ? Assumed{} : *options.assumed;
  Options beside = options;
  beside.assumed = &assumed;
  if (counters != nullptr) counters->resize(pod_sets.size());
  std::vector<bool> done(pod_sets.size(), false);
  std::size_t open = pod_sets.size();
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    if (done[i]) continue;
    const std::optional<std::size_t> partner = partner_of(pod_sets, i);
    std::size_t workers = i;
    std::optional<std::size_t> leader = partner;
    if (partner) {
      const std::size_t second = std::max(i, *partner), first = std::min(i, *partner);
      leader = pod_sets[first].ask.pods < pod_sets[second].ask.pods ? first : second;
      workers = *leader == first ? second : first;
    }
    Ask ask = pod_sets[workers].ask;
    if (leader) ask.leader = pod_sets[*leader].ask.pod;
    const Assignment* previous = pod_sets[workers].previous;
    const bool grown = previous != nullptr && !leader;
    beside.counter = counters == nullptr || grown ? nullptr : &(*counters)[workers];
    Outcome found = grown ? resize(tree, ask, *previous, beside) : place(tree, ask, beside);
    done[workers] = true;
    if (leader) done[*leader] = true;
    open -= leader ? 2 : 1;
    const auto answer = [&](std::size_t at, PodSetOutcome outcome) {
      outcomes.emplace_back(at, std::move(outcome));
    };
    if (const auto* failure = std::get_if<Failure>(&found)) {
      answer(std::min(workers, leader.value_or(workers)), *failure);
      if (leader) answer(std::max(workers, *leader), *failure);
      return outcomes;
    }
    Placed& placed = std::get<Placed>(found);
    if (open > 0) {
      assume(tree, placed.pods, pod_sets[workers].ask.pod, assumed);
      if (leader) assume(tree, *placed.leader, pod_sets[*leader].ask.pod, assumed);
    }
    answer(workers, std::move(placed.pods));
    if (leader) answer(*leader, std::move(*placed.leader));
  }
  return outcomes;
}

}  // namespace quorate::topology
