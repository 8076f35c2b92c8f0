#include <algorithm>

#include "src/devices/model.h"
#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

using Kind = devices::Verdict::Kind;

const devices::Verdict& verdict(const PodView& pod, const NodeView& node) {
  return devices::of(node.model)->fits(node.model, node.id, *pod.claims);
}

// Devices for the pod's claims (Dynamic Resource Allocation), as kube-scheduler's plugin of that
// name decides and says it. Scores alternatives of a request by their position.
class DynamicResources final : public PreFilterPlugin,
                               public FilterPlugin,
                               public PreScorePlugin,
                               public ScorePlugin,
                               public ReservePlugin {
 public:
  std::string_view name() const override { return "DynamicResources"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model&,
                             std::span<const cluster::NodeId>) const override {
    if (pod.claims == nullptr) return {{Code::Skip, ""}, std::nullopt};
    if (pod.claims->unresolvable.empty()) return {};
    return {{Code::UnschedulableAndUnresolvable, pod.claims->unresolvable}, std::nullopt};
  }

  Reach filter_reach(const PodView&) const override { return Reach::Node; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    if (pod.claims == nullptr) return Code::Success;
    if (!pod.claims->unresolvable.empty()) return Code::UnschedulableAndUnresolvable;
    switch (verdict(pod, node).kind) {
      case Kind::Fits:
        return Code::Success;
      case Kind::Failed:
        return Code::Error;
      case Kind::NoDevices:
      case Kind::NotHere:
      case Kind::InvalidPools:
      case Kind::TimedOut:
        return Code::UnschedulableAndUnresolvable;
    }
    return Code::UnschedulableAndUnresolvable;
  }
  std::string failure(const PodView& pod, const NodeView& node) const override {
    return verdict(pod, node).message;
  }
  void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const override {
    switch (verdict(pod, node).kind) {
      case Kind::Fits:
      case Kind::Failed:
        return;
      case Kind::NoDevices:
        return reasons.add("cannot allocate all claims");
      case Kind::NotHere:
        return reasons.add("resourceclaim not available on the node");
      case Kind::InvalidPools:
        return reasons.add("invalid resource pools were encountered");
      case Kind::TimedOut:
        return reasons.add("timed out trying to allocate devices");
    }
  }
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    if (pod.claims == nullptr) return most;
    return devices::of(node.model)->copies(node.model, node.id, *pod.claims, most);
  }
  EventKinds events() const override { return kNodeAdded | kNodeLabels | kDevices; }

  Code pre_score(const PodView& pod) const override {
    if (pod.claims == nullptr) return Code::Skip;
    const bool alternatives =
        std::ranges::any_of(pod.claims->uses, [](const devices::PodClaims::Use& use) {
          return std::ranges::any_of(use.shape->spec.requests, &dra::Request::first_available);
        });
    return alternatives ? Code::Success : Code::Skip;
  }
  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    return devices::of(node.model)->alternative_score(node.model, node.id, *pod.claims);
  }
  Normalize normalize_score() const override { return Normalize::ToMaximum; }
  std::int64_t default_weight() const override { return 2; }

  // The allocations are visible to everything that is decided from here on.
  Status reserve(cluster::Model& model, Journal& journal, const BindContext& at) const override {
    if (at.devices == nullptr) return {};
    devices::Model& devices = *devices::of(model);
    const dra::Consumer pod{"", "pods", at.pod.key.name, at.pod.uid};
    for (const devices::ClaimDecision& decision : at.devices->claims) {
      const bool by_group = decision.by_group && at.group != nullptr && at.group->spec != nullptr;
      devices.assume(model, journal, decision,
                     by_group ? dra::Consumer{"scheduling.k8s.io", "podgroups",
                                              at.group->spec->key.name, at.group->spec->uid}
                              : pod);
    }
    return {};
  }
  // The transaction around Reserve takes it back.
  void unreserve(cluster::Model&, Journal&, const BindContext&) const override {}
};

// Ours: of the nodes that have the devices, one whose devices are in use already, so that nodes
// that are free as a whole (an NVLink domain of eight GPUs) stay so while a broken one has room.
class DeviceRemainder final : public PreScorePlugin, public ScorePlugin {
 public:
  std::string_view name() const override { return "DeviceRemainder"; }

  Code pre_score(const PodView& pod) const override {
    return pod.claims == nullptr ? Code::Skip : Code::Success;
  }
  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    return devices::of(node.model)->used_share(node.model, node.id, *pod.claims);
  }
  // Above what spreads pods over nodes.
  std::int64_t default_weight() const override { return 10; }
};

}  // namespace

const Plugin& dynamic_resources() {
  static const DynamicResources kPlugin;
  return kPlugin;
}

const Plugin& device_remainder() {
  static const DeviceRemainder kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
