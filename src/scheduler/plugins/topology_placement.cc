#include <map>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// One placement for each value of the group's topology key, in the order of the values; nodes
// without the label take no member. Where members run already, only the value they share is left.
class TopologyPlacement final : public PlacementGeneratePlugin {
 public:
  std::string_view name() const override { return "TopologyPlacementGenerator"; }

  std::optional<std::vector<Placement>> generate(const cluster::Model& model,
                                                 std::string_view topology_key,
                                                 std::span<const cluster::NodeId> running,
                                                 std::span<const cluster::NodeId> nodes,
                                                 Status& status) const override {
    if (topology_key.empty()) return std::nullopt;
    const std::string key(topology_key);
    std::optional<std::string> fixed;
    for (const cluster::NodeId id : running) {
      const cluster::Node* node = model.find(id);
      if (node == nullptr || !node->known) continue;  // says nothing any more
      const auto label = node->spec->labels.find(key);
      const std::string value = label == node->spec->labels.end() ? "" : label->second;
      if (value.empty() || (fixed && *fixed != value)) {
        status = {Code::Error, "scheduled pods of the group are in different domains of " + key};
        return std::vector<Placement>{};
      }
      fixed = value;
    }
    std::map<std::string_view, std::vector<cluster::NodeId>> domains;
    for (const cluster::NodeId id : nodes) {
      const Labels& labels = model.node(id).spec->labels;
      const auto label = labels.find(key);
      if (label == labels.end() || (fixed && label->second != *fixed)) continue;
      domains[label->second].push_back(id);
    }
    std::vector<Placement> placements;
    for (auto& [value, members] : domains) {
      placements.push_back({std::string(value), std::move(members)});
    }
    return placements;
  }
};

}  // namespace

const Plugin& topology_placement() {
  static const TopologyPlacement kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
