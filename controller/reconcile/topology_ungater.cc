#include "controller/reconcile/topology_ungater.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "src/objects/names.h"
#include "topology/ranks.h"

namespace quorate::controller {
namespace {

namespace names = objects::names;
using objects::Pod;
using objects::PodSet;
using objects::PodSetAssignment;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failed != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

bool has_gate(const Pod& pod, std::string_view gate) {
  return std::ranges::find(pod.spec->scheduling_gates, gate) != pod.spec->scheduling_gates.end();
}
bool gated(const Pod& pod) { return has_gate(pod, names::kTopologyGate); }

topology::Assignment to_assignment(const objects::TopologyAssignment& from) {
  topology::Assignment to{from.levels, {}};
  for (const objects::TopologyDomain& domain : from.domains) {
    to.domains.push_back({domain.values, domain.count});
  }
  return to;
}

std::int32_t count_of(const objects::Workload& workload, const PodSet& pods) {
  for (const PodSetAssignment& assigned : workload.status.admission->pod_sets) {
    if (assigned.name == pods.name) return assigned.count.value_or(pods.count);
  }
  return pods.count;
}

// Of two pod sets that are placed together the larger one's ranks follow those of the smaller.
std::int64_t pods_before(const objects::Workload& workload, const PodSet& pods) {
  if (!pods.topology->pod_set_group_name) return 0;
  for (const PodSet& other : workload.pod_sets) {
    if (&other == &pods || !other.topology ||
        other.topology->pod_set_group_name != pods.topology->pod_set_group_name) {
      continue;
    }
    const std::int32_t own = count_of(workload, pods);
    const std::int32_t others = count_of(workload, other);
    const bool first = own < others || (own == others && &pods < &other);
    return first ? 0 : others;
  }
  return 0;
}

topology::RankRules rules_of(const objects::Workload& workload, const PodSet& pods,
                             const Pod* first) {
  topology::RankRules rules;
  rules.count = count_of(workload, pods);
  if (!pods.topology) return rules;
  rules.by_index = pods.topology->pod_index_label.has_value();
  rules.offset = pods_before(workload, pods);
  if (first != nullptr) {
    rules.offset +=
        number(objects::value_of(first->meta.annotations, names::kPodIndexOffset)).value_or(0);
  }
  rules.sub_groups = pods.topology->sub_group_count.value_or(0);
  return rules;
}

topology::PlacedPod placed(const Pod& pod, const PodSet& pods,
                           const std::vector<std::string>& levels) {
  topology::PlacedPod to;
  to.gated = gated(pod);
  if (pods.topology) {
    to.index = number(
        objects::value_of(pod.meta.labels, pods.topology->pod_index_label.value_or(std::string())));
    to.sub_group = number(objects::value_of(
        pod.meta.labels, pods.topology->sub_group_index_label.value_or(std::string())));
  }
  for (const std::string& level : levels) {
    to.domain.emplace_back(objects::value_of(pod.spec->node_selector, level));
  }
  return to;
}

// The pods of one set that have not ended. One that is on its way out makes room in the ranks for
// its successor: the successor takes the same place, where it waits for what the first one holds.
std::vector<const Pod*> pods_of(const PlacementView& seen, const PodSet& pods) {
  const std::string index_label =
      pods.topology ? pods.topology->pod_index_label.value_or("") : std::string();
  std::vector<const Pod*> found;
  std::set<std::string_view> live;  // indexes
  for (const auto& pod : seen.pods) {
    if (pod->ended() || objects::value_of(pod->meta.labels, names::kPodSet) != pods.name) continue;
    if (has_gate(*pod, names::kElasticGate)) continue;  // its slice is not there yet
    found.push_back(pod.get());
    if (!pod->terminating()) live.insert(objects::value_of(pod->meta.labels, index_label));
  }
  live.erase("");
  std::erase_if(found, [&](const Pod* pod) {
    return pod->terminating() && live.contains(objects::value_of(pod->meta.labels, index_label));
  });
  return found;
}

}  // namespace

std::vector<Write> ungate_by_topology(const PlacementView& seen) {
  std::vector<Write> writes;
  const objects::Workload& workload = seen.workload;
  if (!objects::is_true(workload.status.conditions, objects::conditions::kAdmitted)) return writes;
  for (const PodSet& pods : workload.pod_sets) {
    const auto& assigned = workload.status.admission->pod_sets;
    const auto mine = std::ranges::find(assigned, pods.name, &PodSetAssignment::name);
    if (mine == assigned.end() || !mine->topology) continue;
    const std::vector<const Pod*> found = pods_of(seen, pods);
    if (std::ranges::none_of(found, [](const Pod* pod) { return gated(*pod); })) continue;

    const topology::Assignment assignment = to_assignment(*mine->topology);
    std::vector<topology::PlacedPod> shapes;
    for (const Pod* pod : found) shapes.push_back(placed(*pod, pods, assignment.levels));
    const topology::RankRules rules =
        rules_of(workload, pods, found.empty() ? nullptr : found.front());
    for (const auto& [pod, domain] :
         topology::domains_of_gated(assignment, shapes, rules, workload.status.unhealthy_nodes)) {
      UngatePod ungate{
          found[pod]->meta.key, found[pod]->meta.uid, {std::string(names::kTopologyGate)}, {}};
      for (std::size_t level = 0; level < assignment.levels.size(); ++level) {
        ungate.node_selector[assignment.levels[level]] = assignment.domains[domain].values[level];
      }
      writes.push_back(std::move(ungate));
    }
  }
  return writes;
}

}  // namespace quorate::controller
