#include "src/engine/convert.h"

namespace quorate::engine::wire {
namespace {

using namespace admission;

static_assert(static_cast<int>(QueueingStrategy::BestEffortFifo) == 0);
static_assert(static_cast<int>(QueueingStrategy::StrictFifo) == 1);
static_assert(static_cast<int>(StopPolicy::None) == 0);
static_assert(static_cast<int>(StopPolicy::Hold) == 1);
static_assert(static_cast<int>(StopPolicy::HoldAndDrain) == 2);
static_assert(static_cast<int>(PreemptionPolicy::Never) == 0);
static_assert(static_cast<int>(PreemptionPolicy::LowerPriority) == 1);
static_assert(static_cast<int>(PreemptionPolicy::LowerOrNewerEqualPriority) == 2);
static_assert(static_cast<int>(PreemptionPolicy::Any) == 3);
static_assert(static_cast<int>(FungibilityPolicy::MayStopSearch) == 0);
static_assert(static_cast<int>(FungibilityPolicy::TryNextFlavor) == 1);
static_assert(static_cast<int>(FungibilityPreference::BorrowingOverPreemption) == 0);
static_assert(static_cast<int>(FungibilityPreference::PreemptionOverBorrowing) == 1);

void put(const quota::ResourceQuota& from, v1::ResourceQuota& to) {
  to.set_resource(from.resource);
  to.set_nominal(from.nominal.base_units());
  if (from.borrowing_limit.bound) to.set_borrowing_limit(from.borrowing_limit.bound->base_units());
  if (from.lending_limit.bound) to.set_lending_limit(from.lending_limit.bound->base_units());
}

quota::ResourceQuota quota_of(const v1::ResourceQuota& from) {
  quota::ResourceQuota to{from.resource(), Quantity{from.nominal()}, {}, {}};
  if (from.has_borrowing_limit()) to.borrowing_limit.bound = Quantity{from.borrowing_limit()};
  if (from.has_lending_limit()) to.lending_limit.bound = Quantity{from.lending_limit()};
  return to;
}

void put(const quota::ResourceGroup& from, v1::ResourceGroup& to) {
  to.mutable_covered_resources()->Assign(from.covered_resources.begin(),
                                         from.covered_resources.end());
  for (const quota::FlavorQuotas& flavor : from.flavors) {
    v1::FlavorQuotas& out = *to.add_flavors();
    out.set_flavor(flavor.flavor);
    for (const quota::ResourceQuota& one : flavor.resources) put(one, *out.add_resources());
  }
}

template <class Groups>
std::vector<quota::ResourceGroup> groups_of(const Groups& from) {
  std::vector<quota::ResourceGroup> to;
  for (const v1::ResourceGroup& group : from) {
    quota::ResourceGroup& out = to.emplace_back();
    out.covered_resources = {group.covered_resources().begin(), group.covered_resources().end()};
    for (const v1::FlavorQuotas& flavor : group.flavors()) {
      quota::FlavorQuotas& quotas = out.flavors.emplace_back();
      quotas.flavor = flavor.flavor();
      for (const v1::ResourceQuota& one : flavor.resources()) {
        quotas.resources.push_back(quota_of(one));
      }
    }
  }
  return to;
}

PreemptionPolicy policy_of(std::int32_t number, Faults& faults) {
  return enum_of(number, PreemptionPolicy::Any, "preemption policy", faults);
}

FungibilityPolicy fungibility_of(std::int32_t number, Faults& faults) {
  return enum_of(number, FungibilityPolicy::TryNextFlavor, "flavor fungibility", faults);
}

StopPolicy stop_of(std::int32_t number, Faults& faults) {
  return enum_of(number, StopPolicy::HoldAndDrain, "stop policy", faults);
}

// Older records say thousandths.
template <class Message>
std::int64_t weight_of(const Message& from) {
  constexpr std::int64_t kPerMilli = fairshare::kWeightOne / 1000;
  return from.has_fair_weight() ? from.fair_weight() : from.fair_weight_milli() * kPerMilli;
}

}  // namespace

void put(const FlavorSpec& from, v1::Flavor& to) {
  to.set_name(from.name);
  put(from.node_labels, *to.mutable_node_labels());
  for (const Taint& one : from.node_taints) put(one, *to.add_node_taints());
  for (const Toleration& one : from.tolerations) put(one, *to.add_tolerations());
  to.set_topology_name(from.topology_name);
}

FlavorSpec get(const v1::Flavor& from, Faults&) {
  FlavorSpec to;
  to.name = from.name();
  to.node_labels = map_of<Labels>(from.node_labels());
  for (const v1::Taint& one : from.node_taints()) to.node_taints.push_back(taint_of(one));
  for (const v1::Toleration& one : from.tolerations()) {
    to.tolerations.push_back(toleration_of(one));
  }
  to.topology_name = from.topology_name();
  return to;
}

void put(const TopologySpec& from, v1::Topology& to) {
  to.set_name(from.name);
  to.mutable_levels()->Assign(from.levels.begin(), from.levels.end());
}

TopologySpec get(const v1::Topology& from, Faults&) {
  return {from.name(), {from.levels().begin(), from.levels().end()}};
}

void put(const ClusterQueueSpec& from, v1::ClusterQueue& to) {
  to.set_name(from.name);
  to.set_uid(from.uid);
  to.set_generation(from.generation);
  to.set_cohort(from.cohort);
  for (const quota::ResourceGroup& one : from.resource_groups) put(one, *to.add_resource_groups());
  if (from.namespace_selector) put(*from.namespace_selector, *to.mutable_namespace_selector());
  to.set_strategy(number_of(from.strategy));
  to.set_stop_policy(number_of(from.stop_policy));
  to.set_when_can_borrow(number_of(from.when_can_borrow));
  to.set_when_can_preempt(number_of(from.when_can_preempt));
  if (from.preference) to.set_preference(number_of(*from.preference));
  to.set_within_cluster_queue(number_of(from.within_cluster_queue));
  to.set_reclaim_within_cohort(number_of(from.reclaim_within_cohort));
  to.set_borrow_within_cohort(number_of(from.borrow_within_cohort.policy));
  if (from.borrow_within_cohort.max_priority_threshold) {
    to.set_max_priority_threshold(*from.borrow_within_cohort.max_priority_threshold);
  }
  to.set_fair_weight(from.fair_weight);
  to.set_by_usage(from.by_usage);
  for (const AdmissionCheckRule& rule : from.admission_checks) {
    v1::AdmissionCheckRule& out = *to.add_admission_checks();
    out.set_check(rule.check);
    out.mutable_on_flavors()->Assign(rule.on_flavors.begin(), rule.on_flavors.end());
  }
  to.set_terminating(from.terminating);
  to.set_defect(from.defect);
  if (from.prove_placement) to.set_prove_placement(*from.prove_placement);
  if (from.concurrent_admission) {
    v1::ClusterQueue::ConcurrentAdmission& policy = *to.mutable_concurrent_admission();
    policy.set_retain_first(from.concurrent_admission->retain_first);
    policy.set_last_acceptable_flavor(from.concurrent_admission->last_acceptable_flavor);
  }
}

ClusterQueueSpec get(const v1::ClusterQueue& from, Faults& faults) {
  ClusterQueueSpec to;
  to.name = from.name();
  to.uid = from.uid();
  to.generation = from.generation();
  to.cohort = from.cohort();
  to.resource_groups = groups_of(from.resource_groups());
  if (from.has_namespace_selector()) {
    to.namespace_selector = selector_of(from.namespace_selector(), faults);
  }
  to.strategy = enum_of(from.strategy(), QueueingStrategy::StrictFifo, "queueing strategy", faults);
  to.stop_policy = stop_of(from.stop_policy(), faults);
  to.when_can_borrow = fungibility_of(from.when_can_borrow(), faults);
  to.when_can_preempt = fungibility_of(from.when_can_preempt(), faults);
  if (from.has_preference()) {
    to.preference = enum_of(from.preference(), FungibilityPreference::PreemptionOverBorrowing,
                            "fungibility preference", faults);
  }
  to.within_cluster_queue = policy_of(from.within_cluster_queue(), faults);
  to.reclaim_within_cohort = policy_of(from.reclaim_within_cohort(), faults);
  to.borrow_within_cohort.policy = policy_of(from.borrow_within_cohort(), faults);
  if (from.has_max_priority_threshold()) {
    to.borrow_within_cohort.max_priority_threshold = from.max_priority_threshold();
  }
  to.fair_weight = weight_of(from);
  to.by_usage = from.by_usage();
  for (const v1::AdmissionCheckRule& rule : from.admission_checks()) {
    to.admission_checks.push_back(
        {rule.check(), {rule.on_flavors().begin(), rule.on_flavors().end()}});
  }
  to.terminating = from.terminating();
  to.defect = from.defect();
  if (from.has_prove_placement()) to.prove_placement = from.prove_placement();
  if (from.has_concurrent_admission()) {
    to.concurrent_admission = {from.concurrent_admission().retain_first(),
                               from.concurrent_admission().last_acceptable_flavor()};
  }
  return to;
}

void put(const CohortSpec& from, v1::Cohort& to) {
  to.set_name(from.name);
  to.set_parent(from.parent);
  for (const quota::ResourceGroup& one : from.resource_groups) put(one, *to.add_resource_groups());
  to.set_fair_weight(from.fair_weight);
}

CohortSpec get(const v1::Cohort& from, Faults&) {
  return {from.name(), from.parent(), groups_of(from.resource_groups()), weight_of(from)};
}

void put(const LocalQueueSpec& from, v1::LocalQueue& to) {
  put(from.key, *to.mutable_key());
  to.set_uid(from.uid);
  to.set_cluster_queue(from.cluster_queue);
  to.set_stop_policy(number_of(from.stop_policy));
  to.set_fair_weight(from.fair_weight);
  to.set_terminating(from.terminating);
  for (const auto& [resource, amount] : from.consumed) {
    v1::Label& out = *to.add_consumed();
    out.set_key(resource);
    out.set_value(format_exact_quantity(resource, amount));
  }
}

LocalQueueSpec get(const v1::LocalQueue& from, Faults& faults) {
  LocalQueueSpec to;
  to.key = key_of(from.key());
  to.uid = from.uid();
  to.cluster_queue = from.cluster_queue();
  to.stop_policy = stop_of(from.stop_policy(), faults);
  to.fair_weight = weight_of(from);
  to.terminating = from.terminating();
  for (const v1::Label& one : from.consumed()) {
    const Outcome<ExactQuantity> amount = parse_exact_quantity(one.value());
    if (amount) {
      to.consumed[one.key()] = *amount;
    } else {
      faults.add("consumed " + one.key() + " is not a quantity");
    }
  }
  return to;
}

void put(const AdmissionCheckSpec& from, v1::AdmissionCheck& to) {
  to.set_name(from.name);
  to.set_controller_name(from.controller_name);
  to.set_active(from.active);
}

AdmissionCheckSpec get(const v1::AdmissionCheck& from, Faults&) {
  return {from.name(), from.controller_name(), from.active()};
}

void put(const NamespaceSpec& from, v1::Namespace& to) {
  to.set_name(from.name);
  put(from.labels, *to.mutable_labels());
}

NamespaceSpec get(const v1::Namespace& from, Faults&) {
  return {from.name(), map_of<Labels>(from.labels())};
}

void put(const LimitRangeSpec& from, v1::LimitRange& to) {
  put(from.key, *to.mutable_key());
  for (const LimitRangeItem& item : from.items) {
    v1::LimitRange::Item& out = *to.add_items();
    out.set_for_pod(item.for_pod);
    put(item.max, *out.mutable_max());
    put(item.min, *out.mutable_min());
    put(item.default_limits, *out.mutable_default_limits());
    put(item.default_requests, *out.mutable_default_requests());
  }
}

LimitRangeSpec get(const v1::LimitRange& from, Faults&) {
  LimitRangeSpec to{key_of(from.key()), {}};
  for (const v1::LimitRange::Item& item : from.items()) {
    to.items.push_back({item.for_pod(), amounts_of(item.max()), amounts_of(item.min()),
                        amounts_of(item.default_limits()), amounts_of(item.default_requests())});
  }
  return to;
}

void put(const RuntimeClassSpec& from, v1::RuntimeClass& to) {
  to.set_name(from.name);
  put(from.overhead, *to.mutable_overhead());
}

RuntimeClassSpec get(const v1::RuntimeClass& from, Faults&) {
  return {from.name(), amounts_of(from.overhead())};
}

}  // namespace quorate::engine::wire
