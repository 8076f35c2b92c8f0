#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/boxed.h"
#include "src/base/labels.h"
#include "src/base/pod_relations.h"
#include "src/base/quantity.h"
#include "src/base/time.h"

namespace quorate {

// Amounts by resource name, as one container or pod states them.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  // NoSchedule, PreferNoSchedule, NoExecute

  friend bool operator==(const Taint&, const Taint&) = default;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
  std::string key;  // "" with Exists: every taint
  std::string op;   // Equal (also ""), Exists, Lt, Gt
  std::string value;
  std::string effect;  // "": every effect
  std::optional<std::int64_t> toleration_seconds;

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

// Kubernetes' toleration rule, with the numeric Lt and Gt operators.
bool tolerates(const Toleration& toleration, const Taint& taint);
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

// Terms are alternatives; the requirements of one term all hold. An empty term matches nothing.
struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions;
  std::vector<Requirement> match_fields;  // only metadata.name exists

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

struct NodeAffinity {
  // nullopt: no requirement. An empty list of terms matches nothing.
  std::optional<std::vector<NodeSelectorTerm>> required;
  std::vector<std::pair<std::int32_t, NodeSelectorTerm>> preferred;  // (weight, term)

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

struct HostPort {
  std::string host_ip;   // "" is 0.0.0.0
  std::string protocol;  // TCP, UDP, SCTP
  std::int32_t port = 0;

  friend bool operator==(const HostPort&, const HostPort&) = default;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

struct ContainerResources {
  std::string name;
  ResourceList requests;
  ResourceList limits;
  bool sidecar = false;  // init container with restartPolicy Always
  std::vector<HostPort> host_ports;

  friend bool operator==(const ContainerResources&, const ContainerResources&) = default;
};

// A ResourceClaim that a pod or a group of pods needs: by name, or one made from a template.
struct PodClaim {
  std::string name;  // of the entry
  std::string claim;
  std::string claim_template;

  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

// What of a pod (or pod template) decides where and when it may run. Shared between the pods of a
// pod set and between forks, hence immutable once built.
struct PodTemplate {
  Labels labels;
  Labels annotations;
  std::vector<ContainerResources> containers;
  std::vector<ContainerResources> init_containers;
  // Pod-level resources (spec.resources); absent and empty differ.
  std::optional<ResourceList> pod_requests;
  std::optional<ResourceList> pod_limits;
  ResourceList overhead;
  std::string runtime_class;
  Labels node_selector;
  NodeAffinity node_affinity;
  std::vector<Toleration> tolerations;
  std::string priority_class;
  std::optional<std::int32_t> priority;
  std::string preemption_policy;
  std::string scheduler_name;
  std::string scheduling_group;  // spec.schedulingGroup.podGroupName
  std::vector<std::string> scheduling_gates;
  std::vector<PodClaim> resource_claims;
  bool host_network = false;
  std::vector<std::string> images;  // of containers, init containers and image volumes
  Boxed<PodRelations> relations;

  friend bool operator==(const PodTemplate&, const PodTemplate&) = default;
};

// What a scheduler charges a node for such a pod, as Kubernetes computes it: sum of containers and
// sidecars; per resource at least each init container plus the sidecars started before it;
// pod-level requests (cpu, memory, hugepages-*) replace the sum; plus overhead.
ResourceList pod_requests(const PodTemplate& pod);

}  // namespace quorate
