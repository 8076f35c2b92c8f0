#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// Of the placements that take a group, those that take more of its members.
class PodGroupPodsCount final : public PlacementScorePlugin {
 public:
  std::string_view name() const override { return "PodGroupPodsCount"; }

  std::int64_t score_placement(const cluster::Model&, const GroupPlanInput&,
                               const GroupPlan& plan) const override {
    return plan.placed();
  }
};

}  // namespace

const Plugin& pod_group_pods_count() {
  static const PodGroupPodsCount kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
