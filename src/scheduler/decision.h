#pragma once

// What the scheduler decides; hosts carry it out and report the outcome of each bind.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/base/device_types.h"
#include "src/base/object_key.h"
#include "src/scheduler/group_finding.h"

namespace quorate::scheduler {

// Allocate a claim, unless it is allocated, and reserve it for a consumer; idempotent. If somebody
// else allocated it meanwhile, the bind fails.
struct ClaimWrite {
  ObjectKey claim;  // without a name: to be made, for the extended resources of the pod
  std::string claim_uid;
  std::shared_ptr<const dra::Allocation> allocation;  // null: it is allocated already
  dra::Consumer consumer;
  std::shared_ptr<const dra::ClaimSpec> spec;  // of one that is to be made

  friend bool operator==(const ClaimWrite& a, const ClaimWrite& b) {
    const auto same = [](const auto& x, const auto& y) {
      return x == y || (x != nullptr && y != nullptr && *x == *y);
    };
    return a.claim == b.claim && a.claim_uid == b.claim_uid && a.consumer == b.consumer &&
           same(a.allocation, b.allocation) && same(a.spec, b.spec);
  }
};

// Bind the pod to the node. The binds of a gang come in one batch, after every member has passed
// Reserve, Permit and PreBind. Idempotent: the host answers a 409 by reading the pod back.
struct Bind {
  ObjectKey pod;
  std::string pod_uid;
  std::string node;
  std::optional<ObjectKey> group;
  // To be written before the pod is bound; those of a gang before any of it is.
  std::vector<ClaimWrite> claims = {};

  friend bool operator==(const Bind&, const Bind&) = default;
};

// Condition PodScheduled=False and event FailedScheduling, to kube-scheduler's letter.
struct PodUnschedulable {
  ObjectKey pod;
  std::string pod_uid;
  std::string reason;  // Unschedulable or SchedulerError
  std::string message;

  friend bool operator==(const PodUnschedulable&, const PodUnschedulable&) = default;
};

// Condition PodGroupInitiallyScheduled of a native group; an event for a fallback one. True comes
// once the minimum is bound for certain, so that it never speaks of a gang that was rolled back.
struct GroupStatus {
  ObjectKey group;
  std::string group_uid;
  bool native = true;
  bool scheduled = false;
  std::string reason;  // Scheduled, Unschedulable, SchedulerError, Invalid
  std::string message;
  // Of Unschedulable: why, by constraint and domain. Goes into the annotation
  // quorate.dev/diagnosis and, as text, into the event.
  GroupDiagnosis diagnosis;

  friend bool operator==(const GroupStatus&, const GroupStatus&) = default;
};

// A gang that could not be bound whole in time takes its bound members back: condition
// DisruptionTarget first, then delete with a uid precondition; the owner recreates the pod.
struct DeleteMember {
  ObjectKey pod;
  std::string pod_uid;
  ObjectKey group;
  std::string message;

  friend bool operator==(const DeleteMember&, const DeleteMember&) = default;
};

// A claim that a consumer does not use after all. Deallocate: its allocation is cleared as well, as
// nobody else has it reserved; else only the reservation goes.
struct ReleaseClaim {
  ObjectKey claim;
  std::string claim_uid;
  std::string consumer_uid;
  bool deallocate = false;

  friend bool operator==(const ReleaseClaim&, const ReleaseClaim&) = default;
};

// Makes room for a pod or group of higher priority: condition DisruptionTarget=True with reason
// PreemptionByScheduler and `message`, event Preempted with `event`, then delete with a uid
// precondition and the pod's own grace period. Repeated while the pod is not seen ending.
struct Evict {
  ObjectKey pod;
  std::string pod_uid;
  ObjectKey preemptor;
  bool for_group = false;
  std::string message;
  std::string event;

  friend bool operator==(const Evict&, const Evict&) = default;
};

// status.nominatedNodeName of a pod that room is being made for; "" clears it.
struct Nominate {
  ObjectKey pod;
  std::string pod_uid;
  std::string node;

  friend bool operator==(const Nominate&, const Nominate&) = default;
};

using Decision =
    std::variant<Bind, PodUnschedulable, GroupStatus, DeleteMember, ReleaseClaim, Evict, Nominate>;

// How a Bind ended.
enum class BindResult {
  Bound,      // the pod is on the node we named
  Elsewhere,  // read back: another scheduler has bound it to another node
  Gone,       // the pod is deleted, or it is another pod of that name
  Failed,     // not carried out, as far as anyone can tell; worth another try
};

}  // namespace quorate::scheduler
