#include "admission/pod_digest.h"

#include "src/base/digest.h"

namespace quorate::admission {
namespace {

void put(Digest& digest, const ResourceList& list) {
  digest.number(static_cast<std::int64_t>(list.size()));
  for (const auto& [resource, amount] : list) digest.text(resource).number(amount.base_units());
}

void put(Digest& digest, const std::optional<ResourceList>& list) {
  digest.number(list ? 1 : 0);
  if (list) put(digest, *list);
}

void put(Digest& digest, const std::vector<ContainerResources>& containers) {
  digest.number(static_cast<std::int64_t>(containers.size()));
  for (const ContainerResources& container : containers) {
    put(digest, container.requests);
    put(digest, container.limits);
    digest.number(container.sidecar ? 1 : 0);
    digest.number(static_cast<std::int64_t>(container.host_ports.size()));
    for (const HostPort& port : container.host_ports) {
      digest.text(port.host_ip).text(port.protocol).number(port.port);
    }
  }
}

void put(Digest& digest, const std::vector<Requirement>& requirements) {
  digest.number(static_cast<std::int64_t>(requirements.size()));
  for (const Requirement& one : requirements) {
    digest.text(one.key).number(static_cast<std::int64_t>(one.op));
    digest.number(static_cast<std::int64_t>(one.values.size()));
    for (const std::string& value : one.values) digest.text(value);
  }
}

void put(Digest& digest, const NodeSelectorTerm& term) {
  put(digest, term.match_expressions);
  put(digest, term.match_fields);
}

}  // namespace

std::uint64_t digest_of(const PodTemplate& pod) {
  Digest digest;
  put(digest, pod.containers);
  put(digest, pod.init_containers);
  put(digest, pod.pod_requests);
  put(digest, pod.pod_limits);
  put(digest, pod.overhead);
  digest.text(pod.runtime_class);
  digest.number(static_cast<std::int64_t>(pod.node_selector.size()));
  for (const auto& [key, value] : pod.node_selector) digest.text(key).text(value);
  digest.number(pod.node_affinity.required ? 1 : 0);
  if (pod.node_affinity.required) {
    digest.number(static_cast<std::int64_t>(pod.node_affinity.required->size()));
    for (const NodeSelectorTerm& term : *pod.node_affinity.required) put(digest, term);
  }
  digest.number(static_cast<std::int64_t>(pod.node_affinity.preferred.size()));
  for (const auto& [weight, term] : pod.node_affinity.preferred) {
    digest.number(weight);
    put(digest, term);
  }
  digest.number(static_cast<std::int64_t>(pod.tolerations.size()));
  for (const Toleration& one : pod.tolerations) {
    digest.text(one.key).text(one.op).text(one.value).text(one.effect);
    digest.number(one.toleration_seconds.value_or(-1));
  }
  digest.text(pod.priority_class).number(pod.priority.value_or(0));
  digest.number(pod.host_network ? 1 : 0);
  return digest.value();
}

bool same_pod(const PodTemplate& a, const PodTemplate& b) {
  return a.containers == b.containers && a.init_containers == b.init_containers &&
         a.pod_requests == b.pod_requests && a.pod_limits == b.pod_limits &&
         a.overhead == b.overhead && a.runtime_class == b.runtime_class &&
         a.node_selector == b.node_selector && a.node_affinity == b.node_affinity &&
         a.tolerations == b.tolerations && a.priority_class == b.priority_class &&
         a.priority == b.priority && a.host_network == b.host_network &&
         a.scheduler_name == b.scheduler_name && a.preemption_policy == b.preemption_policy;
}

}  // namespace quorate::admission
