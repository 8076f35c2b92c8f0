#include "topology/node_filter.h"

#include <algorithm>

#include "topology/assignment.h"

namespace quorate::topology {
namespace {

constexpr const char* kName = "metadata.name";

// A term without requirements matches nothing.
bool holds(const NodeSelectorTerm& term, const cluster::NodeSpec& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                     [&](const Requirement& one) { return matches(one, node.labels); }) &&
         std::all_of(term.match_fields.begin(), term.match_fields.end(),
                     [&](const Requirement& one) {
                       return one.key == kName && matches(one, Labels{{kName, node.name}});
                     });
}

bool by_name(const NodeSelectorTerm& term) {
  return !term.match_fields.empty() ||
         std::any_of(term.match_expressions.begin(), term.match_expressions.end(),
                     [](const Requirement& one) { return one.key == kHostname; });
}

}  // namespace

bool NodeFilter::by_name() const {
  if (node_selector.contains(kHostname)) return true;
  if (!affinity.required) return false;
  return std::any_of(affinity.required->begin(), affinity.required->end(),
                     [](const NodeSelectorTerm& term) { return topology::by_name(term); });
}

std::string refusal(const NodeFilter& filter, const cluster::NodeSpec& node) {
  for (const Taint& taint : node.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (tolerates(filter.tolerations, taint)) continue;
    return "taint \"" + taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" +
           taint.effect + "\"";
  }
  for (const auto& [key, value] : filter.node_selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return "nodeSelector";
  }
  if (filter.affinity.required &&
      std::none_of(filter.affinity.required->begin(), filter.affinity.required->end(),
                   [&](const NodeSelectorTerm& term) { return holds(term, node); })) {
    return "affinity";
  }
  return "";
}

std::int64_t preference(const NodeFilter& filter, const cluster::NodeSpec& node) {
  std::int64_t sum = 0;
  for (const auto& [weight, term] : filter.affinity.preferred) {
    if (holds(term, node)) sum += weight;
  }
  return sum;
}

}  // namespace quorate::topology
