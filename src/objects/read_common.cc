#include <array>

#include "src/objects/read.h"

namespace quorate::objects {
namespace {

using Op = Requirement::Op;
constexpr std::array<std::pair<std::string_view, Op>, 4> kLabelOps{{
    {"In", Op::In},
    {"NotIn", Op::NotIn},
    {"Exists", Op::Exists},
    {"DoesNotExist", Op::DoesNotExist},
}};
// Those of nodes compare numbers, too.
constexpr std::array<std::pair<std::string_view, Op>, 6> kNodeOps{{
    {"In", Op::In},
    {"NotIn", Op::NotIn},
    {"Exists", Op::Exists},
    {"DoesNotExist", Op::DoesNotExist},
    {"Gt", Op::Gt},
    {"Lt", Op::Lt},
}};

template <class Ops>
std::vector<Requirement> read_requirements(Json json, const Ops& ops) {
  std::vector<Requirement> all;
  json.each([&](Json each) {
    Requirement& requirement = all.emplace_back();
    requirement.key = each["key"].required_text();
    if (!each["operator"].present()) each["operator"].fail("Required value");
    requirement.op = each["operator"].choice(ops).value_or(Op::In);
    requirement.values = each["values"].texts();
  });
  return all;
}

ContainerResources read_container(Json json, bool init, bool host_network) {
  ContainerResources container;
  container.name = json["name"].text();
  container.requests = json["resources"]["requests"].resources();
  container.limits = json["resources"]["limits"].resources();
  container.sidecar = init && json["restartPolicy"].text() == "Always";
  json["ports"].each([&](Json port) {
    add_host_port(container, host_network, port["hostPort"].int32(), port["containerPort"].int32(),
                  port["protocol"].text(), port["hostIP"].text());
  });
  return container;
}

}  // namespace

bool keep_annotation(std::string_view key) {
  return key != "kubectl.kubernetes.io/last-applied-configuration";
}

ConditionStatus condition_status(std::string_view text) {
  if (text == "True") return ConditionStatus::True;
  if (text == "False") return ConditionStatus::False;
  return ConditionStatus::Unknown;
}

void add_host_port(ContainerResources& container, bool host_network, std::int32_t host_port,
                   std::int32_t container_port, std::string protocol, std::string host_ip) {
  // As the API server defaults it where it knows the pod: on the host's network every port is one
  // of the host.
  const std::int32_t port = host_port == 0 && host_network ? container_port : host_port;
  if (port == 0) return;
  container.host_ports.push_back({.host_ip = std::move(host_ip),
                                  .protocol = protocol.empty() ? "TCP" : std::move(protocol),
                                  .port = port});
}

NodeSelectorTerm read_node_term(Json json) {
  return {.match_expressions = read_requirements(json["matchExpressions"], kNodeOps),
          .match_fields = read_requirements(json["matchFields"], kNodeOps)};
}

ObjectMeta read_meta(Json json) {
  ObjectMeta meta;
  meta.key = {json["namespace"].text(), json["name"].text()};
  meta.generate_name = json["generateName"].text();
  meta.uid = json["uid"].text();
  meta.resource_version = json["resourceVersion"].text();
  meta.generation = json["generation"].int64();
  meta.labels = json["labels"].labels();
  meta.annotations = json["annotations"].labels();
  std::erase_if(meta.annotations, [](const auto& entry) { return !keep_annotation(entry.first); });
  json["ownerReferences"].each([&](Json owner) {
    meta.owners.push_back({.api_version = owner["apiVersion"].text(),
                           .kind = owner["kind"].text(),
                           .name = owner["name"].text(),
                           .uid = owner["uid"].text(),
                           .controller = owner["controller"].boolean(),
                           .block_owner_deletion = owner["blockOwnerDeletion"].boolean()});
  });
  meta.finalizers = json["finalizers"].texts();
  meta.created = json["creationTimestamp"].maybe_time().value_or(Time{});
  meta.deleted = json["deletionTimestamp"].maybe_time();
  return meta;
}

std::vector<Condition> read_conditions(Json json) {
  std::vector<Condition> all;
  json.each([&](Json each) {
    all.push_back({.type = each["type"].text(),
                   .status = condition_status(each["status"].text()),
                   .reason = each["reason"].text(),
                   .message = each["message"].text(),
                   .observed_generation = each["observedGeneration"].int64(),
                   .last_transition = each["lastTransitionTime"].maybe_time().value_or(Time{})});
  });
  return all;
}

LabelSelector read_label_selector(Json json) {
  LabelSelector selector;
  for (const auto& [key, value] : json["matchLabels"].labels()) {
    selector.requirements.push_back({.key = key, .op = Requirement::Op::In, .values = {value}});
  }
  for (Requirement& each : read_requirements(json["matchExpressions"], kLabelOps)) {
    selector.requirements.push_back(std::move(each));
  }
  return selector;
}

std::vector<Taint> read_taints(Json json) {
  std::vector<Taint> all;
  json.each([&](Json each) {
    all.push_back({each["key"].text(), each["value"].text(), each["effect"].text()});
  });
  return all;
}

std::vector<Toleration> read_tolerations(Json json) {
  std::vector<Toleration> all;
  json.each([&](Json each) {
    all.push_back({.key = each["key"].text(),
                   .op = each["operator"].text(),
                   .value = each["value"].text(),
                   .effect = each["effect"].text(),
                   .toleration_seconds = each["tolerationSeconds"].maybe_int64()});
  });
  return all;
}

NodeAffinity read_node_affinity(Json json) {
  NodeAffinity affinity;
  if (const Json required = json["requiredDuringSchedulingIgnoredDuringExecution"];
      required.present()) {
    affinity.required.emplace();
    required["nodeSelectorTerms"].each(
        [&](Json term) { affinity.required->push_back(read_node_term(term)); });
  }
  json["preferredDuringSchedulingIgnoredDuringExecution"].each([&](Json each) {
    affinity.preferred.emplace_back(each["weight"].int32(), read_node_term(each["preference"]));
  });
  return affinity;
}

std::vector<PodClaim> read_pod_claims(Json json) {
  std::vector<PodClaim> claims;
  json.each([&](Json each) {
    claims.push_back({each["name"].text(), each["resourceClaimName"].text(),
                      each["resourceClaimTemplateName"].text()});
  });
  return claims;
}

std::map<std::string, std::string> read_claim_names(Json json) {
  std::map<std::string, std::string> names;
  json.each([&](Json each) { names[each["name"].text()] = each["resourceClaimName"].text(); });
  return names;
}

PodTemplate read_pod_spec(Json spec) {
  PodTemplate pod;
  pod.host_network = spec["hostNetwork"].boolean();
  spec["containers"].each(
      [&](Json c) { pod.containers.push_back(read_container(c, false, pod.host_network)); });
  spec["initContainers"].each(
      [&](Json c) { pod.init_containers.push_back(read_container(c, true, pod.host_network)); });
  if (const Json resources = spec["resources"]; resources.present()) {
    pod.pod_requests = resources["requests"].resources();
    pod.pod_limits = resources["limits"].resources();
  }
  pod.overhead = spec["overhead"].resources();
  pod.runtime_class = spec["runtimeClassName"].text();
  pod.node_selector = spec["nodeSelector"].labels();
  pod.node_affinity = read_node_affinity(spec["affinity"]["nodeAffinity"]);
  pod.tolerations = read_tolerations(spec["tolerations"]);
  pod.priority_class = spec["priorityClassName"].text();
  pod.priority = spec["priority"].maybe_int32();
  pod.preemption_policy = spec["preemptionPolicy"].text();
  pod.scheduler_name = spec["schedulerName"].text();
  pod.scheduling_group = spec["schedulingGroup"]["podGroupName"].text();
  spec["schedulingGates"].each(
      [&](Json gate) { pod.scheduling_gates.push_back(gate["name"].text()); });
  pod.images = read_pod_images(spec);
  pod.relations = read_pod_relations(spec);
  pod.resource_claims = read_pod_claims(spec["resourceClaims"]);
  return pod;
}

TemplateSource read_template(Json json) {
  TemplateSource source;
  if (!json.present()) return source;
  PodTemplate pod = read_pod_spec(json["spec"]);
  pod.labels = json["metadata"]["labels"].labels();
  pod.annotations = json["metadata"]["annotations"].labels();
  source.json = std::make_shared<const std::string>(json.canonical());
  source.parsed = std::make_shared<const PodTemplate>(std::move(pod));
  return source;
}

}  // namespace quorate::objects
