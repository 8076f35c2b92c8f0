#include "topology/resolve.h"

namespace quorate::topology {

std::variant<Plan, std::string> resolve(const Tree& tree, const Ask& ask, const Profile& profile) {
  const Wish& wish = ask.wish;
  const std::size_t none = tree.levels().size();
  Plan plan;
  plan.leaders = ask.leader ? 1 : 0;
  plan.required = !wish.required.empty();
  plan.unconstrained = !plan.required && wish.preferred.empty();
  if (!plan.unconstrained) {
    const std::string& level = plan.required ? wish.required : wish.preferred;
    plan.level = tree.level_of(level);
    if (plan.level == none) return "no requested topology level: " + level;
  } else {
    // With slices the search starts at the top, so that they may be anywhere.
    plan.level = wish.layers.empty() ? tree.lowest() : 0;
  }
  plan.best_fit = !plan.unconstrained || !profile.mixed;
  plan.slice_level = tree.lowest();
  plan.inner.assign(none, 1);
  if (wish.layers.empty()) return plan;

  const Layer& outer = wish.layers.front();
  plan.slice_size = outer.size > 0 ? outer.size : 1;
  plan.slice_level = tree.level_of(outer.level);
  if (plan.slice_level == none) return "no requested topology level for slices: " + outer.level;
  if (plan.slice_level < plan.level) {
    return "podset slice topology " + outer.level + " is above the podset topology " +
           tree.levels()[plan.level];
  }
  std::size_t above = plan.slice_level;
  for (std::size_t i = 1; i < wish.layers.size(); ++i) {
    const Layer& layer = wish.layers[i];
    const Layer& parent = wish.layers[i - 1];
    const std::size_t level = tree.level_of(layer.level);
    if (level == none) return "no requested topology level for slices: " + layer.level;
    if (level <= above) {
      return "additional slice layer topology " + layer.level + " must be at a lower level than " +
             parent.level;
    }
    if (layer.size <= 0 || parent.size % layer.size != 0) {
      return "additional slice layer size " + std::to_string(layer.size) +
             " must evenly divide parent layer size " + std::to_string(parent.size);
    }
    // Levels between two layers come in multiples of the lower one.
    for (std::size_t between = above + 1; between <= level; ++between) {
      plan.inner[between] = layer.size;
    }
    above = level;
  }
  return plan;
}

}  // namespace quorate::topology
