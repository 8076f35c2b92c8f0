#include "src/base/pod_template.h"

#include <algorithm>
#include <string_view>

namespace quorate {
namespace {

void add_to(ResourceList& total, const ResourceList& more) {
  for (const auto& [resource, amount] : more) total[resource] += amount;
}

void raise_to(ResourceList& total, const ResourceList& least) {
  for (const auto& [resource, amount] : least) {
    Quantity& have = total[resource];
    have = std::max(have, amount);
  }
}

bool counts_at_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

// Kubernetes compares numbers of taints and tolerations as whole decimal numbers.
bool compares(const Toleration& toleration, const Taint& taint, Requirement::Op op) {
  return matches(Requirement{"value", op, {toleration.value}}, Labels{{"value", taint.value}});
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  if (toleration.op == "Exists") return true;
  if (toleration.op == "Gt") return compares(toleration, taint, Requirement::Op::Gt);
  if (toleration.op == "Lt") return compares(toleration, taint, Requirement::Op::Lt);
  return false;
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations,
                             [&](const Toleration& one) { return tolerates(one, taint); });
}

ResourceList pod_requests(const PodTemplate& pod) {
  ResourceList total;
  for (const ContainerResources& container : pod.containers) add_to(total, container.requests);

  ResourceList sidecars;  // started so far; they keep running beside what comes after them
  ResourceList peak;      // the most that any moment of the start needs
  for (const ContainerResources& init : pod.init_containers) {
    ResourceList now = sidecars;
    add_to(now, init.requests);
    raise_to(peak, now);
    if (init.sidecar) {
      add_to(total, init.requests);
      sidecars = std::move(now);
    }
  }
  raise_to(total, peak);

  if (pod.pod_requests) {
    for (const auto& [resource, amount] : *pod.pod_requests) {
      if (counts_at_pod_level(resource)) total[resource] = amount;
    }
  }
  add_to(total, pod.overhead);
  return total;
}

}  // namespace quorate
