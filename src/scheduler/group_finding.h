#pragma once

// Why a group has no place, by constraint and by domain: the figures of the comparisons that
// failed.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/object_key.h"

namespace quorate::scheduler {

// What holds the group, the nearest cause first in line.
enum class GroupCause : std::uint8_t {
  None,
  QueueAdmission,        // its queue has yet to admit it
  IncompleteGroup,       // fewer members exist than its minimum
  TopologyLabel,         // no node has the label that its members are to share
  TopologyDomain,        // the cluster has room, but no single domain has
  GpuModel,              // nodes have other GPUs than those it asks for
  NodeAffinity,          // nodes do not match its selector or affinity
  Taint,                 // nodes have taints that it does not tolerate
  OtherFilter,           // nodes refuse it for another reason
  Fragmentation,         // enough is free in sum, in pieces that are too small
  CapacityBelowMinimum,  // some members fit, fewer than the minimum
  Capacity,              // no member fits: too little is free
  PreemptionNotAllowed,  // evicting others would help, and its policy says never
  SiblingGroup,          // it has room itself; the tree lacks another group
  BudgetEnded,           // the search ended before it could tell
};
// "GpuModel" and so on, and the layer at which it stops: queue, gang, topology, node.
std::string_view name_of(GroupCause cause);
std::string_view layer_of(GroupCause cause);

// Of one resource in one domain.
struct ResourceShortage {
  std::string resource;
  std::int64_t need = 0;             // base units that the members without a place ask for
  std::int64_t have = 0;             // free on nodes that would take them otherwise
  std::vector<std::int64_t> pieces;  // by node, the largest first, at most 8

  friend bool operator==(const ResourceShortage&, const ResourceShortage&) = default;
};

struct DomainFinding {
  ObjectKey group;
  std::string topology_key;  // "": the whole cluster
  std::string domain;
  std::int32_t fit = 0;     // members that would have a place, those that run included
  std::int32_t wanted = 0;  // its minimum
  std::vector<ResourceShortage> resources;
  std::vector<std::pair<std::string, std::int64_t>> refusals;  // reason -> nodes, but for resources

  // "rack r3: 3 of 4 members fit, short 2 nvidia.com/gpu".
  std::string text() const;
  friend bool operator==(const DomainFinding&, const DomainFinding&) = default;
};

struct GroupDiagnosis {
  GroupCause cause = GroupCause::None;
  std::vector<DomainFinding> domains;  // the best first
  std::int32_t more_domains = 0;       // not listed
  std::string certificate;  // how it is known: a bound, an exhausted tree, or that it is not

  // One line: layer, cause, domains.
  std::string text() const;
  friend bool operator==(const GroupDiagnosis&, const GroupDiagnosis&) = default;
};

}  // namespace quorate::scheduler
