#include "src/scheduler/gang_planner.h"
#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// A gang is held until enough of its members exist, planned whole, and let through only whole.
// Held members get no status and no event.
class Gang final : public GroupPreEnqueuePlugin, public PlanGroupPlugin, public PermitPlugin {
 public:
  std::string_view name() const override { return "GangScheduling"; }

  Status pre_enqueue_group(const GroupStanding& group) const override {
    if (group.spec == nullptr) return {Code::Pending, "the group has not been seen"};
    if (!group.admitted) return {Code::Pending, "waiting for admission by its queue"};
    if (!group.spec->gang) return {};
    const std::int32_t seen = group.scheduled + group.pending;
    if (seen >= group.required) return {};
    return {Code::Pending, "waiting for members: " + std::to_string(seen) + " of " +
                               std::to_string(group.required) + " exist"};
  }

  GroupPlan plan(const GroupPlanInput& input) const override { return plan_gang(input); }

  // The barrier before the first bind: every member that the minimum needs has its place.
  Status permit(const BindContext& at) const override {
    if (at.group == nullptr || at.group->scheduled >= at.group->required) return {};
    return {Code::Unschedulable, "the gang is not complete"};
  }
};

}  // namespace

const Plugin& gang() {
  static const Gang kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
