#include <algorithm>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kName = "metadata.name";

using Names = std::set<std::string, std::less<>>;

// A term without requirements matches nothing.
bool matches_term(const NodeSelectorTerm& term, const cluster::NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  const auto field_holds = [&](const Requirement& field) {
    return field.key == kName && matches(field, Labels{{std::string(kName), node.name}});
  };
  const auto label_holds = [&](const Requirement& label) { return matches(label, node.labels); };
  return std::ranges::all_of(term.match_expressions, label_holds) &&
         std::ranges::all_of(term.match_fields, field_holds);
}

bool has_all(const Labels& wanted, const Labels& labels) {
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto found = labels.find(pair.first);
    return found != labels.end() && found->second == pair.second;
  });
}

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

// nodeSelector and required terms filter, preferred terms score.
class NodeAffinityPlugin final : public PreFilterPlugin,
                                 public FilterPlugin,
                                 public PreScorePlugin,
                                 public ScorePlugin {
 public:
  std::string_view name() const override { return "NodeAffinity"; }

  PreFilterResult pre_filter(const PodView& pod) const override {
    const auto& required = pod.pod().node_affinity.required;
    const bool selects = !pod.pod().node_selector.empty() ||
                         (pod.node_labels != nullptr && !pod.node_labels->empty());
    if (!required) return {{selects ? Code::Success : Code::Skip, ""}, std::nullopt};
    Names names;
    for (const NodeSelectorTerm& term : *required) {
      const std::optional<Names> of_term = names_of(term);
      if (!of_term) return {};  // an alternative that any node may match
      names.insert(of_term->begin(), of_term->end());
    }
    if (required->empty()) return {};
    if (names.empty()) {
      return {{Code::UnschedulableAndUnresolvable, "pod affinity terms conflict"}, std::nullopt};
    }
    return {{}, std::move(names)};
  }

  Reach filter_reach(const PodView& pod) const override {
    const PodTemplate& spec = pod.pod();
    const bool one_node = spec.node_selector.contains(kHostname) ||
                          (pod.node_labels != nullptr && pod.node_labels->contains(kHostname)) ||
                          (spec.node_affinity.required &&
                           std::ranges::any_of(*spec.node_affinity.required, looks_at_one_node));
    return one_node ? Reach::Node : Reach::NodeClass;
  }
  Code filter(const PodView& pod, const NodeView& node) const override {
    const PodTemplate& spec = pod.pod();
    const bool selected =
        has_all(spec.node_selector, node.spec.labels) &&
        (pod.node_labels == nullptr || has_all(*pod.node_labels, node.spec.labels)) &&
        (!spec.node_affinity.required ||
         std::ranges::any_of(*spec.node_affinity.required, [&](const NodeSelectorTerm& term) {
           return matches_term(term, node.spec);
         }));
    return selected ? Code::Success : Code::UnschedulableAndUnresolvable;
  }
  void why(const PodView&, const NodeView&, ReasonSink& reasons) const override {
    reasons.add("node(s) didn't match Pod's node affinity/selector");
  }
  EventKinds events() const override { return kNodeAdded | kNodeLabels; }

  Code pre_score(const PodView& pod) const override {
    return pod.pod().node_affinity.preferred.empty() ? Code::Skip : Code::Success;
  }
  Reach score_reach(const PodView& pod) const override {
    const bool one_node = std::ranges::any_of(
        pod.pod().node_affinity.preferred,
        [](const auto& preferred) { return looks_at_one_node(preferred.second); });
    return one_node ? Reach::Node : Reach::NodeClass;
  }
  std::int64_t score(const PodView& pod, const NodeView& node) const override {
    std::int64_t sum = 0;
    for (const auto& [weight, term] : pod.pod().node_affinity.preferred) {
      if (matches_term(term, node.spec)) sum += weight;
    }
    return sum;
  }
  Normalize normalize_score() const override { return Normalize::ToMaximum; }
  std::int64_t default_weight() const override { return 2; }
};

}  // namespace

const Plugin& node_affinity() {
  static const NodeAffinityPlugin kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
