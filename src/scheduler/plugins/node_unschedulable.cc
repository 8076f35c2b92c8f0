#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/plugins/tolerations.h"

namespace quorate::scheduler {
namespace {

// A cordoned node takes only pods that tolerate the taint which stands for being cordoned.
class NodeUnschedulable final : public FilterPlugin {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }

  Reach filter_reach(const PodView&) const override { return Reach::NodeClass; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    if (!node.spec.unschedulable) return Code::Success;
    static const Taint kCordoned{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
    return tolerated(pod, kCordoned) ? Code::Success : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView&, const NodeView&, ReasonSink& reasons) const override {
    reasons.add("node(s) were unschedulable");
  }
  EventKinds events() const override { return kNodeAdded | kNodeTaints; }
};

}  // namespace

const Plugin& node_unschedulable() {
  static const NodeUnschedulable kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
