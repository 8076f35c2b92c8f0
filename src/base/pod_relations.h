#pragma once

// What relates a pod to other pods and to volumes. Most pods have none of it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/labels.h"

namespace quorate {

// core/v1 PodAffinityTerm.
struct PodAffinityTerm {
  std::optional<LabelSelector> selector;  // nullopt: no pod; {}: every pod
  std::string topology_key;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;  // {}: every namespace
  // Keys whose value the other pod has to share, or must not share, with the owner of the term.
  std::vector<std::string> match_label_keys;
  std::vector<std::string> mismatch_label_keys;

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

// Pod affinity or pod anti-affinity. Required terms all hold.
struct PodAffinity {
  std::vector<PodAffinityTerm> required;
  std::vector<std::pair<std::int32_t, PodAffinityTerm>> preferred;  // (weight, term)

  bool empty() const { return required.empty() && preferred.empty(); }
  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

// core/v1 TopologySpreadConstraint.
struct SpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool hard = true;                       // DoNotSchedule; else ScheduleAnyway
  std::optional<LabelSelector> selector;  // nullopt: no pod
  std::vector<std::string> match_label_keys;
  std::optional<std::int32_t> min_domains;
  bool honor_affinity = true;  // nodeAffinityPolicy
  bool honor_taints = false;   // nodeTaintsPolicy

  friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

// A volume that has a say in where its pod may run.
struct PodVolume {
  enum class Kind {
    Claim,      // `id` is the claim's name
    Ephemeral,  // the claim is made for the pod: <pod name>-<volume name>
    GceDisk,    // `id` is what two pods must not share on one node
    AwsDisk,
    Iscsi,
    Rbd,
  };

  std::string name;
  Kind kind = Kind::Claim;
  std::string id;
  bool read_only = false;
  std::vector<std::string> monitors;  // of Rbd

  friend bool operator==(const PodVolume&, const PodVolume&) = default;
};

struct PodRelations {
  PodAffinity affinity;
  PodAffinity anti_affinity;
  std::vector<SpreadConstraint> spread;
  std::vector<PodVolume> volumes;

  friend bool operator==(const PodRelations&, const PodRelations&) = default;
};

}  // namespace quorate
