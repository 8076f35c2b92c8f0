#include <algorithm>

#include "src/scheduler/plugins/node_match.h"
#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kName = "metadata.name";

using Names = std::set<std::string, std::less<>>;

bool looks_at_one_node(const NodeSelectorTerm& term) {
  return !term.match_fields.empty() ||
         std::ranges::any_of(term.match_expressions,
                             [](const Requirement& r) { return r.key == kHostname; });
}

// The node names that the term's fields allow; nullopt if it says nothing about names.
std::optional<Names> names_of(const NodeSelectorTerm& term) {
  std::optional<Names> names;
  for (const Requirement& field : term.match_fields) {
    if (field.key != kName || field.op != Requirement::Op::In) continue;
    const Names listed(field.values.begin(), field.values.end());
    if (!names) {
      names = listed;
    } else {
      std::erase_if(*names, [&](const std::string& name) { return !listed.contains(name); });
    }
  }
  return names;
}

bool looks_at_one(const std::optional<std::vector<NodeSelectorTerm>>& required) {
  return required && std::ranges::any_of(*required, looks_at_one_node);
}

// nodeSelector and required terms filter, preferred terms score. What the profile adds holds for
// all its pods besides.
class NodeAffinityPlugin final : public PreFilterPlugin,
                                 public FilterPlugin,
                                 public PreScorePlugin,
                                 public ScorePlugin {
 public:
  explicit NodeAffinityPlugin(const NodeAffinity& added) : added_(added) {}

  std::string_view name() const override { return "NodeAffinity"; }

  PreFilterResult pre_filter(const PodView& pod, const cluster::Model&,
                             std::span<const cluster::NodeId>) const override {
    const auto& required = pod.pod().node_affinity.required;
    const bool selects = !pod.pod().node_selector.empty() ||
                         (pod.node_labels != nullptr && !pod.node_labels->empty());
    if (!required)
      return {{selects || added_.required ? Code::Success : Code::Skip, ""}, std::nullopt, nullptr};
    Names names;
    for (const NodeSelectorTerm& term : *required) {
      const std::optional<Names> of_term = names_of(term);
      if (!of_term) return {};  // an alternative that any node may match
      names.insert(of_term->begin(), of_term->end());
    }
    if (required->empty()) return {};
    if (names.empty()) {
      return {{Code::UnschedulableAndUnresolvable, "pod affinity terms conflict"},
              std::nullopt,
              nullptr};
    }
    return {{}, std::move(names), nullptr};
  }

  Reach filter_reach(const PodView& pod) const override {
    const PodTemplate& spec = pod.pod();
    const bool one_node = spec.node_selector.contains(kHostname) ||
                          (pod.node_labels != nullptr && pod.node_labels->contains(kHostname)) ||
                          looks_at_one(spec.node_affinity.required) ||
                          looks_at_one(added_.required);
    return one_node ? Reach::Node : Reach::NodeClass;
  }
  Code filter(const PodView& pod, const NodeView& node) const override {
    const bool selected = any_matches(added_.required, node.spec) && selects(pod, node.spec);
    return selected ? Code::Success : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView&, const NodeView& node, ReasonSink& reasons) const override {
    reasons.add(any_matches(added_.required, node.spec)
                    ? "node(s) didn't match Pod's node affinity/selector"
                    : "node(s) didn't match scheduler-enforced node affinity");
  }
  EventKinds events() const override { return kNodeAdded | kNodeLabels; }

  Code pre_score(const PodView& pod) const override {
    return pod.pod().node_affinity.preferred.empty() && added_.preferred.empty() ? Code::Skip
                                                                                 : Code::Success;
  }
  Reach score_reach(const PodView& pod) const override {
    const auto one_node = [](const NodeAffinity& affinity) {
      return std::ranges::any_of(affinity.preferred, [](const auto& preferred) {
        return looks_at_one_node(preferred.second);
      });
    };
    return one_node(pod.pod().node_affinity) || one_node(added_) ? Reach::Node : Reach::NodeClass;
  }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    std::int64_t sum = 0;
    for (const NodeAffinity* affinity : {&pod.pod().node_affinity, &added_}) {
      for (const auto& [weight, term] : affinity->preferred) {
        if (matches_term(term, node.spec)) sum += weight;
      }
    }
    return sum;
  }
  Normalize normalize_score() const override { return Normalize::ToMaximum; }
  std::int64_t default_weight() const override { return 2; }

 private:
  NodeAffinity added_;
};

}  // namespace

std::shared_ptr<const Plugin> make_node_affinity(const NodeAffinity& added) {
  return std::make_shared<const NodeAffinityPlugin>(added);
}

}  // namespace quorate::scheduler
