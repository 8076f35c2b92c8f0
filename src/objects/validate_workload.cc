#include <algorithm>

#include "src/objects/schema_rules.h"
#include "src/objects/validate.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

constexpr std::size_t kMaxPodSets = 18;

template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& each : list) names.push_back(each.name);
  return names;
}

void topology_rules(SchemaRules& schema, const TopologyRequest& request, const std::string& path) {
  const auto length = [&](const char* field, const std::optional<std::string>& text,
                          std::size_t most) {
    if (text) schema.length(path + field, *text, 0, most);
  };
  length(".required", request.required, 63);
  length(".preferred", request.preferred, 63);
  length(".podIndexLabel", request.pod_index_label, 317);
  length(".subGroupIndexLabel", request.sub_group_index_label, 317);
  length(".podSetGroupName", request.pod_set_group_name, 256);
  length(".podSetSliceRequiredTopology", request.slice_required_topology, 63);
  if (request.sub_group_count)
    schema.at_least(path + ".subGroupCount", *request.sub_group_count, 0);
  if (request.slice_size) schema.at_least(path + ".podSetSliceSize", *request.slice_size, 1);
  const std::string constraints = path + ".podsetSliceRequiredTopologyConstraints";
  schema.items(constraints, request.slice_constraints.size(), 0, 3);
  for (std::size_t i = 0; i < request.slice_constraints.size(); ++i) {
    schema.length(at(constraints, i) + ".topology", request.slice_constraints[i].topology, 1, 63);
    schema.at_least(at(constraints, i) + ".size", request.slice_constraints[i].size, 1);
  }
}

void pod_set_rules(SchemaRules& schema, const Workload& workload) {
  const std::string root = "spec.podSets";
  schema.items(root, workload.pod_sets.size(), 1, kMaxPodSets);
  schema.unique(root, names_of(workload.pod_sets));
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const PodSet& set = workload.pod_sets[i];
    const std::string path = at(root, i);
    schema.label(path + ".name", set.name);
    schema.at_least(path + ".count", set.count, 0);
    if (set.min_count) {
      schema.at_least(path + ".minCount", *set.min_count, 1);
      schema.rule(*set.min_count <= set.count, path,
                  "minCount should be positive and less or equal to count");
    }
    if (set.topology) topology_rules(schema, *set.topology, path + ".topologyRequest");
  }
}

void priority_rules(SchemaRules& schema, const Workload& workload) {
  if (!workload.priority_class) return;
  const PriorityClassRef& ref = *workload.priority_class;
  const std::string path = "spec.priorityClassRef";
  schema.rule(workload.priority.has_value(), "spec",
              "priority should not be nil when priorityClassRef is set");
  schema.one_of(path + ".group", ref.group, {"kueue.x-k8s.io", "scheduling.k8s.io"});
  schema.one_of(path + ".kind", ref.kind, {"WorkloadPriorityClass", "PriorityClass"});
  schema.rule(ref.group != "scheduling.k8s.io" || ref.kind == "PriorityClass", path,
              "only the PriorityClass kind is allowed for the scheduling.k8s.io group");
  schema.rule(ref.group != "kueue.x-k8s.io" || ref.kind == "WorkloadPriorityClass", path,
              "only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group");
  schema.subdomain(path + ".name", ref.name, true);
}

void status_rules(SchemaRules& schema, const Workload& workload) {
  const WorkloadStatus& status = workload.status;
  schema.items("status.conditions", status.conditions.size(), 0, 16);
  schema.items("status.admissionChecks", status.admission_checks.size(), 0, 8);
  schema.unique("status.admissionChecks", names_of(status.admission_checks));
  for (std::size_t i = 0; i < status.admission_checks.size(); ++i) {
    const AdmissionCheckState& check = status.admission_checks[i];
    const std::string path = at("status.admissionChecks", i);
    schema.length(path + ".name", check.name, 1, 316);
    schema.items(path + ".podSetUpdates", check.pod_set_updates.size(), 0, kMaxPodSets);
    for (std::size_t j = 0; j < check.pod_set_updates.size(); ++j) {
      schema.tolerations(at(path + ".podSetUpdates", j) + ".tolerations",
                         check.pod_set_updates[j].tolerations);
    }
  }
  schema.items("status.reclaimablePods", status.reclaimable_pods.size(), 0, kMaxPodSets);
  schema.unique("status.reclaimablePods", names_of(status.reclaimable_pods));
  for (std::size_t i = 0; i < status.reclaimable_pods.size(); ++i) {
    schema.at_least(at("status.reclaimablePods", i) + ".count", status.reclaimable_pods[i].count,
                    0);
  }
  schema.items("status.nominatedClusterNames", status.nominated_cluster_names.size(), 0, 20);
  schema.rule(status.cluster_name.empty() || status.nominated_cluster_names.empty(), "status",
              "clusterName and nominatedClusterNames are mutually exclusive");
  if (!status.admission) return;
  const std::string root = "status.admission.podSetAssignments";
  schema.subdomain("status.admission.clusterQueue", status.admission->cluster_queue);
  schema.items(root, status.admission->pod_sets.size(), 0, kMaxPodSets);
  schema.unique(root, names_of(status.admission->pod_sets));
  for (std::size_t i = 0; i < status.admission->pod_sets.size(); ++i) {
    schema.at_least(at(root, i) + ".count", status.admission->pod_sets[i].count.value_or(0), 0);
  }
  if (is_true(status.conditions, conditions::kQuotaReserved)) {
    schema.rule(status.admission->pod_sets.size() == workload.pod_sets.size(), "status.admission",
                "podSetAssignments must have the same number of podSets as the spec");
  }
}

}  // namespace

FieldErrors validate(const Workload& workload) {
  SchemaRules schema;
  schema.name(workload.meta);
  pod_set_rules(schema, workload);
  priority_rules(schema, workload);
  schema.subdomain("spec.queueName", workload.queue_name);
  if (workload.maximum_execution_seconds) {
    schema.at_least("spec.maximumExecutionTimeSeconds", *workload.maximum_execution_seconds, 1);
  }
  schema.items("spec.preemptionGates", workload.preemption_gates.size(), 0, 8);
  schema.unique("spec.preemptionGates", workload.preemption_gates);
  for (std::size_t i = 0; i < workload.preemption_gates.size(); ++i) {
    schema.length(at("spec.preemptionGates", i) + ".name", workload.preemption_gates[i], 1, 63);
  }
  status_rules(schema, workload);
  if (!schema.errors.empty()) return std::move(schema.errors);
  return webhook_faults(workload, nullptr, FeatureGates{});
}

}  // namespace quorate::objects
