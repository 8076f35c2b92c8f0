#include "controller/reconcile/job_workload.h"

#include <algorithm>

#include "controller/reconcile/placement_reconciler.h"
#include "src/objects/field_error.h"
#include "src/objects/names.h"

namespace quorate::controller {
namespace {

namespace names = objects::names;

bool same_containers(const PodTemplate& a, const PodTemplate& b) {
  return a.containers == b.containers && a.init_containers == b.init_containers;
}

// Adds `extra` to `into`; a key that stands there with another value is a conflict.
Outcome<void> merge(Labels& into, const Labels& extra, std::string_view what) {
  for (const auto& [key, value] : extra) {
    const auto [found, fresh] = into.emplace(key, value);
    if (!fresh && found->second != value) {
      return error(Errc::Invalid, "invalid podset infos: conflict for " + std::string(what) +
                                      " key \"" + key + "\": \"" + found->second + "\" and \"" +
                                      value + "\"");
    }
  }
  return {};
}

void merge(std::vector<Toleration>& into, const std::vector<Toleration>& extra) {
  for (const Toleration& toleration : extra) {
    if (std::ranges::find(into, toleration) == into.end()) into.push_back(toleration);
  }
}

// Pods with places wait for theirs. The annotation marks them where the template asks for nothing.
void gate_by_topology(Labels& annotations, std::vector<std::string>& gates) {
  if (std::ranges::find(gates, names::kTopologyGate) == gates.end()) {
    gates.emplace_back(names::kTopologyGate);
  }
  for (const std::string_view key :
       {names::kRequiredTopology, names::kPreferredTopology, names::kUnconstrainedTopology}) {
    if (!objects::value_of(annotations, key).empty()) return;
  }
  annotations[std::string(names::kUnconstrainedTopology)] = "true";
}

}  // namespace

bool describes(const objects::Workload& workload, const objects::Job& job,
               const objects::PodSet& pod_set) {
  if (workload.pod_sets.size() != 1) return false;
  const objects::PodSet& kept = workload.pod_sets.front();
  if (workload.maximum_execution_seconds != jobs::time_limit(job)) return false;
  if (!same_containers(*kept.pod_template.parsed, *pod_set.pod_template.parsed)) return false;

  const auto& conditions = workload.status.conditions;
  const bool reserved = objects::is_true(conditions, objects::conditions::kQuotaReserved);
  const bool admitted = objects::is_true(conditions, objects::conditions::kAdmitted);
  // A stopped Job carries what its last admission added until it is restored.
  const bool injected = !objects::value_of(job.pod_template.parsed->labels, names::kPodSet).empty();
  if (!admitted && !injected &&
      kept.pod_template.parsed->tolerations != pod_set.pod_template.parsed->tolerations) {
    return false;
  }
  if (kept.count == pod_set.count) {
    if (reserved) return true;
    return kept.min_count == pod_set.min_count;
  }
  if (!kept.min_count) return false;
  return injected || (reserved && admitted_count(workload) == pod_set.count);
}

std::int32_t admitted_count(const objects::Workload& workload) {
  const std::int32_t whole = workload.pod_sets.empty() ? 0 : workload.pod_sets.front().count;
  if (!workload.status.admission || workload.status.admission->pod_sets.empty()) return whole;
  return workload.status.admission->pod_sets.front().count.value_or(whole);
}

Outcome<objects::JobChange> start_change(const objects::Job& job, const objects::Workload& workload,
                                         const FlavorsByName& flavors,
                                         const ReconcileSettings& settings) {
  if (!workload.status.admission || workload.status.admission->pod_sets.size() != 1 ||
      workload.pod_sets.size() != 1) {
    return error(Errc::Invalid, "invalid podset infos: expecting 1 podset");
  }
  const objects::PodSetAssignment& assignment = workload.status.admission->pod_sets.front();
  const PodTemplate& pod = *job.pod_template.parsed;
  Labels labels = pod.labels;
  Labels annotations = pod.annotations;
  Labels selector = pod.node_selector;
  std::vector<Toleration> tolerations = pod.tolerations;

  std::vector<std::string> assigned;  // each flavor once, in the order of its first resource
  for (const auto& [resource, flavor] : assignment.flavors) {
    if (std::ranges::find(assigned, flavor) == assigned.end()) assigned.push_back(flavor);
  }
  for (const std::string& name : assigned) {
    const auto flavor = flavors.find(name);
    if (flavor == flavors.end()) {
      return error(Errc::NotFound, "ResourceFlavor \"" + name + "\" not found");
    }
    if (auto merged = merge(selector, flavor->second.node_labels, "nodeSelector"); !merged) {
      return tl::unexpected(merged.error());
    }
    merge(tolerations, flavor->second.tolerations);
  }

  Labels added_labels{{std::string(names::kPodSet), workload.pod_sets.front().name}};
  if (settings.queue_labels_for_pods) {
    const auto add_name = [&](std::string_view key, const std::string& name) {
      if (!name.empty() && objects::dns_label_faults(name).empty()) {
        added_labels[std::string(key)] = name;
      }
    };
    add_name(names::kLocalQueueName, workload.queue_name);
    add_name(names::kClusterQueueName, workload.status.admission->cluster_queue);
  }
  if (auto merged = merge(labels, added_labels, "label"); !merged) {
    return tl::unexpected(merged.error());
  }
  std::vector<std::string> gates = pod.scheduling_gates;
  if (settings.topology_aware) {
    annotations[std::string(names::kWorkload)] = workload.meta.key.name;
    if (assignment.topology) gate_by_topology(annotations, gates);
  }
  for (const objects::AdmissionCheckState& check : workload.status.admission_checks) {
    for (const objects::PodSetUpdate& update : check.pod_set_updates) {
      if (update.name != workload.pod_sets.front().name) continue;
      for (auto merged : {merge(labels, update.labels, "label"),
                          merge(annotations, update.annotations, "annotation"),
                          merge(selector, update.node_selector, "nodeSelector")}) {
        if (!merged) return tl::unexpected(merged.error());
      }
      merge(tolerations, update.tolerations);
    }
  }

  objects::JobChange change;
  change.suspend = false;
  change.template_labels = std::move(labels);
  change.template_annotations = std::move(annotations);
  change.node_selector = std::move(selector);
  change.tolerations = std::move(tolerations);
  change.scheduling_gates = std::move(gates);
  const std::int32_t count = admitted_count(workload);
  const bool elastic = jobs::is_elastic(job, settings);
  if (elastic) {
    // One that the webhook has not seen: what it grows by later waits for its slice all the same.
    std::vector<std::string>& held = *change.scheduling_gates;
    if (std::ranges::find(held, names::kElasticGate) == held.end()) {
      held.emplace_back(names::kElasticGate);
    }
    (*change.template_annotations)[std::string(names::kSliceName)] = name_for_pods(workload);
  }
  // Of an elastic Job those that no slice holds quota for stay behind their gate.
  if (!elastic && count != objects::pod_count(job)) {
    change.parallelism = count;
    if (objects::value_of(job.meta.annotations, names::kJobCompletionsEqualParallelism) == "true") {
      change.completions = count;
    }
  }
  return change;
}

objects::JobChange restore_change(const objects::Job& job, const objects::Workload* workload) {
  objects::JobChange change;
  Labels annotations = job.meta.annotations;
  annotations.erase(std::string(names::kStopping));
  change.annotations = std::move(annotations);
  if (workload == nullptr || workload->pod_sets.size() != 1) return change;

  const objects::PodSet& kept = workload->pod_sets.front();
  const PodTemplate& pod = *kept.pod_template.parsed;
  Labels labels = pod.labels;
  for (const std::string_view key : {"job-name", "controller-uid", "batch.kubernetes.io/job-name",
                                     "batch.kubernetes.io/controller-uid"}) {
    const auto found = job.pod_template.parsed->labels.find(key);
    if (found != job.pod_template.parsed->labels.end()) labels[found->first] = found->second;
  }
  change.template_labels = std::move(labels);
  change.template_annotations = pod.annotations;
  change.node_selector = pod.node_selector;
  change.tolerations = pod.tolerations;
  change.scheduling_gates = pod.scheduling_gates;
  if (kept.min_count && kept.count != objects::pod_count(job)) {
    change.parallelism = kept.count;
    if (objects::value_of(job.meta.annotations, names::kJobCompletionsEqualParallelism) == "true") {
      change.completions = kept.count;
    }
  }
  return change;
}

std::int32_t pods_left(const objects::Job& job) {
  const std::int32_t completions = job.completions.value_or(job.parallelism.value_or(1));
  std::int32_t ended = job.status.succeeded;
  if (job.indexed) {
    // The two lists are disjoint: an index that failed for good does not complete.
    ended = objects::index_count(job.status.completed_indexes, completions) +
            objects::index_count(job.status.failed_indexes, completions);
  }
  return std::max(completions - std::max(ended, 0), 0);
}

std::int32_t reclaimable_pods(const objects::Job& job) {
  const std::int32_t parallelism = job.parallelism.value_or(1);
  const std::int32_t left = pods_left(job);
  if (parallelism <= 1 || left == job.completions.value_or(parallelism)) return 0;
  return std::max(parallelism - left, 0);
}

}  // namespace quorate::controller
