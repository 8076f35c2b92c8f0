#include "src/engine/convert.h"

namespace quorate::engine::wire {
namespace {

using cluster::PodPhase;

static_assert(static_cast<int>(PodPhase::Pending) == 0);
static_assert(static_cast<int>(PodPhase::Running) == 1);
static_assert(static_cast<int>(PodPhase::Succeeded) == 2);
static_assert(static_cast<int>(PodPhase::Failed) == 3);

void put(const admission::TopologyConfig& from, v1::AdmissionConfig::Topology& to) {
  to.set_enabled(from.enabled);
  to.set_mixed_profile(from.profile.mixed);
  to.set_balanced(from.profile.balanced);
  to.set_respect_preferred(from.profile.respect_preferred);
  to.set_shared_hosts(from.shared_hosts);
  to.set_recompute_in_cycle(from.recompute_in_cycle);
  to.set_replace_nodes(from.replace_nodes);
  to.set_replace_fail_fast(from.replace_fail_fast);
  to.set_skip_pod_owned(from.skip_pod_owned);
  to.set_elastic(from.elastic);
}

admission::TopologyConfig topology_of(const v1::AdmissionConfig::Topology& from) {
  admission::TopologyConfig to;
  to.enabled = from.enabled();
  to.profile = {from.mixed_profile(), from.balanced(), from.respect_preferred()};
  to.shared_hosts = from.shared_hosts();
  to.recompute_in_cycle = from.recompute_in_cycle();
  to.replace_nodes = from.replace_nodes();
  to.replace_fail_fast = from.replace_fail_fast();
  to.skip_pod_owned = from.skip_pod_owned();
  to.elastic = from.elastic();
  return to;
}

using Strategy = scheduler::FitArgs::Strategy;
static_assert(static_cast<int>(Strategy::LeastAllocated) == 0);
static_assert(static_cast<int>(Strategy::MostAllocated) == 1);
static_assert(static_cast<int>(Strategy::RequestedToCapacityRatio) == 2);

void put(const scheduler::PluginArgs& from, v1::SchedulerConfig::PluginArgs& to) {
  to.set_strategy(number_of(from.fit.strategy));
  for (const auto& [resource, weight] : from.fit.resources) {
    v1::SchedulerConfig::Weight& out = *to.add_resources();
    out.set_plugin(resource);
    out.set_weight(weight);
  }
  for (const auto& [utilization, score] : from.fit.shape) {
    v1::SchedulerConfig::PluginArgs::Point& out = *to.add_shape();
    out.set_utilization(utilization);
    out.set_score(score);
  }
  to.mutable_ignored_resources()->Assign(from.fit.ignored_resources.begin(),
                                         from.fit.ignored_resources.end());
  to.mutable_ignored_resource_groups()->Assign(from.fit.ignored_resource_groups.begin(),
                                               from.fit.ignored_resource_groups.end());
  to.mutable_balanced_resources()->Assign(from.balanced.resources.begin(),
                                          from.balanced.resources.end());
  to.set_hard_pod_affinity_weight(from.inter_pod.hard_weight);
  to.set_ignore_preferred_terms_of_existing_pods(from.inter_pod.ignore_preferred_of_existing);
  wire::put(from.added_affinity, *to.mutable_added_affinity());
}

scheduler::PluginArgs args_of(const v1::SchedulerConfig::PluginArgs& from, Faults& faults) {
  scheduler::PluginArgs to;
  to.fit.strategy =
      enum_of(from.strategy(), Strategy::RequestedToCapacityRatio, "scoring strategy", faults);
  to.fit.resources.clear();
  for (const auto& one : from.resources())
    to.fit.resources.emplace_back(one.plugin(), one.weight());
  for (const auto& one : from.shape()) to.fit.shape.emplace_back(one.utilization(), one.score());
  to.fit.ignored_resources = {from.ignored_resources().begin(), from.ignored_resources().end()};
  to.fit.ignored_resource_groups = {from.ignored_resource_groups().begin(),
                                    from.ignored_resource_groups().end()};
  to.balanced.resources = {from.balanced_resources().begin(), from.balanced_resources().end()};
  to.inter_pod = {from.hard_pod_affinity_weight(), from.ignore_preferred_terms_of_existing_pods()};
  to.added_affinity = wire::affinity_of(from.added_affinity(), faults);
  return to;
}

}  // namespace

void put(const cluster::NodeSpec& from, v1::Node& to) {
  to.set_name(from.name);
  to.set_uid(from.uid);
  put(from.labels, *to.mutable_labels());
  for (const Taint& one : from.taints) put(one, *to.add_taints());
  to.set_unschedulable(from.unschedulable);
  to.set_ready(from.ready);
  put(from.allocatable, *to.mutable_allocatable());
}

cluster::NodeSpec get(const v1::Node& from, Faults&) {
  cluster::NodeSpec to;
  to.name = from.name();
  to.uid = from.uid();
  to.labels = map_of<Labels>(from.labels());
  for (const v1::Taint& one : from.taints()) to.taints.push_back(taint_of(one));
  to.unschedulable = from.unschedulable();
  to.ready = from.ready();
  to.allocatable = amounts_of(from.allocatable());
  return to;
}

void put(const cluster::PodSpec& from, v1::Pod& to) {
  put(from.key, *to.mutable_key());
  to.set_uid(from.uid);
  to.set_generation(from.generation);
  if (from.spec) put(*from.spec, *to.mutable_spec());
  put(from.requests, *to.mutable_requests());
  to.set_node(from.node);
  to.set_phase(number_of(from.phase));
  to.set_terminating(from.terminating);
  to.set_created(from.created.nanos);
  to.set_nominated_node(from.nominated_node);
  to.set_group(from.group);
  to.set_unschedulable_reason(from.unschedulable_reason);
  to.set_unschedulable_message(from.unschedulable_message);
  if (from.labels) put(*from.labels, *to.mutable_labels());
  for (const auto& [entry, claim] : from.claim_names) {
    v1::Label& out = *to.add_claim_names();
    out.set_key(entry);
    out.set_value(claim);
  }
  to.set_extended_claim(from.extended_claim);
}

cluster::PodSpec get(const v1::Pod& from, Faults& faults) {
  cluster::PodSpec to;
  to.key = key_of(from.key());
  to.uid = from.uid();
  to.generation = from.generation();
  to.spec = std::make_shared<const PodTemplate>(template_of(from.spec(), faults));
  to.requests = amounts_of(from.requests());
  to.node = from.node();
  to.phase = enum_of(from.phase(), PodPhase::Failed, "pod phase", faults);
  to.terminating = from.terminating();
  to.created = Time{from.created()};
  to.nominated_node = from.nominated_node();
  to.group = from.group();
  to.unschedulable_reason = from.unschedulable_reason();
  to.unschedulable_message = from.unschedulable_message();
  if (from.labels_size() > 0) {
    to.labels = std::make_shared<const Labels>(map_of<Labels>(from.labels()));
  }
  for (const v1::Label& each : from.claim_names()) to.claim_names[each.key()] = each.value();
  to.extended_claim = from.extended_claim();
  return to;
}

void put(const scheduler::PodGroupSpec& from, v1::PodGroup& to) {
  put(from.key, *to.mutable_key());
  to.set_uid(from.uid);
  to.set_native(from.native);
  to.set_gang(from.gang);
  to.set_min_count(from.min_count);
  if (from.priority) to.set_priority(*from.priority);
  to.set_topology_key(from.topology_key);
  to.set_created(from.created.nanos);
  to.set_initially_scheduled(from.initially_scheduled);
  to.set_condition_reason(from.condition_reason);
  to.set_condition_message(from.condition_message);
  to.set_terminating(from.terminating);
  to.set_needs_admission(from.needs_admission);
  put(from.resource_claims, *to.mutable_resource_claims());
  for (const auto& [entry, claim] : from.claim_names) {
    v1::Label& out = *to.add_claim_names();
    out.set_key(entry);
    out.set_value(claim);
  }
  to.set_preemption_policy(from.preemption_policy);
  to.set_disrupt_together(from.disrupt_together);
  to.set_parent(from.parent);
  to.set_workload(from.workload);
  for (const scheduler::CompositeGroupSpec& above : from.ancestors) put(above, *to.add_ancestors());
}

scheduler::PodGroupSpec get(const v1::PodGroup& from, Faults& faults) {
  scheduler::PodGroupSpec to;
  to.key = key_of(from.key());
  to.uid = from.uid();
  to.native = from.native();
  to.gang = from.gang();
  to.min_count = from.min_count();
  if (from.has_priority()) to.priority = from.priority();
  to.topology_key = from.topology_key();
  to.created = Time{from.created()};
  to.initially_scheduled = from.initially_scheduled();
  to.condition_reason = from.condition_reason();
  to.condition_message = from.condition_message();
  to.terminating = from.terminating();
  to.needs_admission = from.needs_admission();
  to.resource_claims = claims_of(from.resource_claims());
  for (const v1::Label& each : from.claim_names()) to.claim_names[each.key()] = each.value();
  to.preemption_policy = from.preemption_policy();
  to.disrupt_together = from.disrupt_together();
  to.parent = from.parent();
  to.workload = from.workload();
  for (const v1::CompositeGroup& above : from.ancestors()) {
    to.ancestors.push_back(get(above, faults));
  }
  return to;
}

void put(const scheduler::CompositeGroupSpec& from, v1::CompositeGroup& to) {
  put(from.key, *to.mutable_key());
  to.set_uid(from.uid);
  to.set_gang(from.gang);
  to.set_min_groups(from.min_groups);
  if (from.priority) to.set_priority(*from.priority);
  to.set_preemption_policy(from.preemption_policy);
  to.set_topology_key(from.topology_key);
  to.set_disrupt_together(from.disrupt_together);
  to.set_parent(from.parent);
  to.set_workload(from.workload);
  to.set_created(from.created.nanos);
  to.set_terminating(from.terminating);
}

scheduler::CompositeGroupSpec get(const v1::CompositeGroup& from, Faults&) {
  scheduler::CompositeGroupSpec to;
  to.key = key_of(from.key());
  to.uid = from.uid();
  to.gang = from.gang();
  to.min_groups = from.min_groups();
  if (from.has_priority()) to.priority = from.priority();
  to.preemption_policy = from.preemption_policy();
  to.topology_key = from.topology_key();
  to.disrupt_together = from.disrupt_together();
  to.parent = from.parent();
  to.workload = from.workload();
  to.created = Time{from.created()};
  to.terminating = from.terminating();
  return to;
}

void put(const scheduler::DisruptionBudget& from, v1::DisruptionBudget& to) {
  put(from.key, *to.mutable_key());
  put(from.selector, *to.mutable_selector());
  to.set_allowed(from.allowed);
  to.mutable_disrupted()->Assign(from.disrupted.begin(), from.disrupted.end());
}

scheduler::DisruptionBudget get(const v1::DisruptionBudget& from, Faults& faults) {
  return {key_of(from.key()),
          selector_of(from.selector(), faults),
          from.allowed(),
          {from.disrupted().begin(), from.disrupted().end()}};
}

void put(const admission::Config& from, v1::AdmissionConfig& to) {
  to.mutable_exclude_resource_prefixes()->Assign(from.exclude_resource_prefixes.begin(),
                                                 from.exclude_resource_prefixes.end());
  for (const admission::ResourceTransformation& one : from.transformations) {
    v1::AdmissionConfig::Transformation& out = *to.add_transformations();
    out.set_input(one.input);
    out.set_replace(one.replace);
    put(one.outputs, *out.mutable_outputs());
    out.set_multiply_by(one.multiply_by);
  }
  to.set_ignore_undeclared_resources(from.ignore_undeclared_resources);
  to.set_requeue_by_creation(from.requeue_by_creation);
  to.set_fair_sharing(from.fair_sharing);
  to.set_equivalence_classes(from.equivalence_classes);
  to.set_prove_placement(from.prove_placement);
  to.set_move_back_batch_nanos(from.move_back_batch.nanos);
  to.set_priority_boost(from.priority_boost);
  to.set_recompute_on_target_overlap(from.recompute_on_target_overlap);
  to.set_keep_scan_progress(from.keep_scan_progress);
  to.set_prioritize_preemptors(from.prioritize_preemptors);
  to.set_concurrent_admission(from.concurrent_admission);
  to.set_preemption_gates(from.preemption_gates);
  to.set_elastic_slices(from.elastic_slices);
  for (const admission::FairStrategy one : from.fair_strategies) {
    to.add_fair_strategies(number_of(one));
  }
  to.set_non_borrowing_first(from.non_borrowing_first);
  to.set_priority_within_cohort(from.priority_within_cohort);
  to.set_preempt_within_nominal(from.preempt_within_nominal);
  if (from.usage_sharing) {
    v1::AdmissionConfig::UsageSharing& sharing = *to.mutable_usage_sharing();
    sharing.set_half_life_nanos(from.usage_sharing->half_life.nanos);
    sharing.set_sampling_interval_nanos(from.usage_sharing->sampling_interval.nanos);
    for (const auto& [resource, weight] : from.usage_sharing->resource_weights) {
      v1::AdmissionConfig::UsageSharing::Weight& out = *sharing.add_resource_weights();
      out.set_resource(resource);
      out.set_billionths(weight);
    }
    sharing.set_sample_idle(from.usage_sharing->sample_idle);
  }
  put(from.topology, *to.mutable_topology());
  if (!from.pods_ready) return;
  v1::AdmissionConfig::PodsReady& ready = *to.mutable_pods_ready();
  ready.set_timeout_nanos(from.pods_ready->timeout.nanos);
  if (from.pods_ready->recovery_timeout) {
    ready.set_recovery_timeout_nanos(from.pods_ready->recovery_timeout->nanos);
  }
  ready.set_block_admission(from.pods_ready->block_admission);
  if (from.pods_ready->backoff_limit) ready.set_backoff_limit(*from.pods_ready->backoff_limit);
  ready.set_backoff_base_seconds(from.pods_ready->backoff_base_seconds);
  ready.set_backoff_max_seconds(from.pods_ready->backoff_max_seconds);
}

admission::Config get(const v1::AdmissionConfig& from, Faults& faults) {
  admission::Config to;
  to.exclude_resource_prefixes = {from.exclude_resource_prefixes().begin(),
                                  from.exclude_resource_prefixes().end()};
  for (const v1::AdmissionConfig::Transformation& one : from.transformations()) {
    to.transformations.push_back({one.input(), one.replace(),
                                  map_of<std::map<std::string, std::string>>(one.outputs()),
                                  one.multiply_by()});
  }
  to.ignore_undeclared_resources = from.ignore_undeclared_resources();
  to.requeue_by_creation = from.requeue_by_creation();
  to.fair_sharing = from.fair_sharing();
  to.equivalence_classes = from.equivalence_classes();
  to.prove_placement = from.prove_placement();
  to.move_back_batch = Duration{from.move_back_batch_nanos()};
  to.priority_boost = from.priority_boost();
  if (from.has_recompute_on_target_overlap()) {
    to.recompute_on_target_overlap = from.recompute_on_target_overlap();
  }
  if (from.has_keep_scan_progress()) to.keep_scan_progress = from.keep_scan_progress();
  to.prioritize_preemptors = from.prioritize_preemptors();
  to.concurrent_admission = from.concurrent_admission();
  to.preemption_gates = from.preemption_gates();
  to.elastic_slices = !from.has_elastic_slices() || from.elastic_slices();
  if (from.fair_strategies_size() > 0) to.fair_strategies.clear();
  for (const std::int32_t one : from.fair_strategies()) {
    to.fair_strategies.push_back(enum_of(one, admission::FairStrategy::LessThanInitialShare,
                                         "fair-sharing strategy", faults));
  }
  if (from.has_non_borrowing_first()) to.non_borrowing_first = from.non_borrowing_first();
  if (from.has_priority_within_cohort()) to.priority_within_cohort = from.priority_within_cohort();
  if (from.has_preempt_within_nominal()) to.preempt_within_nominal = from.preempt_within_nominal();
  if (from.has_usage_sharing()) {
    admission::UsageSharing& sharing = to.usage_sharing.emplace();
    sharing.half_life = Duration{from.usage_sharing().half_life_nanos()};
    sharing.sampling_interval = Duration{from.usage_sharing().sampling_interval_nanos()};
    for (const auto& weight : from.usage_sharing().resource_weights()) {
      sharing.resource_weights[weight.resource()] = weight.billionths();
    }
    sharing.sample_idle = from.usage_sharing().sample_idle();
  }
  if (from.has_topology()) to.topology = topology_of(from.topology());
  if (!from.has_pods_ready()) return to;
  const v1::AdmissionConfig::PodsReady& in = from.pods_ready();
  admission::PodsReadyConfig& ready = to.pods_ready.emplace();
  ready.timeout = Duration{in.timeout_nanos()};
  if (in.has_recovery_timeout_nanos()) {
    ready.recovery_timeout = Duration{in.recovery_timeout_nanos()};
  }
  ready.block_admission = in.block_admission();
  if (in.has_backoff_limit()) ready.backoff_limit = in.backoff_limit();
  ready.backoff_base_seconds = in.backoff_base_seconds();
  ready.backoff_max_seconds = in.backoff_max_seconds();
  return to;
}

void put(const scheduler::Config& from, v1::SchedulerConfig& to) {
  for (const scheduler::Profile& profile : from.profiles) {
    v1::SchedulerConfig::Profile& out = *to.add_profiles();
    out.set_scheduler_name(profile.scheduler_name);
    for (const auto& [plugin, weight] : profile.score_weights) {
      v1::SchedulerConfig::Weight& pair = *out.add_score_weights();
      pair.set_plugin(plugin);
      pair.set_weight(weight);
    }
    out.mutable_disabled()->Assign(profile.disabled.begin(), profile.disabled.end());
    if (profile.args != scheduler::PluginArgs{}) put(profile.args, *out.mutable_args());
  }
  to.set_pod_initial_backoff_nanos(from.pod_initial_backoff.nanos);
  to.set_pod_max_backoff_nanos(from.pod_max_backoff.nanos);
  to.set_bind_timeout_nanos(from.bind_timeout.nanos);
  to.set_bind_retry_nanos(from.bind_retry.nanos);
  to.set_unschedulable_flush_nanos(from.unschedulable_flush.nanos);
}

scheduler::Config get(const v1::SchedulerConfig& from, Faults& faults) {
  scheduler::Config to;
  to.profiles.clear();
  for (const v1::SchedulerConfig::Profile& profile : from.profiles()) {
    scheduler::Profile& out = to.profiles.emplace_back();
    out.scheduler_name = profile.scheduler_name();
    for (const v1::SchedulerConfig::Weight& pair : profile.score_weights()) {
      out.score_weights.insert_or_assign(pair.plugin(), pair.weight());
    }
    out.disabled = {profile.disabled().begin(), profile.disabled().end()};
    if (profile.has_args()) out.args = args_of(profile.args(), faults);
  }
  to.pod_initial_backoff = Duration{from.pod_initial_backoff_nanos()};
  to.pod_max_backoff = Duration{from.pod_max_backoff_nanos()};
  to.bind_timeout = Duration{from.bind_timeout_nanos()};
  to.bind_retry = Duration{from.bind_retry_nanos()};
  to.unschedulable_flush = Duration{from.unschedulable_flush_nanos()};
  return to;
}

}  // namespace quorate::engine::wire
