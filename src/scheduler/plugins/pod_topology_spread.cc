#include <algorithm>
#include <optional>

#include "src/base/log2.h"
#include "src/scheduler/plugins/domains.h"
#include "src/scheduler/plugins/node_match.h"
#include "src/scheduler/plugins/plugins.h"
#include "src/scheduler/plugins/pod_selectors.h"
#include "src/scheduler/plugins/tolerations.h"

namespace quorate::scheduler {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
__extension__ using Wide = __int128;

// Natural logarithm in units of 2^-32.
Wide fixed_ln(std::uint64_t n) {
  constexpr Wide kLn2 = 2977044472;  // ln 2 * 2^32
  return (Wide{fixed_log2(n)} * kLn2) >> 32;
}

// One constraint with the matching pods counted by domain.
struct Spread {
  const SpreadConstraint* rule;
  PodSelector selector;
  bool self;  // the pod counts itself once it is there
  Domains domains;
  std::vector<bool> counted;        // by node slot: its pods count
  std::vector<std::int64_t> nodes;  // by domain: counted nodes
  std::int64_t eligible = 0;        // domains with a counted node
  std::int64_t least = 0;           // the smallest count of those

  void find_least() {
    least = 0;
    bool first = true;
    for (std::uint32_t d = 0; d < domains.size(); ++d) {
      if (nodes[d] == 0) continue;
      if (first || domains[d] < least) least = domains[d];
      first = false;
    }
  }
  bool counts(std::uint32_t slot) const { return slot < counted.size() && counted[slot]; }
};

// The constraints of one kind that a pod states, followed as pods come and go.
class SpreadState final : public PluginState {
 public:
  SpreadState(const PodView& pod, const cluster::Model& model,
              std::span<const cluster::NodeId> nodes, bool hard)
      : ns_(pod.ns()) {
    for (const SpreadConstraint& rule : pod.relations().spread) {
      if (rule.hard != hard) continue;
      PodSelector selector(rule.selector, rule.match_label_keys, pod.labels());
      const bool self = selector.matches(pod.labels());
      spreads_.push_back(
          {&rule, std::move(selector), self, Domains(model, rule.topology_key, nodes), {}, {}});
    }
    if (spreads_.empty()) return;
    for (Spread& spread : spreads_) spread.nodes.assign(spread.domains.size(), 0);
    for (const cluster::NodeId id : nodes) {
      const cluster::NodeSpec& node = *model.node(id).spec;
      if (!has_all_keys(id.slot)) continue;
      for (Spread& spread : spreads_) {
        if (spread.rule->honor_affinity && !selects(pod, node)) continue;
        if (spread.rule->honor_taints && repelled(pod, node)) continue;
        if (id.slot >= spread.counted.size()) spread.counted.resize(id.slot + 1, false);
        spread.counted[id.slot] = true;
        if (spread.nodes[spread.domains.of(id.slot)]++ == 0) ++spread.eligible;
      }
      model.each_occupant(id, [&](const cluster::Occupant& who) { count(id.slot, who, 1); });
    }
    for (Spread& spread : spreads_) spread.find_least();
  }

  bool empty() const { return spreads_.empty(); }
  std::span<const Spread> spreads() const { return spreads_; }

  bool has_all_keys(std::uint32_t slot) const {
    return std::ranges::all_of(
        spreads_, [&](const Spread& spread) { return spread.domains.of(slot) != Domains::kNone; });
  }

  Effect moved(const cluster::Model&, const cluster::Move& move) override {
    return count(move.node, *move.who, move.by) ? Effect::All : Effect::None;
  }
  bool idle() const override { return spreads_.empty(); }

 private:
  bool count(std::uint32_t slot, const cluster::Occupant& who, std::int32_t by) {
    if (who.terminating || who.ns != ns_) return false;
    bool any = false;
    for (Spread& spread : spreads_) {
      if (!spread.counts(slot) || !spread.selector.counts(*who.labels)) continue;
      spread.domains.add(slot, by);
      spread.find_least();
      any = true;
    }
    return any;
  }

  std::string ns_;
  std::vector<Spread> spreads_;
};

const SpreadState& state_of(const PodView& pod) {
  return *static_cast<const SpreadState*>(pod.state);
}

enum class Verdict { Fits, LacksLabel, TooSkewed };

Verdict judge(const SpreadState& state, std::uint32_t slot) {
  for (const Spread& spread : state.spreads()) {
    const std::uint32_t domain = spread.domains.of(slot);
    if (domain == Domains::kNone) return Verdict::LacksLabel;
    const std::int64_t least =
        spread.eligible < spread.rule->min_domains.value_or(1) ? 0 : spread.least;
    const std::int64_t skew = spread.domains[domain] + (spread.self ? 1 : 0) - least;
    if (skew > spread.rule->max_skew) return Verdict::TooSkewed;
  }
  return Verdict::Fits;
}

// Pods that match a selector are spread over the values of a node label: hard constraints filter,
// soft ones score. Constraints by default (for pods of a Service, say) are not known here.
class PodTopologySpread final : public PreFilterPlugin,
                                public FilterPlugin,
                                public JointScorePlugin {
 public:
  std::string_view name() const override { return "PodTopologySpread"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model& model,
                             std::span<const cluster::NodeId> nodes) const override {
    const auto& spread = pod.relations().spread;
    if (std::ranges::none_of(spread, &SpreadConstraint::hard)) return {{Code::Skip, ""}, {}, {}};
    return {{}, std::nullopt, std::make_unique<SpreadState>(pod, model, nodes, true)};
  }
  Reach filter_reach(const PodView&) const override { return Reach::Linked; }
  Code filter(const PodView& pod, const NodeView& node) const override {
    if (pod.state == nullptr) return Code::Success;
    switch (judge(state_of(pod), node.id.slot)) {
      case Verdict::Fits:
        return Code::Success;
      case Verdict::LacksLabel:
        return Code::UnschedulableAndUnresolvable;
      case Verdict::TooSkewed:
        return Code::Unschedulable;
    }
    return Code::Success;
  }
  void why(const PodView& pod, const NodeView& node, ReasonSink& reasons) const override {
    const bool lacks = judge(state_of(pod), node.id.slot) == Verdict::LacksLabel;
    reasons.add(lacks ? "node(s) didn't match pod topology spread constraints (missing required "
                        "label)"
                      : "node(s) didn't match pod topology spread constraints");
  }
  // Others that come elsewhere can make room for any number here, unless a label is missing.
  std::int64_t copies(const PodView& pod, const NodeView& node, std::int64_t most) const override {
    const bool lacks =
        pod.state != nullptr && judge(state_of(pod), node.id.slot) == Verdict::LacksLabel;
    return lacks ? 0 : most;
  }
  EventKinds events() const override {
    return kNodeAdded | kNodeLabels | kNodeTaints | kUsageFreed | kPodArrived;
  }
  bool helps(const ClusterEvent& event, const PodView&, const NodeView&) const override {
    return (event.kinds & events()) != 0;
  }

  std::unique_ptr<PluginState> joint_state(const PodView& pod, const cluster::Model& model,
                                           std::span<const cluster::NodeId> nodes) const override {
    const auto& spread = pod.relations().spread;
    if (std::ranges::all_of(spread, &SpreadConstraint::hard)) return nullptr;
    return std::make_unique<SpreadState>(pod, model, nodes, false);
  }

  // raw = sum over constraints of count * ln(domains + 2) + (maxSkew - 1); the lower the better.
  void joint_scores(const PodView& pod, const cluster::Model& model,
                    std::span<const cluster::NodeId> feasible,
                    std::span<std::int64_t> scores) const override {
    const SpreadState& state = state_of(pod);
    std::vector<bool> ignored(feasible.size(), false);  // lack a label
    std::int64_t useful = 0;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      ignored[i] = !state.has_all_keys(feasible[i].slot);
      useful += ignored[i] ? 0 : 1;
    }
    std::vector<Wide> raw(feasible.size(), 0);
    for (const Spread& spread : state.spreads()) {
      const bool by_node = spread.rule->topology_key == kHostname;
      std::int64_t domains = useful;
      if (!by_node) {
        std::vector<bool> seen(spread.domains.size(), false);
        for (std::size_t i = 0; i < feasible.size(); ++i) {
          if (!ignored[i]) seen[spread.domains.of(feasible[i].slot)] = true;
        }
        domains = std::ranges::count(seen, true);
      }
      const Wide weight = fixed_ln(static_cast<std::uint64_t>(domains) + 2);
      for (std::size_t i = 0; i < feasible.size(); ++i) {
        if (ignored[i]) continue;
        const std::int64_t count = by_node ? on_node(state, spread, pod, model, feasible[i])
                                           : spread.domains.at_node(feasible[i].slot);
        raw[i] += weight * count + (Wide{spread.rule->max_skew - 1} << 32);
      }
    }
    std::optional<std::int64_t> least, most;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      if (ignored[i]) continue;
      scores[i] = static_cast<std::int64_t>((raw[i] + (Wide{1} << 31)) >> 32);
      least = std::min(least.value_or(scores[i]), scores[i]);
      most = std::max(most.value_or(0), scores[i]);
    }
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      if (ignored[i]) {
        scores[i] = 0;
      } else {
        scores[i] = *most == 0 ? 100 : 100 * (*most + *least - scores[i]) / *most;
      }
    }
  }
  std::int64_t joint_weight() const override { return 2; }

 private:
  // By node the pods count whatever the policies say of the node.
  static std::int64_t on_node(const SpreadState&, const Spread& spread, const PodView& pod,
                              const cluster::Model& model, cluster::NodeId node) {
    if (spread.counts(node.slot)) return spread.domains.at_node(node.slot);
    std::int64_t count = 0;
    model.each_occupant(node, [&](const cluster::Occupant& who) {
      if (!who.terminating && who.ns == pod.ns() && spread.selector.counts(*who.labels)) ++count;
    });
    return count;
  }
};

}  // namespace

const Plugin& pod_topology_spread() {
  static const PodTopologySpread kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
