#include <array>

#include "src/objects/read.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

template <class E, std::size_t N>
using Names = std::array<std::pair<std::string_view, E>, N>;

constexpr Names<StopPolicy, 3> kStopPolicies{{{"None", StopPolicy::None},
                                              {"Hold", StopPolicy::Hold},
                                              {"HoldAndDrain", StopPolicy::HoldAndDrain}}};
constexpr Names<QueueingStrategy, 2> kStrategies{
    {{"StrictFIFO", QueueingStrategy::StrictFIFO},
     {"BestEffortFIFO", QueueingStrategy::BestEffortFIFO}}};
constexpr Names<FlavorSearch, 2> kSearches{{{"MayStopSearch", FlavorSearch::MayStopSearch},
                                            {"TryNextFlavor", FlavorSearch::TryNextFlavor}}};
constexpr Names<FungibilityPreference, 2> kPreferences{
    {{"BorrowingOverPreemption", FungibilityPreference::BorrowingOverPreemption},
     {"PreemptionOverBorrowing", FungibilityPreference::PreemptionOverBorrowing}}};
constexpr Names<PreemptionPolicy, 3> kWithin{
    {{"Never", PreemptionPolicy::Never},
     {"LowerPriority", PreemptionPolicy::LowerPriority},
     {"LowerOrNewerEqualPriority", PreemptionPolicy::LowerOrNewerEqualPriority}}};
constexpr Names<PreemptionPolicy, 3> kReclaim{{{"Never", PreemptionPolicy::Never},
                                               {"LowerPriority", PreemptionPolicy::LowerPriority},
                                               {"Any", PreemptionPolicy::Any}}};
constexpr Names<PreemptionPolicy, 2> kBorrow{
    {{"Never", PreemptionPolicy::Never}, {"LowerPriority", PreemptionPolicy::LowerPriority}}};
constexpr Names<AdmissionMode, 2> kModes{
    {{"UsageBasedAdmissionFairSharing", AdmissionMode::UsageBasedAdmissionFairSharing},
     {"NoAdmissionFairSharing", AdmissionMode::NoAdmissionFairSharing}}};
constexpr Names<MigrationMode, 2> kMigrations{
    {{"TryPreferredFlavors", MigrationMode::TryPreferredFlavors},
     {"RetainFirstAdmission", MigrationMode::RetainFirstAdmission}}};

bool is_v1beta1(std::string_view api_version) { return api_version.ends_with("/v1beta1"); }

std::vector<ResourceGroup> read_resource_groups(Json json) {
  std::vector<ResourceGroup> groups;
  json.each([&](Json each) {
    ResourceGroup& group = groups.emplace_back();
    group.covered_resources = each["coveredResources"].texts();
    each["flavors"].each([&](Json flavor) {
      FlavorQuotas& quotas = group.flavors.emplace_back();
      quotas.name = flavor["name"].required_text();
      flavor["resources"].each([&](Json resource) {
        ResourceQuota& quota = quotas.resources.emplace_back();
        quota.name = resource["name"].required_text();
        quota.nominal = resource["nominalQuota"].required_quantity(quota.name);
        quota.borrowing_limit = resource["borrowingLimit"].maybe_quantity(quota.name);
        quota.lending_limit = resource["lendingLimit"].maybe_quantity(quota.name);
      });
    });
  });
  return groups;
}

std::int64_t read_weight(Json spec) {
  return spec["fairSharing"]["weight"].maybe_billionths().value_or(kWeightOne);
}

FlavorSearch read_search(Json json, std::string_view old_name, bool v1beta1, FlavorSearch absent) {
  if (v1beta1 && json.is_text() && json.text() == old_name) return FlavorSearch::MayStopSearch;
  return json.choice(kSearches).value_or(absent);
}

std::vector<AdmissionCheckRule> read_checks(Json spec, bool v1beta1) {
  std::vector<AdmissionCheckRule> rules;
  // The old plain list, when there, stands instead of the strategy.
  if (v1beta1 && spec["admissionChecks"].size() > 0) {
    for (std::string& name : spec["admissionChecks"].texts())
      rules.push_back({std::move(name), {}});
    return rules;
  }
  spec["admissionChecksStrategy"]["admissionChecks"].each([&](Json each) {
    rules.push_back({each["name"].required_text(), each["onFlavors"].texts()});
  });
  return rules;
}

std::vector<FlavorUsage> read_usage(Json json) {
  std::vector<FlavorUsage> all;
  json.each([&](Json each) {
    FlavorUsage& usage = all.emplace_back();
    usage.name = each["name"].text();
    each["resources"].each([&](Json resource) {
      ResourceUsage& amount = usage.resources.emplace_back();
      amount.name = resource["name"].text();
      amount.total = resource["total"].maybe_quantity(amount.name).value_or(Quantity{});
      amount.borrowed = resource["borrowed"].maybe_quantity(amount.name).value_or(Quantity{});
    });
  });
  return all;
}

QueueStatus read_queue_status(Json json, std::string_view usage_field) {
  QueueStatus status;
  status.conditions = read_conditions(json["conditions"]);
  status.reservation = read_usage(json["flavorsReservation"]);
  status.usage = read_usage(json[usage_field]);
  status.pending = json["pendingWorkloads"].int32();
  status.reserving = json["reservingWorkloads"].int32();
  status.admitted = json["admittedWorkloads"].int32();
  status.weighted_share = json["fairSharing"]["weightedShare"].maybe_int64();
  return status;
}

}  // namespace

void read(Json json, std::string_view api_version, ClusterQueue& queue) {
  const bool v1beta1 = is_v1beta1(api_version);
  queue.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  queue.resource_groups = read_resource_groups(spec["resourceGroups"]);
  queue.cohort = spec[v1beta1 ? "cohort" : "cohortName"].text();
  queue.strategy =
      spec["queueingStrategy"].choice(kStrategies).value_or(QueueingStrategy::BestEffortFIFO);
  if (spec["namespaceSelector"].present()) {
    queue.namespace_selector = read_label_selector(spec["namespaceSelector"]);
    queue.selector_faults = selector_faults(spec["namespaceSelector"], "spec.namespaceSelector");
  }
  const Json fungibility = spec["flavorFungibility"];
  queue.fungibility = {.when_can_borrow = read_search(fungibility["whenCanBorrow"], "Borrow",
                                                      v1beta1, FlavorSearch::MayStopSearch),
                       .when_can_preempt = read_search(fungibility["whenCanPreempt"], "Preempt",
                                                       v1beta1, FlavorSearch::TryNextFlavor),
                       .preference = fungibility["preference"].choice(kPreferences)};
  const Json preemption = spec["preemption"];
  const Json borrow = preemption["borrowWithinCohort"];
  const PreemptionPolicy never = PreemptionPolicy::Never;
  queue.preemption = {
      .within_cluster_queue = preemption["withinClusterQueue"].choice(kWithin).value_or(never),
      .reclaim_within_cohort = preemption["reclaimWithinCohort"].choice(kReclaim).value_or(never),
      .borrow_within_cohort = borrow["policy"].choice(kBorrow).value_or(never),
      .max_priority_threshold = borrow["maxPriorityThreshold"].maybe_int32()};
  queue.admission_checks = read_checks(spec, v1beta1);
  queue.stop = spec["stopPolicy"].choice(kStopPolicies).value_or(StopPolicy::None);
  queue.weight = read_weight(spec);
  queue.admission_mode = spec["admissionScope"]["admissionMode"].choice(kModes);
  if (const Json policy = spec["concurrentAdmissionPolicy"]; policy.present()) {
    const Json migration = policy["migration"];
    if (!migration["mode"].present()) migration["mode"].fail("Required value");
    queue.concurrent_admission = ConcurrentAdmission{
        .mode = migration["mode"].choice(kMigrations).value_or(MigrationMode::TryPreferredFlavors),
        .has_constraints = migration["constraints"].present(),
        .last_acceptable_flavor = migration["constraints"]["lastAcceptableFlavorName"].text()};
  }
  queue.status = read_queue_status(json["status"], "flavorsUsage");
}

void read(Json json, std::string_view api_version, LocalQueue& queue) {
  queue.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  queue.cluster_queue = spec["clusterQueue"].text();
  queue.stop = spec["stopPolicy"].choice(kStopPolicies).value_or(StopPolicy::None);
  queue.weight = read_weight(spec);
  queue.status =
      read_queue_status(json["status"], is_v1beta1(api_version) ? "flavorUsage" : "flavorsUsage");
  const Json consumed = json["status"]["fairSharing"]["admissionFairSharingStatus"];
  if (consumed.present()) {
    ConsumedUsage& usage = queue.status.consumed.emplace();
    usage.resources = consumed["consumedResources"].exact_amounts();
    usage.updated = consumed["lastUpdate"].maybe_time().value_or(Time{});
  }
}

void read(Json json, std::string_view, Cohort& cohort) {
  cohort.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  cohort.parent = spec["parentName"].text();
  cohort.resource_groups = read_resource_groups(spec["resourceGroups"]);
  cohort.weight = read_weight(spec);
  cohort.weighted_share = json["status"]["fairSharing"]["weightedShare"].maybe_int64();
}

}  // namespace quorate::objects
