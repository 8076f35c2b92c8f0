#include "admission/preemption.h"

#include <algorithm>

#include "admission/preemption_classic.h"

namespace quorate::admission {

// The one place where the kind of search is chosen.
std::vector<Target> Preemption::search(const SearchContext& context,
                                       const Preemptor& preemptor) const {
  if (fair_) return find_fair(context, preemptor, *fair_);
  return find_classic(context, preemptor);
}

std::vector<Target> Preemption::find(const Preemptor& preemptor, PlacementTrial* placement) const {
  SearchContext context = context_;
  context.placement = placement;
  return search(context, preemptor);
}

Simulated Preemption::simulate(const Facts& facts, quota::NodeId node, const ClusterQueueSpec& spec,
                               quota::FlavorResource fr, Quantity amount) const {
  SearchContext quota_only = context_;
  quota_only.placement = nullptr;
  Preemptor preemptor{&facts, node, &spec, {}, {fr}};
  preemptor.usage.add(fr, amount);
  const std::vector<Target> targets = search(quota_only, preemptor);
  if (targets.empty()) return {Mode::NoCandidates, context_.tree.level(node, fr, amount).level};
  VictimTrial gone(quota_only, preemptor);
  bool own_queue = false;
  for (const Target& target : targets) {
    gone.remove(target.victim);
    own_queue = own_queue || target.victim.node == node;
  }
  return {own_queue ? Mode::Preempt : Mode::Reclaim, context_.tree.level(node, fr, amount).level};
}

}  // namespace quorate::admission
