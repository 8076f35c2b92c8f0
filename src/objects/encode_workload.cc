#include "src/objects/encode.h"
#include "src/objects/kinds.h"
#include "src/objects/topology_assignment.h"
#include "src/objects/write.h"

namespace quorate::objects {
namespace {

std::string_view text_of(CheckState state) {
  switch (state) {
    case CheckState::Pending:
      return "Pending";
    case CheckState::Ready:
      return "Ready";
    case CheckState::Retry:
      return "Retry";
    case CheckState::Rejected:
      return "Rejected";
  }
  return "Pending";
}

void maybe_text(JsonWriter& out, std::string_view name, const std::optional<std::string>& value) {
  if (value) out.field(name, std::string_view(*value));
}

void write_topology_request(JsonWriter& out, const TopologyRequest& request) {
  out.key("topologyRequest").open();
  maybe_text(out, "podIndexLabel", request.pod_index_label);
  maybe_text(out, "podSetGroupName", request.pod_set_group_name);
  maybe_text(out, "podSetSliceRequiredTopology", request.slice_required_topology);
  out.maybe("podSetSliceSize", request.slice_size);
  if (!request.slice_constraints.empty()) {
    out.key("podsetSliceRequiredTopologyConstraints").open_list();
    for (const SliceConstraint& each : request.slice_constraints) {
      out.open()
          .field("size", each.size)
          .field("topology", std::string_view(each.topology))
          .close();
    }
    out.close_list();
  }
  maybe_text(out, "preferred", request.preferred);
  maybe_text(out, "required", request.required);
  out.maybe("subGroupCount", request.sub_group_count);
  maybe_text(out, "subGroupIndexLabel", request.sub_group_index_label);
  out.maybe("unconstrained", request.unconstrained);
  out.close();
}

void write_priority_class(JsonWriter& out, const PriorityClassRef& ref) {
  out.key("priorityClassRef").open().field("group", std::string_view(ref.group));
  out.field("kind", std::string_view(ref.kind)).field("name", std::string_view(ref.name)).close();
}

void write_spec(JsonWriter& out, const Workload& workload) {
  out.key("spec").open();
  out.field("active", workload.active);
  out.maybe("maximumExecutionTimeSeconds", workload.maximum_execution_seconds);
  write_pod_sets(out, workload.pod_sets);
  if (!workload.preemption_gates.empty()) {
    out.key("preemptionGates").open_list();
    for (const std::string& gate : workload.preemption_gates) {
      out.open().field("name", std::string_view(gate)).close();
    }
    out.close_list();
  }
  out.maybe("priority", workload.priority);
  if (workload.priority_class) write_priority_class(out, *workload.priority_class);
  out.field_unless_empty("queueName", workload.queue_name);
  out.close();
}

void write_admission(JsonWriter& out, const Admission& admission) {
  out.key("admission").open();
  out.field("clusterQueue", std::string_view(admission.cluster_queue));
  out.key("podSetAssignments").open_list();
  for (const PodSetAssignment& each : admission.pod_sets) {
    out.open().maybe("count", each.count);
    out.field_unless_empty("delayedTopologyRequest", each.delayed_topology_request);
    if (!each.flavors.empty()) {
      out.key("flavors").open();
      for (const auto& [resource, flavor] : each.flavors) {
        out.field(resource, std::string_view(flavor));
      }
      out.close();
    }
    out.field("name", std::string_view(each.name));
    out.resources("resourceUsage", each.usage);
    if (each.topology) {
      out.key("topologyAssignment");
      write_topology_assignment(out, *each.topology);
    }
    out.close();
  }
  out.close_list().close();
}

void write_check(JsonWriter& out, const AdmissionCheckState& check) {
  out.open();
  out.field("lastTransitionTime", std::string_view(format_time(check.last_transition)));
  out.field("message", std::string_view(check.message));
  out.field("name", std::string_view(check.name));
  if (!check.pod_set_updates.empty()) {
    out.key("podSetUpdates").open_list();
    for (const PodSetUpdate& update : check.pod_set_updates) {
      out.open().map("annotations", update.annotations).map("labels", update.labels);
      out.field("name", std::string_view(update.name)).map("nodeSelector", update.node_selector);
      if (!update.tolerations.empty()) {
        out.key("tolerations").open_list();
        for (const Toleration& each : update.tolerations) write_toleration(out, each);
        out.close_list();
      }
      out.close();
    }
    out.close_list();
  }
  out.maybe("requeueAfterSeconds", check.requeue_after_seconds);
  out.maybe("retryCount", check.retry_count);
  out.field("state", text_of(check.state)).close();
}

// Writes list `name` of `values` with one call per element; nothing when it is empty.
template <class T, class Write>
void write_list(JsonWriter& out, std::string_view name, const std::vector<T>& values, Write write) {
  if (values.empty()) return;
  out.key(name).open_list();
  for (const T& value : values) write(value);
  out.close_list();
}

}  // namespace

void write_pod_sets(JsonWriter& out, const std::vector<PodSet>& pod_sets) {
  out.key("podSets").open_list();
  for (const PodSet& set : pod_sets) {
    out.open().field("count", set.count).maybe("minCount", set.min_count);
    out.field("name", std::string_view(set.name)).key("template").raw(*set.pod_template.json);
    if (set.topology) write_topology_request(out, *set.topology);
    out.close();
  }
  out.close_list();
}

void write_status_members(JsonWriter& out, const WorkloadStatus& status) {
  out.maybe("accumulatedPastExecutionTimeSeconds", status.accumulated_past_execution_seconds);
  if (status.admission) write_admission(out, *status.admission);
  write_list(out, "admissionChecks", status.admission_checks,
             [&](const AdmissionCheckState& check) { write_check(out, check); });
  out.field_unless_empty("clusterName", status.cluster_name);
  write_conditions(out, "conditions", status.conditions);
  out.texts("nominatedClusterNames", status.nominated_cluster_names);
  write_list(out, "preemptionGates", status.preemption_gates, [&](const PreemptionGateState& gate) {
    out.open().field("lastTransitionTime", std::string_view(format_time(gate.last_transition)));
    out.field("name", std::string_view(gate.name));
    out.field("position", gate.open ? "Open" : "Closed").close();
  });
  write_list(out, "reclaimablePods", status.reclaimable_pods, [&](const ReclaimablePod& each) {
    out.open().field("count", each.count).field("name", std::string_view(each.name)).close();
  });
  if (status.requeue) {
    out.key("requeueState").open().maybe("count", status.requeue->count);
    if (status.requeue->requeue_at) {
      out.field("requeueAt", std::string_view(format_time(*status.requeue->requeue_at)));
    }
    out.close();
  }
  write_list(out, "resourceRequests", status.resource_requests, [&](const PodSetRequest& each) {
    out.open().field("name", std::string_view(each.name));
    out.resources("resources", each.resources).close();
  });
  if (!status.evictions.empty()) {
    out.key("schedulingStats").open();
    write_list(out, "evictions", status.evictions, [&](const EvictionCount& each) {
      out.open().field("count", each.count).field("reason", std::string_view(each.reason));
      out.field("underlyingCause", std::string_view(each.underlying_cause)).close();
    });
    out.close();
  }
  write_list(out, "unhealthyNodes", status.unhealthy_nodes, [&](const std::string& node) {
    out.open().field("name", std::string_view(node)).close();
  });
}

std::string encode_json(const Workload& workload, WithStatus with_status) {
  JsonWriter out;
  out.open();
  write_type(out, kinds::kWorkload.api_version(), "Workload");
  write_meta(out, workload.meta);
  write_spec(out, workload);
  if (with_status == WithStatus::Yes) {
    out.key("status").open();
    write_status_members(out, workload.status);
    out.close();
  }
  return out.close().take();
}

std::string workload_status_apply(const ObjectKey& key, std::string_view uid,
                                  std::string_view resource_version, const WorkloadStatus& status) {
  JsonWriter out;
  out.open();
  write_type(out, kinds::kWorkload.api_version(), "Workload");
  out.key("metadata").open().field("name", std::string_view(key.name));
  out.field("namespace", std::string_view(key.ns));
  out.field_unless_empty("resourceVersion", resource_version)
      .field_unless_empty("uid", uid)
      .close();
  out.key("status").open();
  write_status_members(out, status);
  return out.close().close().take();
}

std::string workload_spec_patch(std::string_view resource_version,
                                const WorkloadSpecChange& change) {
  JsonWriter out = open_patch(resource_version);
  out.key("spec").open().maybe("active", change.active);
  if (change.pod_sets) write_pod_sets(out, *change.pod_sets);
  out.maybe("priority", change.priority);
  if (change.priority_class) write_priority_class(out, *change.priority_class);
  if (change.queue_name) {
    out.key("queueName");
    if (change.queue_name->empty()) {
      out.null();
    } else {
      out.text(*change.queue_name);
    }
  }
  return out.close().close().take();
}

std::string workload_status_patch(std::string_view resource_version, const WorkloadStatus& status) {
  // A merge patch keeps what it does not name: every field that is not there is cleared by a null.
  JsonWriter out = open_patch(resource_version);
  out.key("status").open();
  const auto absent = [&](std::string_view name, bool empty) {
    if (empty) out.key(name).null();
  };
  absent("accumulatedPastExecutionTimeSeconds", !status.accumulated_past_execution_seconds);
  absent("admission", !status.admission);
  absent("admissionChecks", status.admission_checks.empty());
  absent("clusterName", status.cluster_name.empty());
  absent("conditions", status.conditions.empty());
  absent("nominatedClusterNames", status.nominated_cluster_names.empty());
  absent("preemptionGates", status.preemption_gates.empty());
  absent("reclaimablePods", status.reclaimable_pods.empty());
  absent("requeueState", !status.requeue);
  absent("resourceRequests", status.resource_requests.empty());
  absent("schedulingStats", status.evictions.empty());
  absent("unhealthyNodes", status.unhealthy_nodes.empty());
  write_status_members(out, status);
  return out.close().close().take();
}

}  // namespace quorate::objects
