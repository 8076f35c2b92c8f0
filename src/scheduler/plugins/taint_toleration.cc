#include <algorithm>

#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/plugins/tolerations.h"

namespace quorate::scheduler {
namespace {

// NoSchedule and NoExecute taints keep a pod away that does not tolerate them; PreferNoSchedule
// ones only cost points.
class TaintToleration final : public FilterPlugin, public ScorePlugin {
 public:
  std::string_view name() const override { return "TaintToleration"; }

  Reach filter_reach(const PodView&) const override { return Reach::NodeClass; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    return repelled(pod, node.spec) ? Code::UnschedulableAndUnresolvable : Code::Success;
  }
  void why(const PodView&, const NodeView&, ReasonSink& reasons) const override {
    reasons.add("node(s) had untolerated taint(s)");
  }
  EventKinds events() const override { return kNodeAdded | kNodeTaints; }

  Reach score_reach(const PodView&) const override { return Reach::NodeClass; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    return std::ranges::count_if(node.spec.taints, [&](const Taint& taint) {
      return taint.effect == "PreferNoSchedule" && !tolerated(pod, taint);
    });
  }
  Normalize normalize_score() const override { return Normalize::ReversedToMaximum; }
  std::int64_t default_weight() const override { return 3; }
};

}  // namespace

const Plugin& taint_toleration() {
  static const TaintToleration kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
