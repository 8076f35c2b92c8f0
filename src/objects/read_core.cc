#include <algorithm>
#include <tuple>

#include "src/objects/names.h"
#include "src/objects/read.h"

namespace quorate::objects {

std::string_view text_of(PodPhase phase) {
  switch (phase) {
    case PodPhase::Pending:
      return "Pending";
    case PodPhase::Running:
      return "Running";
    case PodPhase::Succeeded:
      return "Succeeded";
    case PodPhase::Failed:
      return "Failed";
    case PodPhase::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

PodPhase pod_phase(std::string_view text) {
  if (text.empty() || text == "Pending") return PodPhase::Pending;
  if (text == "Running") return PodPhase::Running;
  if (text == "Succeeded") return PodPhase::Succeeded;
  if (text == "Failed") return PodPhase::Failed;
  return PodPhase::Unknown;
}

std::int32_t clamp_restarts(std::int64_t restarts) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(restarts, 0, INT32_MAX));
}

bool operator==(const Pod& a, const Pod& b) {
  const auto rest = [](const Pod& p) {
    return std::tie(p.meta, *p.spec, p.node_name, p.nominated_node, p.phase, p.status_reason,
                    p.status_message, p.conditions, p.started, p.restarts, p.grace_period_seconds,
                    p.claim_names, p.extended_claim);
  };
  return rest(a) == rest(b);
}

std::string_view group_of(const Pod& pod) {
  if (!pod.spec->scheduling_group.empty()) return pod.spec->scheduling_group;
  return value_of(pod.meta.labels, names::kFallbackPodGroup);
}

void read(Json json, std::string_view, Pod& pod) {
  pod.meta = read_meta(json["metadata"]);
  pod.grace_period_seconds = json["metadata"]["deletionGracePeriodSeconds"].maybe_int64();
  const Json spec = json["spec"];
  pod.spec = std::make_shared<const PodTemplate>(read_pod_spec(spec));
  pod.node_name = spec["nodeName"].text();
  const Json status = json["status"];
  pod.nominated_node = status["nominatedNodeName"].text();
  pod.phase = pod_phase(status["phase"].text());
  pod.status_reason = status["reason"].text();
  pod.status_message = status["message"].text();
  pod.conditions = read_conditions(status["conditions"]);
  pod.claim_names = read_claim_names(status["resourceClaimStatuses"]);
  pod.extended_claim = status["extendedResourceClaimStatus"]["resourceClaimName"].text();
  pod.started = status["startTime"].maybe_time();
  std::int64_t restarts = 0;
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    status[list].each([&](Json each) { restarts += each["restartCount"].int32(); });
  }
  pod.restarts = clamp_restarts(restarts);
}

void read(Json json, std::string_view, Node& node) {
  node.meta = read_meta(json["metadata"]);
  node.unschedulable = json["spec"]["unschedulable"].boolean();
  node.taints = read_taints(json["spec"]["taints"]);
  node.capacity = json["status"]["capacity"].resources();
  node.allocatable = json["status"]["allocatable"].resources();
  node.conditions = read_conditions(json["status"]["conditions"]);
}

void read(Json json, std::string_view, Namespace& ns) {
  ns.meta = read_meta(json["metadata"]);
  ns.terminating = json["status"]["phase"].text() == "Terminating";
}

void read(Json json, std::string_view, PriorityClass& priority_class) {
  priority_class.meta = read_meta(json["metadata"]);
  priority_class.value = json["value"].int32();
  priority_class.global_default = json["globalDefault"].boolean();
  priority_class.preemption_policy = json["preemptionPolicy"].text("PreemptLowerPriority");
}

void read(Json json, std::string_view, LimitRange& range) {
  range.meta = read_meta(json["metadata"]);
  json["spec"]["limits"].each([&](Json each) {
    range.limits.push_back({.type = each["type"].text(),
                            .max = each["max"].resources(),
                            .min = each["min"].resources(),
                            .default_limits = each["default"].resources(),
                            .default_requests = each["defaultRequest"].resources()});
  });
}

void read(Json json, std::string_view, RuntimeClass& runtime_class) {
  runtime_class.meta = read_meta(json["metadata"]);
  runtime_class.handler = json["handler"].text();
  runtime_class.overhead = json["overhead"]["podFixed"].resources();
  runtime_class.node_selector = json["scheduling"]["nodeSelector"].labels();
  runtime_class.tolerations = read_tolerations(json["scheduling"]["tolerations"]);
}

}  // namespace quorate::objects
