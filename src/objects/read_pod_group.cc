#include "src/objects/names.h"
#include "src/objects/read.h"

namespace quorate::objects {
namespace {

constexpr std::string_view kScheduled = "PodGroupInitiallyScheduled";
constexpr std::string_view kScheduledInV1alpha2 = "PodGroupScheduled";

PodGroupApi api_of(std::string_view api_version) {
  if (api_version == "scheduling.k8s.io/v1alpha3") return PodGroupApi::V1alpha3;
  if (api_version == "scheduling.k8s.io/v1alpha2") return PodGroupApi::V1alpha2;
  if (api_version == "scheduling.x-k8s.io/v1alpha1") return PodGroupApi::Fallback;
  return PodGroupApi::V1beta1;
}

void read_native(Json spec, PodGroup& group) {
  const Json policy = spec["schedulingPolicy"];
  const Json gang = policy["gang"];
  if (gang.present()) {
    group.min_count = gang["minCount"].int32();
    if (*group.min_count < 1) gang["minCount"].invalid("must be greater than or equal to 1");
    if (policy["basic"].present()) {
      policy.fail("Invalid value: must specify exactly one of: `basic`, `gang`");
    }
  }
  spec["schedulingConstraints"]["topology"].each(
      [&](Json each) { group.topology_keys.push_back(each["key"].required_text()); });
  group.resource_claims = read_pod_claims(spec["resourceClaims"]);
  group.priority_class = spec["priorityClassName"].text();
  group.priority = spec["priority"].maybe_int32();
  group.preemption_policy = spec["preemptionPolicy"].text();

  const Json mode = spec["disruptionMode"];
  if (group.api == PodGroupApi::V1alpha2) {
    group.disrupt_together = mode.text() == "PodGroup";
    const Json workload = spec["podGroupTemplateRef"]["workload"];
    group.workload_name = workload["workloadName"].text();
    group.template_name = workload["podGroupTemplateName"].text();
  } else {
    group.disrupt_together = mode["all"].present();
    group.workload_name = spec["workloadRef"]["workloadName"].text();
    group.template_name = spec["workloadRef"]["templateName"].text();
    group.parent = spec["parentCompositePodGroupName"].text();
  }
}

void read_fallback(Json json, PodGroup& group) {
  const Json spec = json["spec"];
  // Without a minimum the group has no quorum: its members are placed as they fit.
  const std::int32_t minimum = spec["minMember"].int32();
  if (minimum < 0) spec["minMember"].invalid("must be greater than or equal to 1");
  if (minimum > 0) group.min_count = minimum;
  group.min_resources = spec["minResources"].resources();
  group.schedule_timeout_seconds = spec["scheduleTimeoutSeconds"].maybe_int32();
  group.phase = json["status"]["phase"].text();
  const Labels& annotations = group.meta.annotations;
  if (const std::string_view key = value_of(annotations, names::kGroupTopologyKey); !key.empty()) {
    group.topology_keys.emplace_back(key);
  }
  group.disrupt_together = value_of(annotations, names::kGroupDisruptionMode) == "all";
}

// What cannot be read tells of nothing: the annotation of one group is not to be the end of it.
std::vector<ToldComposite> told_composites(std::string_view text) {
  JsonDocument document;
  std::vector<ToldComposite> told;
  if (text.empty() || !document.parse(text)) return told;
  document.root().each([&](Json each) {
    told.push_back({each["name"].required_text(), each["minGroupCount"].maybe_int32(),
                    each["topologyKey"].text(), each["disruptionMode"].text() == "all"});
  });
  if (document.fault()) told.clear();
  return told;
}

}  // namespace

const KindInfo& kind_of(PodGroupApi api) {
  switch (api) {
    case PodGroupApi::V1beta1:
      return kinds::kPodGroupV1beta1;
    case PodGroupApi::V1alpha3:
      return kinds::kPodGroupV1alpha3;
    case PodGroupApi::V1alpha2:
      return kinds::kPodGroupV1alpha2;
    case PodGroupApi::Fallback:
      return kinds::kPodGroupFallback;
  }
  return kinds::kPodGroupV1beta1;
}

void read(Json json, std::string_view api_version, PodGroup& group) {
  group.meta = read_meta(json["metadata"]);
  group.api = api_of(api_version);
  if (group.api == PodGroupApi::Fallback) {
    read_fallback(json, group);
  } else {
    read_native(json["spec"], group);
  }
  group.claim_names = read_claim_names(json["status"]["resourceClaimStatuses"]);
  group.composites = told_composites(value_of(group.meta.annotations, names::kCompositeGroups));
  group.conditions = read_conditions(json["status"]["conditions"]);
  if (group.api == PodGroupApi::V1alpha2) {
    for (Condition& condition : group.conditions) {
      if (condition.type == kScheduledInV1alpha2) condition.type = kScheduled;
    }
  }
}

void read(Json json, std::string_view, CompositePodGroup& group) {
  group.meta = read_meta(json["metadata"]);
  const Json spec = json["spec"];
  const Json gang = spec["schedulingPolicy"]["gang"];
  if (gang.present()) {
    group.min_groups = gang["minGroupCount"].int32();
    if (*group.min_groups < 1) {
      gang["minGroupCount"].invalid("must be greater than or equal to 1");
    }
  }
  spec["schedulingConstraints"]["topology"].each(
      [&](Json each) { group.topology_keys.push_back(each["key"].required_text()); });
  group.disrupt_together = spec["disruptionMode"]["all"].present();
  group.priority_class = spec["priorityClassName"].text();
  group.priority = spec["priority"].maybe_int32();
  group.preemption_policy = spec["preemptionPolicy"].text();
  group.workload_name = spec["workloadRef"]["workloadName"].text();
  group.parent = spec["parentCompositePodGroupName"].text();
}

void read(Json json, std::string_view, DisruptionBudget& budget) {
  budget.meta = read_meta(json["metadata"]);
  budget.selector = read_label_selector(json["spec"]["selector"]);
  budget.allowed = json["status"]["disruptionsAllowed"].int32();
  json["status"]["disruptedPods"].members(
      [&](std::string_view name, Json) { budget.disrupted.emplace_back(name); });
}

}  // namespace quorate::objects
