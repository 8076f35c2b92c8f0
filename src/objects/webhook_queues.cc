#include <algorithm>
#include <set>

#include "src/objects/json_writer.h"
#include "src/objects/numbers.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

constexpr std::size_t kMaxFlavors = 256;
constexpr std::size_t kMaxResources = 256;
constexpr std::size_t kMaxPairs = 512;
constexpr std::size_t kMaxConcurrentFlavors = 16;
constexpr const char* kNegative = "must be greater than or equal to 0";

struct QuotaRules {
  bool has_parent = false;
  const char* no_parent = "";  // what to say of a limit without one
  bool lending_within_nominal = false;
};

void limit_faults(const std::optional<Quantity>& limit, const ResourceQuota& quota,
                  const QuotaRules& rules, bool lending, const std::string& path,
                  FieldErrors& errors) {
  if (!limit) return;
  const std::string text = format_quantity(quota.name, *limit);
  if (*limit < Quantity{}) errors.push_back(invalid_text(path, text, kNegative));
  if (!rules.has_parent) errors.push_back(invalid_text(path, text, rules.no_parent));
  if (lending && rules.lending_within_nominal && *limit > quota.nominal) {
    errors.push_back(invalid_text(path, text, "must be less than or equal to the nominalQuota"));
  }
}

void flavor_faults(const FlavorQuotas& flavor, const ResourceGroup& group, const QuotaRules& rules,
                   const std::string& path, FieldErrors& errors) {
  const std::size_t count = std::min(flavor.resources.size(), group.covered_resources.size());
  for (std::size_t k = 0; k < count; ++k) {
    const ResourceQuota& quota = flavor.resources[k];
    const std::string here = at(path + ".resources", k);
    if (quota.name != group.covered_resources[k]) {
      errors.push_back(
          invalid_text(here + ".name", quota.name, "must match the name in coveredResources"));
    }
    if (quota.nominal < Quantity{}) {
      errors.push_back(invalid_text(here + ".nominalQuota",
                                    format_quantity(quota.name, quota.nominal), kNegative));
    }
    limit_faults(quota.borrowing_limit, quota, rules, false, here + ".borrowingLimit", errors);
    limit_faults(quota.lending_limit, quota, rules, true, here + ".lendingLimit", errors);
  }
}

void group_faults(const std::vector<ResourceGroup>& groups, const QuotaRules& rules,
                  FieldErrors& errors) {
  std::set<std::string> resources;
  std::set<std::string> flavors;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string path = at("spec.resourceGroups", i);
    for (std::size_t j = 0; j < groups[i].covered_resources.size(); ++j) {
      const std::string& name = groups[i].covered_resources[j];
      const std::string here = at(path + ".coveredResources", j);
      for (const std::string& fault : label_key_faults(name)) {
        errors.push_back(invalid_text(here, name, fault));
      }
      if (!resources.insert(name).second) {
        errors.push_back({here, FieldError::Kind::Duplicate, quoted(name), ""});
      }
    }
    for (std::size_t j = 0; j < groups[i].flavors.size(); ++j) {
      const FlavorQuotas& flavor = groups[i].flavors[j];
      const std::string here = at(path + ".flavors", j);
      flavor_faults(flavor, groups[i], rules, here, errors);
      if (!flavors.insert(flavor.name).second) {
        errors.push_back({here + ".name", FieldError::Kind::Duplicate, quoted(flavor.name), ""});
      }
    }
  }
}

void weight_faults(std::int64_t billionths, FieldErrors& errors) {
  const std::string text = billionths == 1 ? "1n" : format_billionths(billionths);
  if (billionths < 0) errors.push_back(invalid_text("spec.fairSharing", text, kNegative));
  if (billionths != 0 && billionths <= 1) {
    errors.push_back(invalid_text("spec.fairSharing", text, "When not 0, weight must be > 10e-9"));
  }
}

std::string_view name_of(PreemptionPolicy policy) {
  switch (policy) {
    case PreemptionPolicy::Never:
      return "Never";
    case PreemptionPolicy::LowerPriority:
      return "LowerPriority";
    case PreemptionPolicy::LowerOrNewerEqualPriority:
      return "LowerOrNewerEqualPriority";
    case PreemptionPolicy::Any:
      return "Any";
  }
  return "Never";
}

std::string json_of(const Preemption& preemption) {
  JsonWriter out;
  out.open().field("reclaimWithinCohort", name_of(preemption.reclaim_within_cohort));
  out.key("borrowWithinCohort").open();
  out.field("policy", name_of(preemption.borrow_within_cohort));
  out.maybe("maxPriorityThreshold", preemption.max_priority_threshold).close();
  out.field("withinClusterQueue", name_of(preemption.within_cluster_queue)).close();
  return out.take();
}

std::set<std::string> flavors_of(const ClusterQueue& queue) {
  std::set<std::string> names;
  for (const ResourceGroup& group : queue.resource_groups) {
    for (const FlavorQuotas& flavor : group.flavors) names.insert(flavor.name);
  }
  return names;
}

void total_faults(const ClusterQueue& queue, FieldErrors& errors) {
  const auto too_many = [&](std::size_t count, std::size_t most, const std::string& path,
                            const std::string& what) {
    if (count <= most) return;
    errors.push_back(
        invalid(path, std::to_string(count),
                what + " must be ≤ " + std::to_string(most) + ", got " + std::to_string(count)));
  };
  std::size_t flavors = 0;
  std::size_t resources = 0;
  for (const ResourceGroup& group : queue.resource_groups) {
    flavors += group.flavors.size();
    resources += group.covered_resources.size();
  }
  too_many(flavors, kMaxFlavors, "spec.resourceGroups",
           "total number of flavors across all resourceGroups");
  too_many(resources, kMaxResources, "spec.resourceGroups",
           "total number of covered resources across all resourceGroups");
  for (std::size_t i = 0; i < queue.resource_groups.size(); ++i) {
    const ResourceGroup& group = queue.resource_groups[i];
    too_many(group.flavors.size() * group.covered_resources.size(), kMaxPairs,
             at("spec.resourceGroups", i),
             "number of flavor-resource combinations in a resourceGroup");
  }
}

void check_faults(const ClusterQueue& queue, const ClusterQueue* before, const FeatureGates& gates,
                  FieldErrors& errors) {
  const std::set<std::string> flavors = flavors_of(queue);
  const std::vector<std::string> supported(flavors.begin(), flavors.end());
  const bool tolerant = before != nullptr &&
                        !gates.enabled("RejectUpdatesToCQWithInvalidOnFlavors") &&
                        flavors_of(*before) == flavors;
  for (std::size_t i = 0; i < queue.admission_checks.size(); ++i) {
    const AdmissionCheckRule& rule = queue.admission_checks[i];
    if (tolerant) {
      const auto old =
          std::ranges::find(before->admission_checks, rule.name, &AdmissionCheckRule::name);
      if (old != before->admission_checks.end() &&
          std::set(old->on_flavors.begin(), old->on_flavors.end()) ==
              std::set(rule.on_flavors.begin(), rule.on_flavors.end())) {
        continue;
      }
    }
    for (std::size_t j = 0; j < rule.on_flavors.size(); ++j) {
      if (flavors.contains(rule.on_flavors[j])) continue;
      errors.push_back(
          not_supported(at(at("spec.admissionChecksStrategy.admissionChecks", i) + ".onFlavors", j),
                        rule.on_flavors[j], supported));
    }
  }
}

void concurrent_faults(const ClusterQueue& queue, FieldErrors& errors) {
  const std::string path = "spec.concurrentAdmissionPolicy.migration.constraints";
  const ConcurrentAdmission& policy = *queue.concurrent_admission;
  if (queue.resource_groups.size() != 1) {
    errors.push_back(
        invalid("spec.resourceGroups", std::to_string(queue.resource_groups.size()),
                "must have exactly one ResourceGroup when ConcurrentAdmissionPolicy is defined"));
  } else if (queue.resource_groups.front().flavors.size() > kMaxConcurrentFlavors) {
    errors.push_back(invalid("spec.resourceGroups[0].flavors",
                             std::to_string(queue.resource_groups.front().flavors.size()),
                             "cannot have more than 16 resource flavors in the ResourceGroup when "
                             "ConcurrentAdmissionPolicy is defined"));
  }
  if (policy.has_constraints && policy.mode != MigrationMode::TryPreferredFlavors) {
    errors.push_back({path, FieldError::Kind::Forbidden, "",
                      "may only be set when migration.mode is \"TryPreferredFlavors\" (got "
                      "\"RetainFirstAdmission\")"});
  } else if (policy.has_constraints && !policy.last_acceptable_flavor.empty()) {
    std::string known;
    bool found = false;
    for (const ResourceGroup& group : queue.resource_groups) {
      for (const FlavorQuotas& flavor : group.flavors) {
        known += (known.empty() ? "" : " ") + flavor.name;
        found = found || flavor.name == policy.last_acceptable_flavor;
      }
    }
    if (!found) {
      errors.push_back(
          invalid_text(path + ".lastAcceptableFlavorName", policy.last_acceptable_flavor,
                       "must be one of the flavors defined in the ClusterQueue: [" + known + "]"));
    }
  }
  if (queue.strategy == QueueingStrategy::StrictFIFO) {
    errors.push_back(invalid_text("spec.queueingStrategy", "StrictFIFO",
                                  "StrictFIFO queueing strategy cannot be used when "
                                  "ConcurrentAdmissionPolicy is defined"));
  }
}

}  // namespace

FieldErrors webhook_faults(const ClusterQueue& queue, const ClusterQueue* before,
                           const FeatureGates& gates, const FieldErrors& selector) {
  FieldErrors errors;
  group_faults(queue.resource_groups,
               {.has_parent = !queue.cohort.empty(),
                .no_parent = "must be nil when cohort is empty",
                .lending_within_nominal = true},
               errors);
  append(errors, selector);
  if (queue.preemption.reclaim_within_cohort == PreemptionPolicy::Never &&
      queue.preemption.borrow_within_cohort != PreemptionPolicy::Never) {
    errors.push_back(invalid("spec.preemption", json_of(queue.preemption),
                             "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"));
  }
  if (const auto preference = queue.fungibility.preference;
      preference && (queue.fungibility.when_can_borrow != FlavorSearch::TryNextFlavor ||
                     queue.fungibility.when_can_preempt != FlavorSearch::TryNextFlavor)) {
    const std::string text = *preference == FungibilityPreference::BorrowingOverPreemption
                                 ? "BorrowingOverPreemption"
                                 : "PreemptionOverBorrowing";
    errors.push_back(invalid_text("spec.flavorFungibility.preference", text,
                                  "preference \"" + text +
                                      "\" requires both whenCanBorrow and whenCanPreempt to be "
                                      "TryNextFlavor"));
  }
  weight_faults(queue.weight, errors);
  total_faults(queue, errors);
  check_faults(queue, before, gates, errors);
  if (queue.concurrent_admission && gates.enabled("ConcurrentAdmission")) {
    concurrent_faults(queue, errors);
  }
  if (before != nullptr && before->concurrent_admission != queue.concurrent_admission) {
    errors.push_back(
        immutable("spec.concurrentAdmissionPolicy", queue.concurrent_admission ? "{}" : "null"));
  }
  return errors;
}

FieldErrors webhook_faults(const Cohort& cohort) {
  FieldErrors errors;
  weight_faults(cohort.weight, errors);
  group_faults(cohort.resource_groups,
               {.has_parent = !cohort.parent.empty(),
                .no_parent = "must be nil when parent is empty",
                .lending_within_nominal = false},
               errors);
  return errors;
}

FieldErrors webhook_faults(const ResourceFlavor& flavor) {
  FieldErrors errors = labels_faults(flavor.node_labels, "spec.nodeLabels");
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < flavor.node_taints.size(); ++i) {
    const Taint& taint = flavor.node_taints[i];
    const std::string path = at("spec.nodeTaints", i);
    for (const std::string& fault : label_key_faults(taint.key)) {
      errors.push_back(invalid_text(path + ".key", taint.key, fault));
    }
    std::string faults;
    for (const std::string& fault : label_value_faults(taint.value)) {
      faults += (faults.empty() ? "" : ";") + fault;
    }
    if (!faults.empty()) errors.push_back(invalid_text(path + ".value", taint.value, faults));
    if (!seen.emplace(taint.key, taint.effect).second) {
      JsonWriter out;
      out.open().field("key", std::string_view(taint.key));
      out.field_unless_empty("value", taint.value);
      out.field("effect", std::string_view(taint.effect)).close();
      errors.push_back({path, FieldError::Kind::Duplicate, out.take(),
                        "taints must be unique by key and effect pair"});
    }
  }
  for (std::size_t i = 0; i < flavor.tolerations.size(); ++i) {
    const Toleration& toleration = flavor.tolerations[i];
    if (toleration.key.empty()) continue;
    for (const std::string& fault : label_key_faults(toleration.key)) {
      errors.push_back(invalid_text(at("spec.tolerations", i) + ".key", toleration.key, fault));
    }
  }
  return errors;
}

}  // namespace quorate::objects
