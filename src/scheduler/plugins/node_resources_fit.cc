#include <algorithm>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

using cluster::Charge;

bool scored_only(const Charge& charge) {
  return charge.resource == cluster::kScoredCpu || charge.resource == cluster::kScoredMemory;
}

// (allocatable - used) * 100 / allocatable; nullopt if the node has none of it.
std::optional<std::int64_t> share_left(const PodView& pod, const NodeView& node,
                                       std::uint32_t allocatable, std::uint32_t scored) {
  const std::int64_t all = node.model.allocatable(node.id, allocatable);
  if (all <= 0) return std::nullopt;
  const Quantity used =
      Quantity{node.model.used(node.id, scored)} + Quantity{pod.demand->amount(scored)};
  const std::int64_t left = (Quantity{all} - used).or_zero().base_units();
  // Beyond 2^56 a hundredth is precise enough.
  return left > (std::int64_t{1} << 56) ? left / (all / 100) : left * 100 / all;
}

// Everything a pod requests fits beside what is there. Scores by LeastAllocated: the more of cpu
// and memory stays free, the better. As placement score of a group by MostAllocated: of the
// domains that take it, the fullest.
class NodeResourcesFit final : public FilterPlugin,
                               public ScorePlugin,
                               public PlacementScorePlugin {
 public:
  std::string_view name() const override { return "NodeResourcesFit"; }

  Reach filter_reach(const PodView&) const override { return Reach::Node; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    bool fits = true;
    bool ever = true;
    for (const Charge& charge : pod.demand->charges) {
      if (scored_only(charge)) continue;
      if (charge.amount <= node.model.free(node.id, charge.resource)) continue;
      fits = false;
      ever = ever && (charge.resource == cluster::kPods ||
                      charge.amount <= node.model.allocatable(node.id, charge.resource));
    }
    if (fits) return Code::Success;
    return ever ? Code::Unschedulable : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const override {
    for (const Charge& charge : pod.demand->charges) {
      if (scored_only(charge)) continue;
      if (charge.amount <= node.model.free(node.id, charge.resource)) continue;
      if (charge.resource == cluster::kPods) {
        reasons.add("Too many pods");
      } else {
        reasons.add("Insufficient " + node.model.resources().name({charge.resource, 0}));
      }
    }
  }
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    for (const Charge& charge : pod.demand->charges) {
      if (scored_only(charge)) continue;
      const std::int64_t free = node.model.free(node.id, charge.resource);
      most = std::min(most, free <= 0 ? 0 : free / charge.amount);
    }
    return most;
  }
  EventKinds events() const override { return kNodeAdded | kNodeAllocatable | kUsageFreed; }

  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    const auto cpu = share_left(pod, node, cluster::kCpu, cluster::kScoredCpu);
    const auto memory = share_left(pod, node, cluster::kMemory, cluster::kScoredMemory);
    const std::int64_t parts = (cpu ? 1 : 0) + (memory ? 1 : 0);
    return parts == 0 ? 0 : (cpu.value_or(0) + memory.value_or(0)) / parts;
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
};

}  // namespace

const Plugin& node_resources_fit() {
  static const NodeResourcesFit kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
