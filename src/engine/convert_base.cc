#include "src/engine/convert.h"

namespace quorate::engine::wire {
namespace {

// The numbers on disk are these; an enumerator that moves must not change what was recorded.
static_assert(static_cast<int>(Requirement::Op::In) == 0);
static_assert(static_cast<int>(Requirement::Op::NotIn) == 1);
static_assert(static_cast<int>(Requirement::Op::Exists) == 2);
static_assert(static_cast<int>(Requirement::Op::DoesNotExist) == 3);
static_assert(static_cast<int>(Requirement::Op::Gt) == 4);
static_assert(static_cast<int>(Requirement::Op::Lt) == 5);

template <class Map>
void put_map(const Map& from, LabelList& to) {
  for (const auto& [key, value] : from) {
    v1::Label& label = *to.Add();
    label.set_key(key);
    label.set_value(value);
  }
}

void put(const Requirement& from, v1::Requirement& to) {
  to.set_key(from.key);
  to.set_op(number_of(from.op));
  to.mutable_values()->Assign(from.values.begin(), from.values.end());
}

Requirement requirement_of(const v1::Requirement& from, Faults& faults) {
  return {from.key(),
          enum_of(from.op(), Requirement::Op::Lt, "requirement operator", faults),
          {from.values().begin(), from.values().end()}};
}

template <class Requirements>
std::vector<Requirement> requirements_of(const Requirements& from, Faults& faults) {
  std::vector<Requirement> to;
  for (const v1::Requirement& requirement : from) to.push_back(requirement_of(requirement, faults));
  return to;
}

void put(const NodeSelectorTerm& from, v1::NodeSelectorTerm& to) {
  for (const Requirement& one : from.match_expressions) put(one, *to.add_match_expressions());
  for (const Requirement& one : from.match_fields) put(one, *to.add_match_fields());
}

NodeSelectorTerm term_of(const v1::NodeSelectorTerm& from, Faults& faults) {
  return {requirements_of(from.match_expressions(), faults),
          requirements_of(from.match_fields(), faults)};
}

void put(const ContainerResources& from, v1::Container& to) {
  to.set_name(from.name);
  wire::put(from.requests, *to.mutable_requests());
  wire::put(from.limits, *to.mutable_limits());
  to.set_sidecar(from.sidecar);
  for (const HostPort& port : from.host_ports) {
    v1::HostPort& out = *to.add_host_ports();
    out.set_host_ip(port.host_ip);
    out.set_protocol(port.protocol);
    out.set_port(port.port);
  }
}

ContainerResources container_of(const v1::Container& from) {
  ContainerResources to{from.name(), amounts_of(from.requests()), amounts_of(from.limits()),
                        from.sidecar()};
  for (const v1::HostPort& port : from.host_ports()) {
    to.host_ports.push_back({port.host_ip(), port.protocol(), port.port()});
  }
  return to;
}

}  // namespace

void put(const ObjectKey& from, v1::ObjectKey& to) {
  to.set_ns(from.ns);
  to.set_name(from.name);
}

ObjectKey key_of(const v1::ObjectKey& from) { return {from.ns(), from.name()}; }

void put(const std::map<std::string, std::string, std::less<>>& from, LabelList& to) {
  put_map(from, to);
}

void put(const std::map<std::string, std::string>& from, LabelList& to) { put_map(from, to); }

void put(const ResourceList& from, v1::ResourceList& to) {
  for (const auto& [resource, amount] : from) {
    v1::Amount& out = *to.add_amounts();
    out.set_resource(resource);
    out.set_base_units(amount.base_units());
  }
}

ResourceList amounts_of(const v1::ResourceList& from) {
  ResourceList to;
  for (const v1::Amount& amount : from.amounts()) {
    to.insert_or_assign(amount.resource(), Quantity{amount.base_units()});
  }
  return to;
}

void put(const LabelSelector& from, v1::LabelSelector& to) {
  for (const Requirement& one : from.requirements) put(one, *to.add_requirements());
}

LabelSelector selector_of(const v1::LabelSelector& from, Faults& faults) {
  return {requirements_of(from.requirements(), faults)};
}

void put(const Taint& from, v1::Taint& to) {
  to.set_key(from.key);
  to.set_value(from.value);
  to.set_effect(from.effect);
}

Taint taint_of(const v1::Taint& from) { return {from.key(), from.value(), from.effect()}; }

void put(const Toleration& from, v1::Toleration& to) {
  to.set_key(from.key);
  to.set_op(from.op);
  to.set_value(from.value);
  to.set_effect(from.effect);
  if (from.toleration_seconds) to.set_toleration_seconds(*from.toleration_seconds);
}

Toleration toleration_of(const v1::Toleration& from) {
  Toleration to{from.key(), from.op(), from.value(), from.effect(), std::nullopt};
  if (from.has_toleration_seconds()) to.toleration_seconds = from.toleration_seconds();
  return to;
}

void put(const NodeAffinity& from, v1::NodeAffinity& to) {
  if (from.required) {
    v1::NodeAffinity::Required& required = *to.mutable_required();
    for (const NodeSelectorTerm& term : *from.required) put(term, *required.add_terms());
  }
  for (const auto& [weight, term] : from.preferred) {
    v1::NodeAffinity::Preferred& preferred = *to.add_preferred();
    preferred.set_weight(weight);
    put(term, *preferred.mutable_term());
  }
}

NodeAffinity affinity_of(const v1::NodeAffinity& from, Faults& faults) {
  NodeAffinity to;
  if (from.has_required()) {
    to.required.emplace();
    for (const v1::NodeSelectorTerm& term : from.required().terms()) {
      to.required->push_back(term_of(term, faults));
    }
  }
  for (const v1::NodeAffinity::Preferred& one : from.preferred()) {
    to.preferred.emplace_back(one.weight(), term_of(one.term(), faults));
  }
  return to;
}

void put(const std::vector<PodClaim>& from, PodClaimList& to) {
  for (const PodClaim& one : from) {
    v1::PodClaim& out = *to.Add();
    out.set_name(one.name);
    out.set_claim(one.claim);
    out.set_claim_template(one.claim_template);
  }
}

std::vector<PodClaim> claims_of(const PodClaimList& from) {
  std::vector<PodClaim> to;
  for (const v1::PodClaim& one : from)
    to.push_back({one.name(), one.claim(), one.claim_template()});
  return to;
}

void put(const PodTemplate& from, v1::PodTemplate& to) {
  put(from.labels, *to.mutable_labels());
  put(from.annotations, *to.mutable_annotations());
  for (const ContainerResources& one : from.containers) put(one, *to.add_containers());
  for (const ContainerResources& one : from.init_containers) put(one, *to.add_init_containers());
  if (from.pod_requests) put(*from.pod_requests, *to.mutable_pod_requests());
  if (from.pod_limits) put(*from.pod_limits, *to.mutable_pod_limits());
  if (!from.overhead.empty()) put(from.overhead, *to.mutable_overhead());
  to.set_runtime_class(from.runtime_class);
  put(from.node_selector, *to.mutable_node_selector());
  put(from.node_affinity, *to.mutable_node_affinity());
  for (const Toleration& one : from.tolerations) put(one, *to.add_tolerations());
  to.set_priority_class(from.priority_class);
  if (from.priority) to.set_priority(*from.priority);
  to.set_preemption_policy(from.preemption_policy);
  to.set_scheduler_name(from.scheduler_name);
  to.set_scheduling_group(from.scheduling_group);
  to.mutable_scheduling_gates()->Assign(from.scheduling_gates.begin(), from.scheduling_gates.end());
  put(from.resource_claims, *to.mutable_resource_claims());
  to.set_host_network(from.host_network);
  to.mutable_images()->Assign(from.images.begin(), from.images.end());
  if (!from.relations.is_default()) put(*from.relations, *to.mutable_relations());
}

PodTemplate template_of(const v1::PodTemplate& from, Faults& faults) {
  PodTemplate to;
  to.labels = map_of<Labels>(from.labels());
  to.annotations = map_of<Labels>(from.annotations());
  for (const v1::Container& one : from.containers()) to.containers.push_back(container_of(one));
  for (const v1::Container& one : from.init_containers()) {
    to.init_containers.push_back(container_of(one));
  }
  if (from.has_pod_requests()) to.pod_requests = amounts_of(from.pod_requests());
  if (from.has_pod_limits()) to.pod_limits = amounts_of(from.pod_limits());
  to.overhead = amounts_of(from.overhead());
  to.runtime_class = from.runtime_class();
  to.node_selector = map_of<Labels>(from.node_selector());
  to.node_affinity = affinity_of(from.node_affinity(), faults);
  for (const v1::Toleration& one : from.tolerations()) {
    to.tolerations.push_back(toleration_of(one));
  }
  to.priority_class = from.priority_class();
  if (from.has_priority()) to.priority = from.priority();
  to.preemption_policy = from.preemption_policy();
  to.scheduler_name = from.scheduler_name();
  to.scheduling_group = from.scheduling_group();
  to.scheduling_gates = {from.scheduling_gates().begin(), from.scheduling_gates().end()};
  to.resource_claims = claims_of(from.resource_claims());
  to.host_network = from.host_network();
  to.images = {from.images().begin(), from.images().end()};
  if (from.has_relations()) to.relations = relations_of(from.relations(), faults);
  return to;
}

}  // namespace quorate::engine::wire
