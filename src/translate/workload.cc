#include <algorithm>
#include <charconv>

#include "admission/variants.h"
#include "src/objects/names.h"
#include "src/translate/report.h"

namespace quorate::translate {
namespace {

using admission::CheckState;

static_assert(alike(CheckState::Pending, objects::CheckState::Pending));
static_assert(alike(CheckState::Ready, objects::CheckState::Ready));
static_assert(alike(CheckState::Retry, objects::CheckState::Retry));
static_assert(alike(CheckState::Rejected, objects::CheckState::Rejected));

admission::ConditionView::Status status_of(objects::ConditionStatus status) {
  switch (status) {
    case objects::ConditionStatus::True:
      return admission::ConditionView::Status::True;
    case objects::ConditionStatus::False:
      return admission::ConditionView::Status::False;
    case objects::ConditionStatus::Unknown:
      return admission::ConditionView::Status::Unknown;
  }
  return admission::ConditionView::Status::Unknown;
}

std::int32_t boost_of(const objects::ObjectMeta& meta, Defects* defects) {
  const std::string_view text = objects::value_of(meta.annotations, objects::names::kPriorityBoost);
  if (text.empty()) return 0;
  std::int32_t boost = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), boost);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    report(defects, "metadata.annotations[" + std::string(objects::names::kPriorityBoost) + "]",
           "\"" + std::string(text) + "\" is not a 32-bit integer; taken as 0");
    return 0;
  }
  return boost;
}

// "namespace/name" of the slice that it takes the place of.
std::optional<ObjectKey> replaced_by(const objects::ObjectMeta& meta, Defects* defects) {
  const std::string text(objects::value_of(meta.annotations, objects::names::kSliceReplacementFor));
  if (text.empty()) return std::nullopt;
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size()) {
    report(defects,
           "metadata.annotations[" + std::string(objects::names::kSliceReplacementFor) + "]",
           "\"" + text + "\" is not namespace/name; it replaces nothing");
    return std::nullopt;
  }
  return ObjectKey{text.substr(0, slash), text.substr(slash + 1)};
}

// A list separated by commas.
std::vector<std::string> flavors_allowed(const objects::ObjectMeta& meta) {
  std::vector<std::string> flavors;
  std::string_view text = objects::value_of(meta.annotations, admission::kAllowedFlavorsAnnotation);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) flavors.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return flavors;
}

// A gate without a state is closed.
std::vector<admission::PreemptionGate> gates_of(const objects::Workload& workload) {
  std::vector<admission::PreemptionGate> gates;
  for (const std::string& name : workload.preemption_gates) {
    const auto& states = workload.status.preemption_gates;
    const auto state = std::ranges::find(states, name, &objects::PreemptionGateState::name);
    admission::PreemptionGate& gate = gates.emplace_back();
    gate.name = name;
    if (state == states.end()) continue;
    gate.open = state->open;
    gate.last_transition = state->last_transition;
  }
  return gates;
}

admission::TopologyRequest topology_of(const objects::TopologyRequest& from,
                                       const std::string& path, Defects* defects) {
  admission::TopologyRequest to;
  to.required_level = from.required.value_or("");
  to.preferred_level = from.preferred.value_or("");
  to.unconstrained = from.unconstrained.value_or(false);
  to.pod_index_label = from.pod_index_label.value_or("");
  to.sub_group_index_label = from.sub_group_index_label.value_or("");
  to.sub_group_count = from.sub_group_count;
  to.pod_set_group = from.pod_set_group_name.value_or("");
  for (std::size_t i = 0; i < from.slice_constraints.size(); ++i) {
    const objects::SliceConstraint& one = from.slice_constraints[i];
    if (one.size < 1) {
      report(defects, item(path + ".podsetSliceRequiredTopologyConstraints", i) + ".size",
             std::to_string(one.size) + " is not positive; taken as 1");
    }
    to.layers.push_back({one.topology, std::max(one.size, 1)});
  }
  if (to.layers.empty() && from.slice_required_topology) {
    to.layers.push_back({*from.slice_required_topology, std::max(from.slice_size.value_or(1), 1)});
  }
  return to;
}

// A count that makes no sense asks for nothing rather than for a negative amount.
std::int32_t count_of(std::int32_t count, const std::string& path, Defects* defects) {
  if (count >= 0) return count;
  report(defects, path, std::to_string(count) + " is negative; taken as 0");
  return 0;
}

std::vector<admission::PodSetSpec> pod_sets_of(const objects::Workload& workload,
                                               Defects* defects) {
  std::vector<admission::PodSetSpec> out;
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const objects::PodSet& from = workload.pod_sets[i];
    const std::string path = item("spec.podSets", i);
    admission::PodSetSpec& to = out.emplace_back();
    to.name = from.name;
    to.count = count_of(from.count, path + ".count", defects);
    to.min_count = from.min_count;
    to.pod = from.pod_template.parsed;
    if (from.topology) {
      to.topology = topology_of(*from.topology, path + ".topologyRequest", defects);
    }
  }
  return out;
}

admission::Admission admission_of(const objects::Workload& workload) {
  const objects::Admission& from = *workload.status.admission;
  admission::Admission to{from.cluster_queue, {}};
  for (const objects::PodSetAssignment& assignment : from.pod_sets) {
    admission::PodSetAssignment& out = to.pod_sets.emplace_back();
    out.name = assignment.name;
    out.flavors = assignment.flavors;
    out.usage = assignment.usage;
    const auto pod_set =
        std::ranges::find(workload.pod_sets, assignment.name, &objects::PodSet::name);
    const std::int32_t asked = pod_set == workload.pod_sets.end() ? 0 : pod_set->count;
    out.count = std::max(0, assignment.count.value_or(asked));
    out.delayed =
        assignment.delayed_topology_request == "Pending" ? admission::DelayedTopology::Pending
        : assignment.delayed_topology_request == "Ready" ? admission::DelayedTopology::Ready
                                                         : admission::DelayedTopology::None;
    if (!assignment.topology) continue;
    admission::TopologyAssignment& topology = out.topology.emplace();
    topology.levels = assignment.topology->levels;
    for (const objects::TopologyDomain& domain : assignment.topology->domains) {
      topology.domains.push_back({domain.values, domain.count});
    }
  }
  return to;
}

void put_status(const objects::Workload& workload, admission::WorkloadSpec& spec) {
  const objects::WorkloadStatus& status = workload.status;
  // What the admission says counts only while the condition does.
  if (status.admission &&
      objects::is_true(status.conditions, objects::conditions::kQuotaReserved)) {
    spec.admission = admission_of(workload);
  }
  for (const objects::Condition& one : status.conditions) {
    spec.conditions.push_back(
        {one.type, status_of(one.status), one.reason, one.message, one.last_transition});
  }
  for (const objects::AdmissionCheckState& one : status.admission_checks) {
    admission::CheckStatus& check = spec.checks.emplace_back();
    check.name = one.name;
    check.state = same<CheckState>(one.state);
    check.last_transition = one.last_transition;
    check.requeue_after_seconds = one.requeue_after_seconds;
    check.message = one.message;
    for (const objects::PodSetUpdate& update : one.pod_set_updates) {
      check.updates.push_back({update.name, update.node_selector, update.tolerations});
    }
  }
  for (const objects::ReclaimablePod& one : status.reclaimable_pods) {
    spec.reclaimable_pods.insert_or_assign(one.name, std::max(0, one.count));
  }
  spec.unhealthy_nodes = status.unhealthy_nodes;
  if (status.requeue) {
    spec.requeue_at = status.requeue->requeue_at;
    spec.requeue_count = status.requeue->count.value_or(0);
  }
  spec.past_execution_seconds = status.accumulated_past_execution_seconds.value_or(0);
}

}  // namespace

admission::WorkloadSpec to_spec(const objects::Workload& workload, Defects* defects) {
  admission::WorkloadSpec spec;
  spec.key = workload.meta.key;
  spec.uid = workload.meta.uid;
  spec.generation = workload.meta.generation;
  spec.queue_name = workload.queue_name;
  spec.priority = workload.priority.value_or(0);
  spec.priority_boost = boost_of(workload.meta, defects);
  spec.created = workload.meta.created;
  spec.active = workload.active;
  spec.terminating = workload.meta.deleted.has_value();
  spec.gated_by = objects::value_of(workload.meta.annotations, objects::names::kAdmissionGatedBy);
  spec.gated = !spec.gated_by.empty();
  spec.pod_sets = pod_sets_of(workload, defects);
  put_status(workload, spec);
  spec.max_execution_seconds = workload.maximum_execution_seconds;
  spec.replaces = replaced_by(workload.meta, defects);
  spec.parent_of_variants =
      objects::value_of(workload.meta.labels, admission::kVariantParentLabel) == "true";
  spec.allowed_flavors = flavors_allowed(workload.meta);
  spec.preemption_gates = gates_of(workload);
  if (const objects::OwnerReference* owner = objects::controller_of(workload.meta)) {
    spec.owner_api_version = owner->api_version;
    spec.owner_kind = owner->kind;
    spec.owner_name = owner->name;
    spec.owner_uid = owner->uid;
  }
  return spec;
}

scheduler::PodGroupSpec to_spec(const objects::PodGroup& group, Defects* defects) {
  scheduler::PodGroupSpec spec;
  spec.key = group.meta.key;
  spec.uid = group.meta.uid;
  spec.native = group.api != objects::PodGroupApi::Fallback;
  spec.gang = group.min_count.has_value();
  spec.min_count = std::max(1, group.min_count.value_or(1));
  spec.priority = group.priority;
  if (!group.topology_keys.empty()) spec.topology_key = group.topology_keys.front();
  if (group.topology_keys.size() > 1) {
    report(defects, "spec.schedulingConstraints.topology[1].key",
           "only the first topology constraint is applied");
  }
  spec.created = group.meta.created;
  const objects::Condition* scheduled =
      objects::find_condition(group.conditions, "PodGroupInitiallyScheduled");
  if (scheduled != nullptr && scheduled->status == objects::ConditionStatus::True) {
    spec.initially_scheduled = true;
  } else if (scheduled != nullptr && scheduled->status == objects::ConditionStatus::False) {
    spec.condition_reason = scheduled->reason;
    spec.condition_message = scheduled->message;
  }
  spec.terminating = group.meta.deleted.has_value();
  spec.resource_claims = group.resource_claims;
  spec.claim_names = group.claim_names;
  spec.needs_admission = !objects::value_of(group.meta.labels, objects::names::kQueueName).empty();
  spec.preemption_policy = group.preemption_policy;
  spec.disrupt_together = group.disrupt_together;
  spec.parent = group.parent;
  spec.workload = group.workload_name;
  for (std::size_t i = 0; i < group.composites.size(); ++i) {
    const objects::ToldComposite& told = group.composites[i];
    scheduler::CompositeGroupSpec& above = spec.ancestors.emplace_back();
    above.key = {group.meta.key.ns, told.name};
    above.gang = told.min_groups.has_value();
    above.min_groups = std::max(1, told.min_groups.value_or(1));
    above.topology_key = told.topology_key;
    above.disrupt_together = told.disrupt_together;
    if (i + 1 < group.composites.size()) above.parent = group.composites[i + 1].name;
  }
  return spec;
}

scheduler::CompositeGroupSpec to_spec(const objects::CompositePodGroup& group) {
  scheduler::CompositeGroupSpec spec;
  spec.key = group.meta.key;
  spec.uid = group.meta.uid;
  spec.gang = group.min_groups.has_value();
  spec.min_groups = std::max(1, group.min_groups.value_or(1));
  spec.priority = group.priority;
  spec.preemption_policy = group.preemption_policy;
  if (!group.topology_keys.empty()) spec.topology_key = group.topology_keys.front();
  spec.disrupt_together = group.disrupt_together;
  spec.parent = group.parent;
  spec.workload = group.workload_name;
  spec.created = group.meta.created;
  spec.terminating = group.meta.deleted.has_value();
  return spec;
}

scheduler::DisruptionBudget to_spec(const objects::DisruptionBudget& budget) {
  return {budget.meta.key, budget.selector, budget.allowed, budget.disrupted};
}

}  // namespace quorate::translate
