#include <array>

#include "src/objects/read.h"
#include "src/objects/topology_assignment.h"

namespace quorate::objects {
namespace {

constexpr std::array<std::pair<std::string_view, CheckState>, 4> kCheckStates{
    {{"Pending", CheckState::Pending},
     {"Ready", CheckState::Ready},
     {"Retry", CheckState::Retry},
     {"Rejected", CheckState::Rejected}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kPositions{
    {{"Closed", false}, {"Open", true}}};

TopologyRequest read_topology_request(Json json) {
  TopologyRequest request{
      .required = json["required"].maybe_text(),
      .preferred = json["preferred"].maybe_text(),
      .unconstrained = json["unconstrained"].maybe_boolean(),
      .pod_index_label = json["podIndexLabel"].maybe_text(),
      .sub_group_index_label = json["subGroupIndexLabel"].maybe_text(),
      .sub_group_count = json["subGroupCount"].maybe_int32(),
      .pod_set_group_name = json["podSetGroupName"].maybe_text(),
      .slice_required_topology = json["podSetSliceRequiredTopology"].maybe_text(),
      .slice_size = json["podSetSliceSize"].maybe_int32()};
  json["podsetSliceRequiredTopologyConstraints"].each([&](Json each) {
    request.slice_constraints.push_back({each["topology"].text(), each["size"].int32()});
  });
  return request;
}

std::vector<PodSet> read_pod_sets(Json json) {
  std::vector<PodSet> all;
  json.each([&](Json each) {
    PodSet& set = all.emplace_back();
    set.name = each["name"].text("main");
    if (!each["template"].present()) each["template"].fail("Required value");
    set.pod_template = read_template(each["template"]);
    set.count = each["count"].int32(1);
    set.min_count = each["minCount"].maybe_int32();
    if (each["topologyRequest"].present()) {
      set.topology = read_topology_request(each["topologyRequest"]);
    }
  });
  return all;
}

std::optional<PriorityClassRef> read_priority_class(Json spec, bool v1beta1) {
  if (v1beta1) {
    const std::string source = spec["priorityClassSource"].text();
    std::string name = spec["priorityClassName"].text();
    if (source == "kueue.x-k8s.io/workloadpriorityclass") {
      return PriorityClassRef{"kueue.x-k8s.io", "WorkloadPriorityClass", std::move(name)};
    }
    if (source == "scheduling.k8s.io/priorityclass") {
      return PriorityClassRef{"scheduling.k8s.io", "PriorityClass", std::move(name)};
    }
    return std::nullopt;  // the source was lost, and the name says nothing without it
  }
  const Json ref = spec["priorityClassRef"];
  if (!ref.present()) return std::nullopt;
  return PriorityClassRef{ref["group"].text(), ref["kind"].text(), ref["name"].text()};
}

Admission read_admission(Json json) {
  Admission admission{.cluster_queue = json["clusterQueue"].text()};
  json["podSetAssignments"].each([&](Json each) {
    PodSetAssignment& assignment = admission.pod_sets.emplace_back();
    assignment.name = each["name"].text("main");
    each["flavors"].members([&](std::string_view resource, Json flavor) {
      assignment.flavors[std::string(resource)] = flavor.text();
    });
    assignment.usage = each["resourceUsage"].resources();
    assignment.count = each["count"].maybe_int32();
    if (each["topologyAssignment"].present()) {
      assignment.topology = read_topology_assignment(each["topologyAssignment"]);
    }
    assignment.delayed_topology_request = each["delayedTopologyRequest"].text();
  });
  return admission;
}

std::vector<AdmissionCheckState> read_check_states(Json json) {
  std::vector<AdmissionCheckState> all;
  json.each([&](Json each) {
    AdmissionCheckState& check = all.emplace_back();
    check.name = each["name"].text();
    check.state = each["state"].choice(kCheckStates).value_or(CheckState::Pending);
    check.message = each["message"].text();
    check.last_transition = each["lastTransitionTime"].maybe_time().value_or(Time{});
    check.requeue_after_seconds = each["requeueAfterSeconds"].maybe_int32();
    check.retry_count = each["retryCount"].maybe_int32();
    each["podSetUpdates"].each([&](Json update) {
      check.pod_set_updates.push_back({.name = update["name"].text(),
                                       .labels = update["labels"].labels(),
                                       .annotations = update["annotations"].labels(),
                                       .node_selector = update["nodeSelector"].labels(),
                                       .tolerations = read_tolerations(update["tolerations"])});
    });
  });
  return all;
}

WorkloadStatus read_status(Json json, bool v1beta1) {
  WorkloadStatus status;
  status.conditions = read_conditions(json["conditions"]);
  if (json["admission"].present()) status.admission = read_admission(json["admission"]);
  status.admission_checks = read_check_states(json["admissionChecks"]);
  if (const Json requeue = json["requeueState"]; requeue.present()) {
    status.requeue =
        RequeueState{requeue["count"].maybe_int32(), requeue["requeueAt"].maybe_time()};
  }
  json["reclaimablePods"].each([&](Json each) {
    status.reclaimable_pods.push_back({each["name"].text(), each["count"].int32()});
  });
  json["resourceRequests"].each([&](Json each) {
    status.resource_requests.push_back({each["name"].text(), each["resources"].resources()});
  });
  status.accumulated_past_execution_seconds =
      json[v1beta1 ? "accumulatedPastExexcutionTimeSeconds" : "accumulatedPastExecutionTimeSeconds"]
          .maybe_int32();
  json["schedulingStats"]["evictions"].each([&](Json each) {
    status.evictions.push_back(
        {each["reason"].text(), each["underlyingCause"].text(), each["count"].int32()});
  });
  json["unhealthyNodes"].each(
      [&](Json each) { status.unhealthy_nodes.push_back(each["name"].text()); });
  status.nominated_cluster_names = json["nominatedClusterNames"].texts();
  status.cluster_name = json["clusterName"].text();
  json["preemptionGates"].each([&](Json each) {
    status.preemption_gates.push_back(
        {.name = each["name"].text(),
         .open = each["position"].choice(kPositions).value_or(false),
         .last_transition = each["lastTransitionTime"].maybe_time().value_or(Time{})});
  });
  return status;
}

}  // namespace

void read(Json json, std::string_view api_version, Workload& workload) {
  const bool v1beta1 = api_version.ends_with("/v1beta1");
  workload.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  workload.active = spec["active"].boolean(true);
  workload.queue_name = spec["queueName"].text();
  workload.pod_sets = read_pod_sets(spec["podSets"]);
  workload.priority = spec["priority"].maybe_int32();
  workload.priority_class = read_priority_class(spec, v1beta1);
  workload.maximum_execution_seconds = spec["maximumExecutionTimeSeconds"].maybe_int32();
  spec["preemptionGates"].each(
      [&](Json gate) { workload.preemption_gates.push_back(gate["name"].text()); });
  workload.status = read_status(json["status"], v1beta1);
}

}  // namespace quorate::objects
