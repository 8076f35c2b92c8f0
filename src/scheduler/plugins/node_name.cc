#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

class NodeName final : public PreFilterPlugin, public FilterPlugin {
 public:
  std::string_view name() const override { return "NodeName"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model&,
                             std::span<const cluster::NodeId>) const override {
    return {{pod.node_name.empty() ? Code::Skip : Code::Success, ""}, std::nullopt, nullptr};
  }
  Reach filter_reach(const PodView&) const override { return Reach::Node; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    return pod.node_name.empty() || pod.node_name == node.spec.name
               ? Code::Success
               : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView&, const NodeView&, ReasonSink& reasons) const override {
    reasons.add("node(s) didn't match the requested node name");
  }
  EventKinds events() const override { return kNodeAdded; }
};

}  // namespace

const Plugin& node_name() {
  static const NodeName kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
