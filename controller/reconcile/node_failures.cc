#include "controller/reconcile/node_failures.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace names = objects::names;
using objects::Node;
using objects::Pod;
using objects::PodSetAssignment;
using objects::Workload;

constexpr Duration kNotReadyFor = Duration::seconds(30);

// What a pod set's pods tolerate once they run: by themselves, through their flavors and checks.
std::vector<Toleration> tolerations_of(const PlacementView& seen, const PodSetAssignment& pods) {
  std::vector<Toleration> all;
  for (const objects::PodSet& one : seen.workload.pod_sets) {
    if (one.name == pods.name) all = one.pod_template.parsed->tolerations;
  }
  const auto add = [&](const std::vector<Toleration>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& [resource, name] : pods.flavors) {
    if (const auto flavor = seen.flavors.find(name); flavor != seen.flavors.end()) {
      add(flavor->second.tolerations);
    }
  }
  for (const objects::AdmissionCheckState& check : seen.workload.status.admission_checks) {
    for (const objects::PodSetUpdate& update : check.pod_set_updates) {
      if (update.name == pods.name) add(update.tolerations);
    }
  }
  return all;
}

bool tolerates_for_ever(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const Toleration& one) {
    return tolerates(one, taint) && !one.toleration_seconds;
  });
}

class Hosts {
 public:
  Hosts(const PlacementView& seen, const ReconcileSettings& settings, Time now)
      : seen_(seen), settings_(settings), now_(now) {}

  bool failed(const std::string& host);
  // Zero: no host will have failed by the passing of time alone.
  Duration look_again() const { return look_again_; }

 private:
  bool progressing(const Node& node) const {
    return std::ranges::any_of(seen_.pods, [&](const auto& pod) {
      return pod->node_name == node.meta.key.name && !pod->ended() && !pod->terminating();
    });
  }
  bool all_succeeded(const Node& node, const std::string& host) const;
  bool not_ready_for_long(const objects::Condition& ready);
  bool tainted(const Node& node, const std::string& host) const;

  const PlacementView& seen_;
  const ReconcileSettings& settings_;
  const Time now_;
  Duration look_again_;
};

std::int64_t pods_on(const PodSetAssignment& pods, const std::string& host) {
  std::int64_t sum = 0;
  if (!on_hosts(pods)) return sum;
  for (const objects::TopologyDomain& domain : pods.topology->domains) {
    if (domain.values.front() == host) sum += domain.count;
  }
  return sum;
}

bool Hosts::all_succeeded(const Node& node, const std::string& host) const {
  std::int64_t wanted = 0;
  for (const PodSetAssignment& pods : seen_.workload.status.admission->pod_sets) {
    wanted += pods_on(pods, host);
  }
  return std::ranges::count_if(seen_.pods, [&](const auto& pod) {
           return pod->node_name == node.meta.key.name &&
                  pod->phase == objects::PodPhase::Succeeded;
         }) >= wanted;
}

bool Hosts::not_ready_for_long(const objects::Condition& ready) {
  if (settings_.replace_on_termination && !settings_.replace_after_fixed_time) return false;
  const Time due = ready.last_transition + kNotReadyFor;
  if (due <= now_) return true;
  const Duration left = due - now_;
  look_again_ = look_again_ > Duration{} ? std::min(look_again_, left) : left;
  return false;
}

bool Hosts::tainted(const Node& node, const std::string& host) const {
  for (const PodSetAssignment& pods : seen_.workload.status.admission->pod_sets) {
    if (pods_on(pods, host) == 0) continue;
    const std::vector<Toleration> tolerations = tolerations_of(seen_, pods);
    for (const Taint& taint : node.taints) {
      const bool counts = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
      if (counts && !tolerates_for_ever(tolerations, taint)) return true;
    }
  }
  return false;
}

bool Hosts::failed(const std::string& host) {
  const auto found = seen_.nodes.find(host);
  if (found == seen_.nodes.end()) return true;
  const Node& node = *found->second;
  if (all_succeeded(node, host)) return false;
  const objects::Condition* ready = objects::find_condition(node.conditions, "Ready");
  if (ready == nullptr) return true;
  if (ready->status != objects::ConditionStatus::True) {
    if (not_ready_for_long(*ready)) return true;
    return settings_.replace_on_termination && !progressing(node);
  }
  return settings_.replace_on_taints && tainted(node, host) && !progressing(node);
}

// Ends pods that wait for a host that they will never get; their owner makes new ones.
void end_waiting_pods(const PlacementView& seen, const std::vector<std::string>& hosts,
                      const std::vector<std::string>& failed, Time now, Plan& plan) {
  constexpr const char* kWhy = "Pod terminated by Kueue NodeController due to node taint";
  for (const auto& pod : seen.pods) {
    const std::string_view pod_set = objects::value_of(pod->meta.labels, names::kPodSet);
    const bool placed = std::ranges::any_of(
        seen.workload.status.admission->pod_sets,
        [&](const PodSetAssignment& pods) { return pods.name == pod_set && on_hosts(pods); });
    if (!placed) continue;
    const bool waits = pod->phase == objects::PodPhase::Pending && pod->node_name.empty() &&
                       pod->spec->scheduling_gates.empty() && !pod->terminating();
    const std::string host(objects::value_of(pod->spec->node_selector, names::kHostname));
    if (!waits || host.empty()) continue;
    const bool lost = !std::ranges::binary_search(hosts, host) ||
                      (std::ranges::binary_search(failed, host) && seen.nodes.contains(host));
    if (!lost) continue;
    plan.writes.push_back(FailPod{pod->meta.key, pod->meta.uid,
                                  objects::Condition{.type = "TerminatedByKueue",
                                                     .status = objects::ConditionStatus::True,
                                                     .reason = "UnschedulableOnAssignedNode",
                                                     .message = kWhy,
                                                     .last_transition = now}});
    kube::Event event;
    event.regarding = {"v1", "Pod", pod->meta.key, pod->meta.uid, ""};
    event.reason = "PodTerminated";
    event.note = kWhy;
    plan.writes.push_back(std::move(event));
  }
}

}  // namespace

bool on_hosts(const PodSetAssignment& pods) {
  return pods.topology && pods.topology->levels.size() == 1 &&
         pods.topology->levels.front() == names::kHostname;
}

Plan node_failures(const PlacementView& seen, const ReconcileSettings& settings, Time now) {
  Plan plan;
  const Workload& workload = seen.workload;
  const std::vector<std::string> hosts = hosts_of(workload);
  if (hosts.empty()) return plan;
  Hosts look(seen, settings, now);
  std::vector<std::string> failed;  // sorted, as the hosts are
  std::ranges::copy_if(hosts, std::back_inserter(failed),
                       [&](const std::string& host) { return look.failed(host); });
  plan.look_again = look.look_again();

  const std::vector<std::string>& known = workload.status.unhealthy_nodes;
  std::vector<std::string> nodes;  // what is known first, then what is new
  std::ranges::copy_if(known, std::back_inserter(nodes), [&](const std::string& host) {
    return std::ranges::binary_search(failed, host);
  });
  std::ranges::copy_if(failed, std::back_inserter(nodes), [&](const std::string& host) {
    return std::ranges::find(known, host) == known.end();
  });
  if (nodes != known) {
    const bool evict = nodes.size() > 1;
    plan.writes.push_back(
        RecordFailedNodes{workload.meta.key, workload.meta.uid, std::move(nodes), evict});
    if (evict) return plan;
  }
  end_waiting_pods(seen, hosts, failed, now, plan);
  return plan;
}

}  // namespace quorate::controller
