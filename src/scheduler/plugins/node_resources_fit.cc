#include <algorithm>

#include "src/devices/pod_claims.h"
#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

using cluster::Charge;

bool scored_only(const Charge& charge) {
  return charge.resource == cluster::kScoredCpu || charge.resource == cluster::kScoredMemory;
}

// Kubernetes' own names have no domain, or one of its own.
bool is_extended(std::string_view resource) {
  return resource.find('/') != std::string_view::npos &&
         resource.find("kubernetes.io/") == std::string_view::npos &&
         !resource.starts_with("requests.");
}

// An extended resource that the node lacks and a device class serves: DynamicResources sees to it.
bool by_devices(const PodView& pod, const NodeView& node, std::uint32_t resource) {
  if (pod.claims == nullptr || pod.claims->extended.empty()) return false;
  if (node.model.allocatable(node.id, resource) > 0) return false;
  const std::string& name = node.model.resources().name({resource, 0});
  return std::ranges::any_of(pod.claims->extended, [&](const devices::ExtendedRequest& each) {
    return each.resource == name;
  });
}

// part * 100 / all without overflow; beyond 2^56 a hundredth is precise enough.
std::int64_t percent(std::int64_t part, std::int64_t all) {
  return part > (std::int64_t{1} << 56) ? part / (all / 100) : part * 100 / all;
}

// Everything a pod requests fits beside what is there. Scores by the profile's strategy: by default
// the more of cpu and memory stays free, the better. As placement score of a group by
// MostAllocated: of the domains that take it, the fullest.
class NodeResourcesFit final : public FilterPlugin,
                               public ScorePlugin,
                               public PlacementScorePlugin {
 public:
  explicit NodeResourcesFit(const FitArgs& args) : args_(args) {}

  std::string_view name() const override { return "NodeResourcesFit"; }

  Reach filter_reach(const PodView&) const override { return Reach::Node; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    bool fits = true;
    bool ever = true;
    for (const Charge& charge : pod.demand->charges) {
      if (skipped(node, charge)) continue;
      if (charge.amount <= node.model.free(node.id, charge.resource)) continue;
      if (by_devices(pod, node, charge.resource)) continue;
      fits = false;
      ever = ever && (charge.resource == cluster::kPods ||
                      charge.amount <= node.model.allocatable(node.id, charge.resource));
    }
    if (fits) return Code::Success;
    return ever ? Code::Unschedulable : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const override {
    for (const Charge& charge : pod.demand->charges) {
      if (skipped(node, charge)) continue;
      if (charge.amount <= node.model.free(node.id, charge.resource)) continue;
      if (by_devices(pod, node, charge.resource)) continue;
      if (charge.resource == cluster::kPods) {
        reasons.add("Too many pods");
      } else {
        reasons.add("Insufficient " + node.model.resources().name({charge.resource, 0}));
      }
    }
  }
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    for (const Charge& charge : pod.demand->charges) {
      if (skipped(node, charge)) continue;
      if (by_devices(pod, node, charge.resource)) continue;
      const std::int64_t free = node.model.free(node.id, charge.resource);
      most = std::min(most, free <= 0 ? 0 : free / charge.amount);
    }
    return most;
  }
  EventKinds events() const override { return kNodeAdded | kNodeAllocatable | kUsageFreed; }

  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    std::int64_t sum = 0;
    std::int64_t weights = 0;
    for (const auto& [resource, weight] : args_.resources) {
      const std::optional<Use> use = use_of(pod, node, resource);
      if (!use) continue;
      const std::int64_t score = score_of(*use);
      // A ratio of nothing says nothing.
      if (score == 0 && args_.strategy == Strategy::RequestedToCapacityRatio) continue;
      sum += score * weight;
      weights += weight;
    }
    if (weights == 0) return 0;
    // The ratio is rounded to the nearest, the others down.
    const bool nearest = args_.strategy == Strategy::RequestedToCapacityRatio;
    return nearest ? (2 * sum + weights) / (2 * weights) : sum / weights;
  }

  std::int64_t score_placement(const cluster::Model& model, const GroupPlanInput& input,
                               const GroupPlan& plan) const override {
    std::int64_t sum = 0;
    std::int64_t parts = 0;
    for (const auto& [named, scored] : {std::pair{cluster::kCpu, cluster::kScoredCpu},
                                        std::pair{cluster::kMemory, cluster::kScoredMemory}}) {
      Quantity all, used;
      for (const cluster::NodeId node : input.nodes) {
        all += Quantity{model.allocatable(node, named)};
        used += Quantity{model.used(node, scored)};
      }
      for (std::size_t i = 0; i < plan.members.size(); ++i) {
        if (plan.members[i].fate != GroupPlan::Fate::Placed) continue;
        used += Quantity{input.pods[i].demand->amount(scored)};
      }
      if (all <= Quantity{}) continue;
      ++parts;
      const Quantity most = std::min(used, all);
      const Quantity hundredth = all / 100;
      sum += hundredth > Quantity{0}
                 ? std::min<std::int64_t>(100, most.base_units() / hundredth.base_units())
                 : (most * 100).base_units() / all.base_units();
    }
    return parts == 0 ? 0 : sum / parts;
  }

 private:
  using Strategy = FitArgs::Strategy;
  struct Use {
    std::int64_t used = 0;  // with the pod
    std::int64_t all = 0;   // > 0
  };

  // Scored columns count for no filter, and neither does an extended resource that is ignored.
  bool skipped(const NodeView& node, const Charge& charge) const {
    if (scored_only(charge)) return true;
    if (args_.ignored_resources.empty() && args_.ignored_resource_groups.empty()) return false;
    const std::string& resource = node.model.resources().name({charge.resource, 0});
    if (!is_extended(resource)) return false;
    const auto listed = [](const std::vector<std::string>& list, std::string_view name) {
      return std::ranges::find(list, name) != list.end();
    };
    return listed(args_.ignored_resources, resource) ||
           listed(args_.ignored_resource_groups,
                  std::string_view(resource).substr(0, resource.find('/')));
  }

  // nullopt: the node has none, or the pod wants none of something that few pods want.
  static std::optional<Use> use_of(const PodView& pod, const NodeView& node,
                                   std::string_view resource) {
    std::uint32_t named = 0;
    std::uint32_t scored = 0;
    if (resource == "cpu") {
      named = cluster::kCpu;
      scored = cluster::kScoredCpu;
    } else if (resource == "memory") {
      named = cluster::kMemory;
      scored = cluster::kScoredMemory;
    } else {
      const cluster::ResourceId id = node.model.resources().find(resource);
      if (!id) return std::nullopt;
      named = scored = id.slot;
      const bool scalar = resource.find('/') != std::string_view::npos ||
                          resource.starts_with("hugepages-") ||
                          resource.starts_with("attachable-volumes-");
      if (scalar && pod.demand->amount(named) == 0) return std::nullopt;
    }
    const std::int64_t all = node.model.allocatable(node.id, named);
    if (all <= 0) return std::nullopt;
    const Quantity used =
        Quantity{node.model.used(node.id, scored)} + Quantity{pod.demand->amount(scored)};
    return Use{used.or_zero().base_units(), all};
  }

  std::int64_t score_of(const Use& use) const {
    const std::int64_t used = std::min(use.used, use.all);
    switch (args_.strategy) {
      case Strategy::LeastAllocated:
        return percent(use.all - used, use.all);
      case Strategy::MostAllocated:
        return percent(used, use.all);
      case Strategy::RequestedToCapacityRatio:
        return on_shape(percent(used, use.all));
    }
    return 0;
  }

  // The broken line through the shape's points, in 0..100.
  std::int64_t on_shape(std::int64_t utilization) const {
    for (std::size_t i = 0; i < args_.shape.size(); ++i) {
      const std::int64_t x = args_.shape[i].first;
      const std::int64_t y = args_.shape[i].second * 10;
      if (utilization > x) continue;
      if (i == 0) return y;
      const std::int64_t before_x = args_.shape[i - 1].first;
      const std::int64_t before_y = args_.shape[i - 1].second * 10;
      return before_y + (y - before_y) * (utilization - before_x) / (x - before_x);
    }
    return args_.shape.empty() ? 0 : args_.shape.back().second * 10;
  }

  FitArgs args_;
};

}  // namespace

std::shared_ptr<const Plugin> make_node_resources_fit(const FitArgs& args) {
  return std::make_shared<const NodeResourcesFit>(args);
}

}  // namespace quorate::scheduler
