// Namespaces and what quota is made of: flavors, queues, cohorts, checks.

#include <limits>

#include "src/objects/names.h"
#include "src/objects/validate.h"
#include "src/translate/report.h"

namespace quorate::translate {
namespace {

using admission::FungibilityPolicy;
using admission::FungibilityPreference;
using admission::PreemptionPolicy;
using admission::QueueingStrategy;
using admission::StopPolicy;

static_assert(alike(StopPolicy::None, objects::StopPolicy::None));
static_assert(alike(StopPolicy::Hold, objects::StopPolicy::Hold));
static_assert(alike(StopPolicy::HoldAndDrain, objects::StopPolicy::HoldAndDrain));
static_assert(alike(QueueingStrategy::BestEffortFifo, objects::QueueingStrategy::BestEffortFIFO));
static_assert(alike(QueueingStrategy::StrictFifo, objects::QueueingStrategy::StrictFIFO));
static_assert(alike(FungibilityPolicy::MayStopSearch, objects::FlavorSearch::MayStopSearch));
static_assert(alike(FungibilityPolicy::TryNextFlavor, objects::FlavorSearch::TryNextFlavor));
static_assert(alike(FungibilityPreference::BorrowingOverPreemption,
                    objects::FungibilityPreference::BorrowingOverPreemption));
static_assert(alike(FungibilityPreference::PreemptionOverBorrowing,
                    objects::FungibilityPreference::PreemptionOverBorrowing));
static_assert(alike(PreemptionPolicy::Never, objects::PreemptionPolicy::Never));
static_assert(alike(PreemptionPolicy::LowerPriority, objects::PreemptionPolicy::LowerPriority));
static_assert(alike(PreemptionPolicy::LowerOrNewerEqualPriority,
                    objects::PreemptionPolicy::LowerOrNewerEqualPriority));
static_assert(alike(PreemptionPolicy::Any, objects::PreemptionPolicy::Any));

// Quota that reaches the largest amount is Unlimited. For cpu that is the largest number of whole
// cores, which is a little less in millicores.
Quantity quota_of(const std::string& resource, Quantity amount) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t unlimited = resource == "cpu" ? kMost / 1000 * 1000 : kMost;
  return amount.base_units() >= unlimited ? Quantity::max() : amount;
}

Limit limit_of(const std::string& resource, const std::optional<Quantity>& amount) {
  if (!amount) return {};
  return {quota_of(resource, *amount)};
}

std::vector<quota::ResourceGroup> groups_of(const std::vector<objects::ResourceGroup>& groups) {
  std::vector<quota::ResourceGroup> out;
  for (const objects::ResourceGroup& group : groups) {
    quota::ResourceGroup& to = out.emplace_back();
    to.covered_resources = group.covered_resources;
    for (const objects::FlavorQuotas& flavor : group.flavors) {
      quota::FlavorQuotas& quotas = to.flavors.emplace_back();
      quotas.flavor = flavor.name;
      for (const objects::ResourceQuota& one : flavor.resources) {
        quotas.resources.push_back({one.name, quota_of(one.name, one.nominal),
                                    limit_of(one.name, one.borrowing_limit),
                                    limit_of(one.name, one.lending_limit)});
      }
    }
  }
  return out;
}

bool any_negative(const std::vector<objects::ResourceGroup>& groups, std::string* path) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t f = 0; f < groups[g].flavors.size(); ++f) {
      const std::vector<objects::ResourceQuota>& resources = groups[g].flavors[f].resources;
      for (std::size_t r = 0; r < resources.size(); ++r) {
        const Quantity zero;
        const char* field = resources[r].nominal < zero                          ? "nominalQuota"
                            : resources[r].borrowing_limit.value_or(zero) < zero ? "borrowingLimit"
                            : resources[r].lending_limit.value_or(zero) < zero   ? "lendingLimit"
                                                                                 : nullptr;
        if (field == nullptr) continue;
        *path = item(item(item("spec.resourceGroups", g) + ".flavors", f) + ".resources", r) + "." +
                field;
        return true;
      }
    }
  }
  return false;
}

// What the queue's annotation says about the proof of a place; nothing without one.
std::optional<bool> verification_of(const objects::ObjectMeta& meta, objects::FieldErrors& faults) {
  const auto found = meta.annotations.find(objects::names::kPlacementVerification);
  if (found == meta.annotations.end()) return std::nullopt;
  if (found->second == "Enabled") return true;
  if (found->second == "Disabled") return false;
  faults.push_back({"metadata.annotations[" + found->first + "]",
                    objects::FieldError::Kind::NotSupported, objects::quoted(found->second),
                    "supported values: \"Disabled\", \"Enabled\""});
  return std::nullopt;
}

}  // namespace

admission::NamespaceSpec to_spec(const objects::Namespace& ns) {
  return {ns.meta.key.name, ns.meta.labels};
}

admission::LimitRangeSpec to_spec(const objects::LimitRange& range) {
  admission::LimitRangeSpec spec{range.meta.key, {}};
  for (const objects::LimitRangeItem& item : range.limits) {
    if (item.type != "Container" && item.type != "Pod") continue;
    spec.items.push_back(
        {item.type == "Pod", item.max, item.min, item.default_limits, item.default_requests});
  }
  return spec;
}

admission::RuntimeClassSpec to_spec(const objects::RuntimeClass& runtime_class) {
  return {runtime_class.meta.key.name, runtime_class.overhead};
}

admission::FlavorSpec to_spec(const objects::ResourceFlavor& flavor) {
  return {flavor.meta.key.name, flavor.node_labels, flavor.node_taints, flavor.tolerations,
          flavor.topology};
}

admission::TopologySpec to_spec(const objects::Topology& topology) {
  return {topology.meta.key.name, topology.levels};
}

admission::ClusterQueueSpec to_spec(const objects::ClusterQueue& queue) {
  admission::ClusterQueueSpec spec;
  spec.name = queue.meta.key.name;
  spec.uid = queue.meta.uid;
  spec.generation = queue.meta.generation;
  spec.terminating = queue.meta.deleted.has_value();
  // Objects that did not come through our CRD may break its rules, on which the quota tree relies.
  // Such a queue owns and lends nothing.
  objects::FieldErrors faults = objects::validate(queue);
  spec.prove_placement = verification_of(queue.meta, faults);
  if (!faults.empty()) {
    spec.defect = objects::join(faults);
    return spec;
  }
  spec.cohort = queue.cohort;
  spec.resource_groups = groups_of(queue.resource_groups);
  spec.namespace_selector = queue.namespace_selector;
  spec.strategy = same<QueueingStrategy>(queue.strategy);
  spec.stop_policy = same<StopPolicy>(queue.stop);
  spec.when_can_borrow = same<FungibilityPolicy>(queue.fungibility.when_can_borrow);
  spec.when_can_preempt = same<FungibilityPolicy>(queue.fungibility.when_can_preempt);
  if (queue.fungibility.preference) {
    spec.preference = same<FungibilityPreference>(*queue.fungibility.preference);
  }
  const objects::Preemption& preemption = queue.preemption;
  spec.within_cluster_queue = same<PreemptionPolicy>(preemption.within_cluster_queue);
  spec.reclaim_within_cohort = same<PreemptionPolicy>(preemption.reclaim_within_cohort);
  spec.borrow_within_cohort = {same<PreemptionPolicy>(preemption.borrow_within_cohort),
                               preemption.max_priority_threshold};
  spec.fair_weight = queue.weight;
  spec.by_usage = queue.admission_mode == objects::AdmissionMode::UsageBasedAdmissionFairSharing;
  if (queue.concurrent_admission) {
    spec.concurrent_admission = {
        queue.concurrent_admission->mode == objects::MigrationMode::RetainFirstAdmission,
        queue.concurrent_admission->last_acceptable_flavor};
  }
  for (const objects::AdmissionCheckRule& rule : queue.admission_checks) {
    spec.admission_checks.push_back({rule.name, rule.on_flavors});
  }
  return spec;
}

admission::ClusterQueueSpec unreadable_cluster_queue(std::string_view name, std::string_view uid,
                                                     std::string_view why) {
  admission::ClusterQueueSpec spec;
  spec.name = name;
  spec.uid = uid;
  spec.defect = why;
  return spec;
}

admission::CohortSpec to_spec(const objects::Cohort& cohort, Defects* defects) {
  admission::CohortSpec spec{cohort.meta.key.name, cohort.parent, {}, cohort.weight};
  if (spec.fair_weight < 0) {
    report(defects, "spec.fairSharing.weight", "is negative; it counts as 0");
    spec.fair_weight = 0;
  }
  if (std::string path; any_negative(cohort.resource_groups, &path)) {
    report(defects, path, "is negative; the cohort is taken to own no quota");
    return spec;
  }
  spec.resource_groups = groups_of(cohort.resource_groups);
  return spec;
}

admission::LocalQueueSpec to_spec(const objects::LocalQueue& queue) {
  admission::LocalQueueSpec spec;
  spec.key = queue.meta.key;
  spec.uid = queue.meta.uid;
  spec.cluster_queue = queue.cluster_queue;
  spec.stop_policy = same<StopPolicy>(queue.stop);
  spec.fair_weight = queue.weight;
  spec.terminating = queue.meta.deleted.has_value();
  if (queue.status.consumed) spec.consumed = queue.status.consumed->resources;
  return spec;
}

admission::AdmissionCheckSpec to_spec(const objects::AdmissionCheck& check) {
  return {check.meta.key.name, check.controller_name,
          objects::is_true(check.conditions, objects::conditions::kActive)};
}

}  // namespace quorate::translate
