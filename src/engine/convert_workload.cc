#include "src/engine/convert.h"

namespace quorate::engine::wire {
namespace {

using namespace admission;

static_assert(static_cast<int>(CheckState::Pending) == 0);
static_assert(static_cast<int>(CheckState::Ready) == 1);
static_assert(static_cast<int>(CheckState::Retry) == 2);
static_assert(static_cast<int>(CheckState::Rejected) == 3);
static_assert(static_cast<int>(DelayedTopology::None) == 0);
static_assert(static_cast<int>(DelayedTopology::Pending) == 1);
static_assert(static_cast<int>(DelayedTopology::Ready) == 2);
static_assert(static_cast<int>(ConditionView::Status::True) == 0);
static_assert(static_cast<int>(ConditionView::Status::False) == 1);
static_assert(static_cast<int>(ConditionView::Status::Unknown) == 2);

void put(const TopologyRequest& from, v1::TopologyRequest& to) {
  to.set_required_level(from.required_level);
  to.set_preferred_level(from.preferred_level);
  to.set_unconstrained(from.unconstrained);
  to.set_pod_index_label(from.pod_index_label);
  to.set_sub_group_index_label(from.sub_group_index_label);
  if (from.sub_group_count) to.set_sub_group_count(*from.sub_group_count);
  to.set_pod_set_group(from.pod_set_group);
  for (const topology::Layer& layer : from.layers) {
    v1::TopologyRequest::Layer& out = *to.add_layers();
    out.set_level(layer.level);
    out.set_size(layer.size);
  }
}

TopologyRequest topology_of(const v1::TopologyRequest& from) {
  TopologyRequest to;
  to.required_level = from.required_level();
  to.preferred_level = from.preferred_level();
  to.unconstrained = from.unconstrained();
  to.pod_index_label = from.pod_index_label();
  to.sub_group_index_label = from.sub_group_index_label();
  if (from.has_sub_group_count()) to.sub_group_count = from.sub_group_count();
  to.pod_set_group = from.pod_set_group();
  for (const v1::TopologyRequest::Layer& layer : from.layers()) {
    to.layers.push_back({layer.level(), layer.size()});
  }
  if (from.layers().empty() && !from.slice_level().empty()) {
    to.layers.push_back({from.slice_level(), from.slice_size()});
  }
  return to;
}

void put(const PodSetSpec& from, v1::PodSet& to) {
  to.set_name(from.name);
  to.set_count(from.count);
  if (from.min_count) to.set_min_count(*from.min_count);
  if (from.pod) wire::put(*from.pod, *to.mutable_pod());
  if (from.topology) put(*from.topology, *to.mutable_topology());
}

PodSetSpec pod_set_of(const v1::PodSet& from, Faults& faults) {
  PodSetSpec to;
  to.name = from.name();
  to.count = from.count();
  if (from.has_min_count()) to.min_count = from.min_count();
  to.pod = std::make_shared<const PodTemplate>(template_of(from.pod(), faults));
  if (from.has_topology()) to.topology = topology_of(from.topology());
  return to;
}

void put(const TopologyAssignment& from, v1::TopologyAssignment& to) {
  to.mutable_levels()->Assign(from.levels.begin(), from.levels.end());
  for (const TopologyAssignment::Domain& domain : from.domains) {
    v1::TopologyAssignment::Domain& out = *to.add_domains();
    out.mutable_values()->Assign(domain.values.begin(), domain.values.end());
    out.set_count(domain.count);
  }
}

TopologyAssignment assignment_of(const v1::TopologyAssignment& from) {
  TopologyAssignment to;
  to.levels = {from.levels().begin(), from.levels().end()};
  for (const v1::TopologyAssignment::Domain& domain : from.domains()) {
    to.domains.push_back({{domain.values().begin(), domain.values().end()}, domain.count()});
  }
  return to;
}

void put(const Admission& from, v1::Admission& to) {
  to.set_cluster_queue(from.cluster_queue);
  for (const PodSetAssignment& one : from.pod_sets) {
    v1::PodSetAssignment& out = *to.add_pod_sets();
    out.set_name(one.name);
    wire::put(one.flavors, *out.mutable_flavors());
    wire::put(one.usage, *out.mutable_usage());
    out.set_count(one.count);
    if (one.topology) put(*one.topology, *out.mutable_topology());
    out.set_delayed_topology(number_of(one.delayed));
  }
}

Admission admission_of(const v1::Admission& from, Faults& faults) {
  Admission to{from.cluster_queue(), {}};
  for (const v1::PodSetAssignment& one : from.pod_sets()) {
    PodSetAssignment& out = to.pod_sets.emplace_back();
    out.name = one.name();
    out.flavors = map_of<std::map<std::string, std::string>>(one.flavors());
    out.usage = amounts_of(one.usage());
    out.count = one.count();
    if (one.has_topology()) out.topology = assignment_of(one.topology());
    out.delayed =
        enum_of(one.delayed_topology(), DelayedTopology::Ready, "delayed topology", faults);
  }
  return to;
}

void put_status(const WorkloadSpec& from, v1::Workload& to) {
  if (from.admission) put(*from.admission, *to.mutable_admission());
  for (const ConditionView& one : from.conditions) {
    v1::Condition& out = *to.add_conditions();
    out.set_type(one.type);
    out.set_status(number_of(one.status));
    out.set_reason(one.reason);
    out.set_message(one.message);
    out.set_last_transition(one.last_transition.nanos);
  }
  for (const CheckStatus& one : from.checks) {
    v1::CheckStatus& out = *to.add_checks();
    out.set_name(one.name);
    out.set_state(number_of(one.state));
    out.set_last_transition(one.last_transition.nanos);
    if (one.requeue_after_seconds) out.set_requeue_after_seconds(*one.requeue_after_seconds);
    out.set_message(one.message);
    for (const PodSetUpdate& update : one.updates) {
      v1::PodSetUpdate& to_update = *out.add_updates();
      to_update.set_pod_set(update.pod_set);
      wire::put(update.node_selector, *to_update.mutable_node_selector());
      for (const Toleration& each : update.tolerations) {
        wire::put(each, *to_update.add_tolerations());
      }
    }
  }
  if (from.requeue_at) to.set_requeue_at(from.requeue_at->nanos);
  to.set_requeue_count(from.requeue_count);
  if (from.max_execution_seconds) to.set_max_execution_seconds(*from.max_execution_seconds);
  to.set_past_execution_seconds(from.past_execution_seconds);
  to.mutable_unhealthy_nodes()->Assign(from.unhealthy_nodes.begin(), from.unhealthy_nodes.end());
  for (const PreemptionGate& gate : from.preemption_gates) {
    v1::Workload::PreemptionGate& out = *to.add_preemption_gates();
    out.set_name(gate.name);
    out.set_open(gate.open);
    out.set_last_transition(gate.last_transition.nanos);
  }
}

void get_status(const v1::Workload& from, WorkloadSpec& to, Faults& faults) {
  if (from.has_admission()) to.admission = admission_of(from.admission(), faults);
  for (const v1::Condition& one : from.conditions()) {
    to.conditions.push_back(
        {one.type(),
         enum_of(one.status(), ConditionView::Status::Unknown, "condition status", faults),
         one.reason(), one.message(), Time{one.last_transition()}});
  }
  for (const v1::CheckStatus& one : from.checks()) {
    CheckStatus& out = to.checks.emplace_back();
    out.name = one.name();
    out.state = enum_of(one.state(), CheckState::Rejected, "check state", faults);
    out.last_transition = Time{one.last_transition()};
    if (one.has_requeue_after_seconds()) out.requeue_after_seconds = one.requeue_after_seconds();
    out.message = one.message();
    for (const v1::PodSetUpdate& update : one.updates()) {
      PodSetUpdate& added = out.updates.emplace_back();
      added.pod_set = update.pod_set();
      added.node_selector = map_of<Labels>(update.node_selector());
      for (const v1::Toleration& each : update.tolerations()) {
        added.tolerations.push_back(toleration_of(each));
      }
    }
  }
  if (from.has_requeue_at()) to.requeue_at = Time{from.requeue_at()};
  to.requeue_count = from.requeue_count();
  if (from.has_max_execution_seconds()) to.max_execution_seconds = from.max_execution_seconds();
  to.past_execution_seconds = from.past_execution_seconds();
  to.unhealthy_nodes = {from.unhealthy_nodes().begin(), from.unhealthy_nodes().end()};
  for (const v1::Workload::PreemptionGate& gate : from.preemption_gates()) {
    to.preemption_gates.push_back({gate.name(), gate.open(), Time{gate.last_transition()}});
  }
}

}  // namespace

void put(const WorkloadSpec& from, v1::Workload& to) {
  put(from.key, *to.mutable_key());
  to.set_uid(from.uid);
  to.set_generation(from.generation);
  to.set_queue_name(from.queue_name);
  to.set_priority(from.priority);
  to.set_priority_boost(from.priority_boost);
  to.set_created(from.created.nanos);
  to.set_active(from.active);
  to.set_terminating(from.terminating);
  to.set_gated(from.gated);
  to.set_gated_by(from.gated_by);
  for (const PodSetSpec& one : from.pod_sets) put(one, *to.add_pod_sets());
  for (const auto& [pod_set, count] : from.reclaimable_pods) {
    v1::Workload::Reclaimable& out = *to.add_reclaimable_pods();
    out.set_pod_set(pod_set);
    out.set_count(count);
  }
  if (from.replaces) put(*from.replaces, *to.mutable_replaces());
  to.set_parent_of_variants(from.parent_of_variants);
  to.mutable_allowed_flavors()->Assign(from.allowed_flavors.begin(), from.allowed_flavors.end());
  put_status(from, to);
  to.set_owner_api_version(from.owner_api_version);
  to.set_owner_kind(from.owner_kind);
  to.set_owner_name(from.owner_name);
  to.set_owner_uid(from.owner_uid);
}

WorkloadSpec get(const v1::Workload& from, Faults& faults) {
  WorkloadSpec to;
  to.key = key_of(from.key());
  to.uid = from.uid();
  to.generation = from.generation();
  to.queue_name = from.queue_name();
  to.priority = from.priority();
  to.priority_boost = from.priority_boost();
  to.created = Time{from.created()};
  to.active = from.active();
  to.terminating = from.terminating();
  to.gated = from.gated();
  to.gated_by = from.gated_by();
  for (const v1::PodSet& one : from.pod_sets()) to.pod_sets.push_back(pod_set_of(one, faults));
  for (const v1::Workload::Reclaimable& one : from.reclaimable_pods()) {
    to.reclaimable_pods.insert_or_assign(one.pod_set(), one.count());
  }
  if (from.has_replaces()) to.replaces = key_of(from.replaces());
  to.parent_of_variants = from.parent_of_variants();
  to.allowed_flavors = {from.allowed_flavors().begin(), from.allowed_flavors().end()};
  get_status(from, to, faults);
  to.owner_api_version = from.owner_api_version();
  to.owner_kind = from.owner_kind();
  to.owner_name = from.owner_name();
  to.owner_uid = from.owner_uid();
  return to;
}

}  // namespace quorate::engine::wire
