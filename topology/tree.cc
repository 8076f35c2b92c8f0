#include "topology/tree.h"

#include <algorithm>

namespace quorate::topology {

Tree::Tree(std::vector<std::string> levels, Labels node_labels,
           std::span<const cluster::NodeSpec> nodes)
    : levels_(std::move(levels)), node_labels_(std::move(node_labels)), by_level_(levels_.size()) {
  // Sorted by all values, so that every list of domains comes out in the order of values.
  std::map<std::vector<std::string>, std::vector<std::string>> leaves;
  for (const cluster::NodeSpec& node : nodes) {
    if (!takes_part(node)) continue;
    std::vector<std::string> values;
    for (const std::string& level : levels_) values.push_back(node.labels.at(level));
    leaves[std::move(values)].push_back(node.name);
  }
  std::map<std::vector<std::string>, std::uint32_t> known;
  for (auto& [values, names] : leaves) {
    std::int32_t parent = -1;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::vector<std::string> prefix(
          values.begin(), values.begin() + static_cast<std::ptrdiff_t>(level) + 1);
      const auto [at, added] = known.emplace(prefix, static_cast<std::uint32_t>(domains_.size()));
      if (added) {
        domains_.push_back({prefix, parent, {}, {}});
        by_level_[level].push_back(at->second);
        if (parent >= 0) domains_[static_cast<std::size_t>(parent)].children.push_back(at->second);
      }
      parent = static_cast<std::int32_t>(at->second);
    }
    std::sort(names.begin(), names.end());
    domains_[static_cast<std::size_t>(parent)].nodes = std::move(names);
  }
}

bool Tree::takes_part(const cluster::NodeSpec& node) const {
  if (!node.ready || node.unschedulable) return false;
  const auto has = [&](const std::string& key) { return node.labels.contains(key); };
  return std::all_of(levels_.begin(), levels_.end(), has) &&
         std::all_of(node_labels_.begin(), node_labels_.end(), [&](const auto& label) {
           const auto found = node.labels.find(label.first);
           return found != node.labels.end() && found->second == label.second;
         });
}

}  // namespace quorate::topology
