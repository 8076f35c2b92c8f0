#include "src/objects/validate.h"

#include <algorithm>

#include "src/objects/names.h"
#include "src/objects/schema_rules.h"
#include "src/objects/webhook_kueue.h"

namespace quorate::objects {
namespace {

// As on a server: what the schema refuses, the webhook never sees.
template <class Webhook>
FieldErrors then(SchemaRules& schema, Webhook webhook) {
  return schema.errors.empty() ? webhook() : std::move(schema.errors);
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& each : list) names.push_back(each.name);
  return names;
}

void group_rules(SchemaRules& schema, const std::vector<ResourceGroup>& groups) {
  const std::string root = "spec.resourceGroups";
  schema.items(root, groups.size(), 0, 16);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ResourceGroup& group = groups[i];
    const std::string path = at(root, i);
    schema.items(path + ".coveredResources", group.covered_resources.size(), 1, 64);
    schema.items(path + ".flavors", group.flavors.size(), 1, 64);
    schema.unique(path + ".flavors", names_of(group.flavors));
    bool equal = true;
    for (std::size_t j = 0; j < group.flavors.size(); ++j) {
      const FlavorQuotas& flavor = group.flavors[j];
      const std::string here = at(path + ".flavors", j);
      schema.subdomain(here + ".name", flavor.name, true);
      schema.items(here + ".resources", flavor.resources.size(), 1, 64);
      schema.unique(here + ".resources", names_of(flavor.resources));
      equal = equal && flavor.resources.size() == group.covered_resources.size();
    }
    schema.rule(equal, path,
                "flavors must have the same number of resources as the coveredResources");
  }
}

bool borrows(const std::vector<ResourceGroup>& groups) {
  for (const ResourceGroup& group : groups) {
    for (const FlavorQuotas& flavor : group.flavors) {
      if (std::ranges::any_of(flavor.resources, [](const ResourceQuota& q) {
            return q.borrowing_limit.has_value();
          })) {
        return true;
      }
    }
  }
  return false;
}

void check_rules(SchemaRules& schema, const std::vector<AdmissionCheckRule>& rules) {
  const std::string root = "spec.admissionChecksStrategy.admissionChecks";
  schema.items(root, rules.size(), 0, 64);
  schema.unique(root, names_of(rules));
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string path = at(root, i);
    schema.length(path + ".name", rules[i].name, 1, 316);
    schema.items(path + ".onFlavors", rules[i].on_flavors.size(), 0, 64);
    schema.unique(path + ".onFlavors", rules[i].on_flavors);
    for (std::size_t j = 0; j < rules[i].on_flavors.size(); ++j) {
      schema.subdomain(at(path + ".onFlavors", j), rules[i].on_flavors[j], true);
    }
  }
}

}  // namespace

FieldErrors validate(const ClusterQueue& queue) {
  SchemaRules schema;
  schema.name(queue.meta);
  schema.subdomain("spec.cohortName", queue.cohort);
  group_rules(schema, queue.resource_groups);
  schema.rule(!queue.cohort.empty() || !borrows(queue.resource_groups), "spec",
              "borrowingLimit must be nil when cohort is empty");
  const FlavorFungibility& fungibility = queue.fungibility;
  schema.rule(
      !fungibility.preference || (fungibility.when_can_borrow == FlavorSearch::TryNextFlavor &&
                                  fungibility.when_can_preempt == FlavorSearch::TryNextFlavor),
      "spec.flavorFungibility",
      "preference can only be set when both whenCanBorrow and whenCanPreempt are "
      "TryNextFlavor");
  schema.rule(queue.preemption.reclaim_within_cohort != PreemptionPolicy::Never ||
                  queue.preemption.borrow_within_cohort == PreemptionPolicy::Never,
              "spec.preemption", "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never");
  check_rules(schema, queue.admission_checks);
  if (queue.concurrent_admission) {
    schema.subdomain(
        "spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName",
        queue.concurrent_admission->last_acceptable_flavor);
  }
  return then(schema, [&] {
    return webhook_faults(queue, nullptr, FeatureGates{}, queue.selector_faults);
  });
}

FieldErrors validate(const Cohort& cohort) {
  SchemaRules schema;
  schema.name(cohort.meta);
  schema.subdomain("spec.parentName", cohort.parent);
  group_rules(schema, cohort.resource_groups);
  return then(schema, [&] { return webhook_faults(cohort); });
}

FieldErrors validate(const LocalQueue& queue) {
  SchemaRules schema;
  schema.name(queue.meta);
  schema.subdomain("spec.clusterQueue", queue.cluster_queue);
  return std::move(schema.errors);
}

FieldErrors validate(const ResourceFlavor& flavor) {
  SchemaRules schema;
  schema.name(flavor.meta);
  schema.items("spec.nodeLabels", flavor.node_labels.size(), 0, 8);
  schema.items("spec.nodeTaints", flavor.node_taints.size(), 0, 8);
  schema.rule(std::ranges::all_of(flavor.node_taints,
                                  [](const Taint& t) {
                                    return t.effect == "NoSchedule" ||
                                           t.effect == "PreferNoSchedule" ||
                                           t.effect == "NoExecute";
                                  }),
              "spec.nodeTaints",
              "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'");
  schema.tolerations("spec.tolerations", flavor.tolerations);
  schema.subdomain("spec.topologyName", flavor.topology);
  schema.rule(flavor.topology.empty() || !flavor.node_labels.empty(), "spec",
              "at least one nodeLabel is required when topology is set");
  return then(schema, [&] { return webhook_faults(flavor); });
}

FieldErrors validate(const Topology& topology) {
  SchemaRules schema;
  schema.name(topology.meta);
  const std::string root = "spec.levels";
  schema.items(root, topology.levels.size(), 1, 16);
  for (std::size_t i = 0; i < topology.levels.size(); ++i) {
    const std::string path = at(root, i) + ".nodeLabel";
    schema.length(path, topology.levels[i], 1, 316);
    for (const std::string& fault : label_key_faults(topology.levels[i])) {
      schema.errors.push_back(invalid_text(path, topology.levels[i], fault));
    }
  }
  std::vector<std::string> sorted = topology.levels;
  std::ranges::sort(sorted);
  schema.rule(std::ranges::adjacent_find(sorted) == sorted.end(), root, "must be unique");
  const auto hostname = std::ranges::find(topology.levels, names::kHostname);
  schema.rule(hostname == topology.levels.end() || hostname + 1 == topology.levels.end(), root,
              "the kubernetes.io/hostname label can only be used at the lowest level of topology");
  return std::move(schema.errors);
}

FieldErrors validate(const AdmissionCheck& check) {
  SchemaRules schema;
  schema.name(check.meta);
  schema.length("spec.controllerName", check.controller_name, 1, 253);
  const bool has_parameters = !check.parameters_api_group.empty() ||
                              !check.parameters_kind.empty() || !check.parameters_name.empty();
  if (has_parameters) {
    schema.subdomain("spec.parameters.apiGroup", check.parameters_api_group, true);
    schema.length("spec.parameters.kind", check.parameters_kind, 1, 63);
    schema.label("spec.parameters.name", check.parameters_name, true);
  }
  return std::move(schema.errors);
}

FieldErrors validate(const WorkloadPriorityClass& priority_class) {
  SchemaRules schema;
  schema.name(priority_class.meta);
  return std::move(schema.errors);
}

}  // namespace quorate::objects
