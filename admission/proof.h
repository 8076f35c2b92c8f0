#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/base/object_key.h"
#include "src/base/quantity.h"
#include "topology/failure.h"

namespace quorate::admission {

// The layer at which a workload stopped, as `explain`, metrics and events name it.
enum class Layer { Queue, Quota, Check, Topology, Gang, Device, Node, Startup };

// The vertex of the quota tree whose limit was met.
struct Scope {
  enum class Kind { ClusterQueue, Cohort };
  Kind kind = Kind::ClusterQueue;
  std::string name;

  friend bool operator==(const Scope&, const Scope&) = default;
};

// The queue (or what it needs to be active) is not there or stopped, or the namespace is not let
// in.
struct QueueClosed {
  std::string cluster_queue;
  // LocalQueueMissing, LocalQueueStopped, ClusterQueueMissing, Inactive, NamespaceMissing,
  // NamespaceMismatch, Gated, OnHold, Deactivated; of variants: BetterVariantAdmitted,
  // MigrationNotAllowed, PreemptionGated; NotEvaluated: nothing of it, its turn is to come
  std::string reason;
  std::string subject;  // the LocalQueue, namespace or gate concerned, where it is not the queue

  friend bool operator==(const QueueClosed&, const QueueClosed&) = default;
};

// A quota comparison that failed: have and need in base units of `resource`.
struct QuotaShortage {
  Scope scope;
  std::string pod_set;
  std::string flavor;
  std::string resource;
  Quantity have;  // available now (or the most ever possible, if `beyond_capacity`)
  Quantity need;
  bool beyond_capacity = false;  // would not fit even if nobody else used anything
  Quantity assumed;  // the part of `need` that earlier pod sets of the workload asked for

  friend bool operator==(const QuotaShortage&, const QuotaShortage&) = default;
};

// A flavor that the pod set cannot use at all.
struct FlavorMismatch {
  std::string pod_set;
  std::string flavor;
  std::string why;  // as Kueue says it: "flavor f not found", "untolerated taint {k v NoSchedule …"

  friend bool operator==(const FlavorMismatch&, const FlavorMismatch&) = default;
};

// No resource group of the queue covers the resource.
struct ResourceNotCovered {
  std::string pod_set;
  std::string resource;

  friend bool operator==(const ResourceNotCovered&, const ResourceNotCovered&) = default;
};

// It fitted when nominated; an entry processed earlier in the same cycle took what it needed.
struct LostInCycle {
  std::optional<ObjectKey> to;

  friend bool operator==(const LostInCycle&, const LostInCycle&) = default;
};

// It fits once these have left; they were told to. At least one.
struct AwaitsVictims {
  std::vector<ObjectKey> victims;

  friend bool operator==(const AwaitsVictims&, const AwaitsVictims&) = default;
};

// Another workload of the same cycle preempts what it wanted to preempt.
struct VictimsClaimed {
  bool fits_afterwards = false;  // it fits when they are gone, without more victims

  friend bool operator==(const VictimsClaimed&, const VictimsClaimed&) = default;
};

// It fits, but nobody is admitted before the pods of all who hold quota are ready; what ends this
// is the last of them getting ready, or going.
struct OthersNotReady {
  std::int64_t workloads = 0;

  friend bool operator==(const OthersNotReady&, const OthersNotReady&) = default;
};

// Quota would do, but the topology of the flavor has no such places (free).
struct TopologyShortage {
  std::string pod_set;
  std::string flavor;
  topology::Failure failure;
  // Found while quota was short as well: Kueue's message does not tell it.
  bool beside_quota = false;

  friend bool operator==(const TopologyShortage&, const TopologyShortage&) = default;
};

// The pod set is placed by topology, but not in exactly one flavor that has one.
struct TopologyError {
  std::string pod_set;
  std::string why;

  friend bool operator==(const TopologyError&, const TopologyError&) = default;
};

// The placement port could not place the gang on nodes although quota was free.
struct NotPlaceable {
  std::string pod_set;
  std::string why;

  friend bool operator==(const NotPlaceable&, const NotPlaceable&) = default;
};

// The object itself is wrong: which field, and what is wrong with it.
struct InvalidInput {
  std::string field;
  std::string why;

  friend bool operator==(const InvalidInput&, const InvalidInput&) = default;
};

using Fact = std::variant<QueueClosed, QuotaShortage, FlavorMismatch, ResourceNotCovered,
                          LostInCycle, AwaitsVictims, VictimsClaimed, OthersNotReady,
                          TopologyShortage, TopologyError, NotPlaceable, InvalidInput>;

// Everything that stopped a workload in its last attempt, in the order it was met. Made by the very
// comparisons that failed; conditions, events, metrics and `explain` are printed from it.
struct Proof {
  Layer layer = Layer::Queue;
  std::vector<Fact> facts;

  friend bool operator==(const Proof&, const Proof&) = default;
};

}  // namespace quorate::admission
