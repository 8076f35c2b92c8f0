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

// The same for any number of fractions: 1 minus their standard deviation. In units of 2^-32.
std::int64_t balance(const std::vector<Fraction>& fractions) {
  const auto count = static_cast<std::int64_t>(fractions.size());
  if (count < 2) return 100;
  if (count == 2) return balance(fractions[0], fractions[1]);
  Wide sum = 0;
  Wide squares = 0;
  for (const Fraction& one : fractions) {
    const Wide share = (Wide{one.part} << 32) / one.whole;
    sum += share;
    squares += share * share;
  }
  // deviation <= t/100 exactly if (n * squares - sum^2) * 100^2 <= (t * n * 2^32)^2.
  const Wide spread = (count * squares - sum * sum) * 10'000;
  std::int64_t t = 0;
  const auto reaches = [&](std::int64_t hundredths) {
    const Wide bound = (Wide{hundredths} * count) << 32;
    return spread <= bound * bound;
  };
  while (t < 100 && !reaches(t)) ++t;
  return 100 - t;
}

// Prefers nodes of which the pod brings the configured resources nearer to each other. Integers
// only.
class BalancedAllocation final : public PreScorePlugin, public ScorePlugin {
 public:
  explicit BalancedAllocation(const BalancedArgs& args)
      : args_(args), cpu_and_memory_(args == BalancedArgs{}) {}

  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }

  Code pre_score(const PodView& pod) const override {
    // Names that the profile may list beside these are looked up at each node.
    const bool asks =
        pod.demand->amount(cluster::kCpu) > 0 || pod.demand->amount(cluster::kMemory) > 0;
    return asks || !cpu_and_memory_ ? Code::Success : Code::Skip;
  }
  Reach score_reach(const PodView&) const override { return Reach::Node; }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    return cpu_and_memory_ ? score_two(pod, node) : score_listed(pod, node);
  }

 private:
  static std::int64_t score_two(const PodView& pod, const NodeView& node) {
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

  std::int64_t score_listed(const PodView& pod, const NodeView& node) const {
    std::vector<Fraction> with, without;
    bool asks = false;
    for (const std::string& resource : args_.resources) {
      const cluster::ResourceId id = node.model.resources().find(resource);
      if (!id) continue;
      const std::int64_t wanted = pod.demand->amount(id.slot);
      asks = asks || wanted > 0;
      if (wanted == 0 && resource.find('/') != std::string::npos) continue;
      const std::int64_t all = node.model.allocatable(node.id, id.slot);
      if (all <= 0) continue;
      const Quantity used{node.model.used(node.id, id.slot)};
      with.push_back(fraction((used + Quantity{wanted}).base_units(), all));
      without.push_back(fraction(used.base_units(), all));
    }
    if (!asks) return 0;
    return 50 + (50 + balance(with) - balance(without)) / 2;
  }

  BalancedArgs args_;
  bool cpu_and_memory_;
};

}  // namespace

std::shared_ptr<const Plugin> make_balanced_allocation(const BalancedArgs& args) {
  return std::make_shared<const BalancedAllocation>(args);
}

}  // namespace quorate::scheduler
