#include "src/scheduler/plugins/node_match.h"

#include <algorithm>

namespace quorate::scheduler {
namespace {

constexpr std::string_view kName = "metadata.name";

bool has_all(const Labels& wanted, const Labels& labels) {
  return std::ranges::all_of(wanted, [&](const auto& pair) {
    const auto found = labels.find(pair.first);
    return found != labels.end() && found->second == pair.second;
  });
}

}  // namespace

bool matches_term(const NodeSelectorTerm& term, const cluster::NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  const auto field_holds = [&](const Requirement& field) {
    return field.key == kName && matches(field, Labels{{std::string(kName), node.name}});
  };
  const auto label_holds = [&](const Requirement& label) { return matches(label, node.labels); };
  return std::ranges::all_of(term.match_expressions, label_holds) &&
         std::ranges::all_of(term.match_fields, field_holds);
}

bool any_matches(const std::optional<std::vector<NodeSelectorTerm>>& terms,
                 const cluster::NodeSpec& node) {
  return !terms || std::ranges::any_of(*terms, [&](const NodeSelectorTerm& term) {
    return matches_term(term, node);
  });
}

bool selects(const PodView& pod, const cluster::NodeSpec& node) {
  return has_all(pod.pod().node_selector, node.labels) &&
         (pod.node_labels == nullptr || has_all(*pod.node_labels, node.labels)) &&
         any_matches(pod.pod().node_affinity.required, node);
}

}  // namespace quorate::scheduler
