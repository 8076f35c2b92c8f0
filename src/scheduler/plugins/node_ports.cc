#include <algorithm>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

class NodePorts final : public PreFilterPlugin, public FilterPlugin {
 public:
  std::string_view name() const override { return "NodePorts"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model&,
                             std::span<const cluster::NodeId>) const override {
    return {{pod.demand->ports.empty() ? Code::Skip : Code::Success, ""}, std::nullopt, nullptr};
  }
  Reach filter_reach(const PodView&) const override { return Reach::Node; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    const bool free = std::ranges::all_of(pod.demand->ports, [&](const HostPort& port) {
      return node.model.port_free(node.id, port);
    });
    return free ? Code::Success : Code::Unschedulable;
  }
  void why(const PodView&, const NodeView&, ReasonSink& reasons) const override {
    reasons.add("node(s) didn't have free ports for the requested pod ports");
  }
  // A second copy clashes with the first.
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    if (pod.demand->ports.empty()) return most;
    return filter(pod, node) == Code::Success ? std::min<std::int64_t>(most, 1) : 0;
  }
  EventKinds events() const override { return kNodeAdded | kUsageFreed; }
};

}  // namespace

const Plugin& node_ports() {
  static const NodePorts kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
