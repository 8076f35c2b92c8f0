#include <algorithm>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

__extension__ using Wide = __int128;

struct Fraction {
  std::int64_t part = 0;
  std::int64_t whole = 1;
};

Fraction fraction(std::int64_t used, std::int64_t all) {
  return {std::clamp<std::int64_t>(used, 0, all), all};
}

// (1 - |a - b| / 2) * 100, rounded down: 100 when cpu and memory are used alike.
std::int64_t balance(Fraction a, Fraction b) {
  // Units that all amounts share go first; they keep nearly every node in 64 bits.
  while (((b.part | b.whole) & 1023) == 0 && b.whole > 1023) b = {b.part >> 10, b.whole >> 10};
  constexpr std::int64_t kSmall = std::int64_t{1} << 28;
  if (a.whole < kSmall && b.whole < kSmall) {
    const std::int64_t scale = a.whole * b.whole;  // < 2^56
    const std::int64_t gap = std::abs(a.part * b.whole - b.part * a.whole);
    return (100 * scale - 50 * gap) / scale;
  }
  const Wide scale = Wide{a.whole} * b.whole;
  Wide gap = Wide{a.part} * b.whole - Wide{b.part} * a.whole;
  if (gap < 0) gap = -gap;
  // scale < 2^126: divide before multiplying by up to 100.
  const Wide hundredth = scale / 100;
  if (hundredth == 0) return static_cast<std::int64_t>((100 * scale - 50 * gap) / scale);
  return static_cast<std::int64_t>(100 - (gap / 2 + hundredth - 1) / hundredth);
}

// Prefers nodes whose cpu and memory the pod brings nearer to each other. Integers only.
class BalancedAllocation final : public PreScorePlugin, public ScorePlugin {
 public:
  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }

  Code pre_score(const PodView& pod) const override {
    const bool asks =
        pod.demand->amount(cluster::kCpu) > 0 || pod.demand->amount(cluster::kMemory) > 0;
    return asks ? Code::Success : Code::Skip;
  }
  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    const auto side = [&](std::uint32_t resource, bool with_pod) {
      const std::int64_t all = node.model.allocatable(node.id, resource);
      const Quantity used = Quantity{node.model.used(node.id, resource)} +
                            Quantity{with_pod ? pod.demand->amount(resource) : 0};
      return fraction(used.base_units(), all);
    };
    std::int64_t with = 100;
    std::int64_t without = 100;
    if (node.model.allocatable(node.id, cluster::kCpu) > 0 &&
        node.model.allocatable(node.id, cluster::kMemory) > 0) {
      with = balance(side(cluster::kCpu, true), side(cluster::kMemory, true));
      without = balance(side(cluster::kCpu, false), side(cluster::kMemory, false));
    }
    return 50 + (50 + with - without) / 2;
  }
};

}  // namespace

const Plugin& balanced_allocation() {
  static const BalancedAllocation kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
