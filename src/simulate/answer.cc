#include "src/simulate/answer.h"

#include <algorithm>
#include <set>
#include <variant>

#include "src/simulate/write_status.h"

namespace quorate::simulate {
namespace {

admission::Admission from_object(const objects::Admission& object) {
  admission::Admission admission{object.cluster_queue, {}};
  for (const objects::PodSetAssignment& each : object.pod_sets) {
    admission::PodSetAssignment& out = admission.pod_sets.emplace_back();
    out.name = each.name;
    out.flavors = each.flavors;
    out.usage = each.usage;
    out.count = each.count.value_or(0);
    if (!each.topology) continue;
    out.topology.emplace().levels = each.topology->levels;
    for (const objects::TopologyDomain& domain : each.topology->domains) {
      out.topology->domains.push_back({domain.values, domain.count});
    }
  }
  return admission;
}

struct Collector {
  CycleAnswer& answer;
  const Cycle& cycle;
  const SimulatedCluster& cluster;

  const objects::Workload* find(const ObjectKey& key) const {
    const auto& all = cluster.objects().of<objects::Workload>();
    const auto found = all.find(key);
    return found == all.end() ? nullptr : &found->second;
  }

  void operator()(const admission::Admit& d) const {
    answer.admitted.push_back(
        {d.workload, d.admission.cluster_queue, d.admitted, d.admission.pod_sets});
    ++answer.trials;
  }
  void operator()(const admission::ConfirmAdmission& d) const {
    const objects::Workload* workload = find(d.workload);
    if (workload == nullptr || !workload->status.admission) return;
    admission::Admission admission = from_object(*workload->status.admission);
    answer.admitted.push_back(
        {d.workload, std::move(admission.cluster_queue), true, std::move(admission.pod_sets)});
  }
  void operator()(const admission::Hold& d) const {
    const objects::Workload* workload = find(d.workload);
    answer.pending.push_back({d.workload,
                              workload == nullptr ? std::string() : cluster.queue_of(*workload),
                              cycle.parked.contains(d.workload), d.proof, d.reason, d.message});
    ++answer.trials;
  }
  void operator()(const admission::Evict& d) const {
    if (d.preemption_reason.empty()) {
      answer.evicted.push_back({d.workload, d.preemptor, d.reason, d.message});
    } else {
      answer.preempted.push_back({d.workload, d.preemptor, d.preemption_reason, d.message});
    }
  }
  void operator()(const admission::DropReservation& d) const {
    answer.evicted.push_back({d.workload, std::nullopt, d.reason, d.message});
  }
  void operator()(const admission::Finish& d) const {
    answer.evicted.push_back({d.workload, std::nullopt, d.reason, d.message});
  }
  void operator()(const admission::Requeue&) const {}
  void operator()(const admission::Deactivate&) const {}  // shows as the eviction that follows
  void operator()(const admission::Postpone&) const {}
  void operator()(const admission::ListChecks&) const {}
};

}  // namespace

WaitingEntry waiting_entry(const objects::Workload& workload, const SimulatedCluster& cluster,
                           bool parked) {
  WaitingEntry entry{workload.meta.key, cluster.queue_of(workload), parked, {}, "", ""};
  const objects::Condition* shown =
      objects::find_condition(workload.status.conditions, objects::conditions::kQuotaReserved);
  std::optional<admission::Hold> hold =
      cluster.engine().admission_views().waiting(workload.meta.key);
  if (hold) entry.proof = std::move(hold->proof);
  if (shown != nullptr) {
    entry.reason = shown->reason;
    entry.message = shown->message;
  } else if (hold) {
    entry.reason = std::move(hold->reason);
    entry.message = std::move(hold->message);
  } else {
    entry.reason = "PendingEvaluation";
    entry.message = "Workload is pending evaluation in the scheduling queue";
  }
  return entry;
}

CycleAnswer answer_of(const Cycle& cycle, const SimulatedCluster& cluster,
                      SimulatedCluster::Survey survey) {
  CycleAnswer answer{.number = cycle.number, .now = cycle.now};
  answer.decisions = static_cast<std::int64_t>(cycle.decisions.size());
  answer.wall = cycle.wall;
  for (const admission::Decision& decision : cycle.decisions) {
    std::visit(Collector{answer, cycle, cluster}, decision);
  }
  if (survey == SimulatedCluster::Survey::All) {
    std::set<ObjectKey> told;
    for (const WaitingEntry& each : answer.pending) told.insert(each.workload);
    for (const EvictedEntry& each : answer.preempted) told.insert(each.workload);
    for (const EvictedEntry& each : answer.evicted) told.insert(each.workload);
    for (const auto& [key, workload] : cluster.objects().of<objects::Workload>()) {
      if (reserved(workload) || finished(workload) || told.contains(key)) continue;
      answer.pending.push_back(waiting_entry(workload, cluster, cycle.parked.contains(key)));
    }
  }
  std::ranges::stable_sort(answer.admitted, {}, &AdmittedEntry::workload);
  std::ranges::stable_sort(answer.preempted, {}, &EvictedEntry::workload);
  std::ranges::stable_sort(answer.evicted, {}, &EvictedEntry::workload);
  std::ranges::stable_sort(answer.pending, {}, &WaitingEntry::workload);
  return answer;
}

FinalAnswer final_of(const SimulatedCluster& cluster) {
  FinalAnswer final;
  const admission::Views& views = cluster.engine().admission_views();
  for (const std::string& name : views.cluster_queues()) {
    auto& usage = final.usage[name];
    if (const std::optional<admission::QueueView> view = views.cluster_queue(name)) {
      for (const admission::ResourceUsageView& each : view->reservation) {
        usage[each.flavor][each.resource] = each.total;
      }
      if (view->share) final.queue_shares[name] = view->share->weighted();
    }
    FinalAnswer::Queue& queue = final.queues[name];
    queue.inadmissible = views.parked(name);
    std::ranges::sort(queue.inadmissible);
    for (ObjectKey& key : views.pending(name)) {
      if (!std::ranges::binary_search(queue.inadmissible, key))
        queue.active.push_back(std::move(key));
    }
  }
  for (const auto& [key, cohort] : cluster.objects().of<objects::Cohort>()) {
    if (const auto share = views.cohort_share(key.name)) {
      final.cohort_shares[key.name] = share->weighted();
    }
  }
  for (const ObjectKey& key : views.local_queues()) {
    const std::optional<admission::QueueView> view = views.local_queue(key);
    if (view && view->consumed) final.consumed[key] = view->consumed->resources;
  }
  final.workloads = cluster.objects().of<objects::Workload>();
  for (const auto& [key, workload] : final.workloads) {
    if (reserved(workload) || finished(workload)) continue;
    const auto queue = final.queues.find(cluster.queue_of(workload));
    const bool parked =
        queue != final.queues.end() && std::ranges::binary_search(queue->second.inadmissible, key);
    final.waiting.emplace(key, waiting_entry(workload, cluster, parked));
  }
  return final;
}

std::string_view text_of(admission::Layer layer) {
  using admission::Layer;
  switch (layer) {
    case Layer::Queue:
      return "queue";
    case Layer::Quota:
      return "quota";
    case Layer::Check:
      return "check";
    case Layer::Topology:
      return "topology";
    case Layer::Gang:
      return "gang";
    case Layer::Device:
      return "device";
    case Layer::Node:
      return "node";
    case Layer::Startup:
      return "startup";
  }
  return "queue";
}

std::string text_of(const admission::Scope& scope) {
  return (scope.kind == admission::Scope::Kind::Cohort ? "cohort/" : "clusterQueue/") + scope.name;
}

}  // namespace quorate::simulate
