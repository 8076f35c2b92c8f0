#pragma once

// What the scheduler decides; hosts carry it out and report the outcome of each bind.

#include <optional>
#include <string>
#include <variant>

#include "src/base/object_key.h"
#include "src/scheduler/group_finding.h"

namespace quorate::scheduler {

// Bind the pod to the node. The binds of a gang come in one batch, after every member has passed
// Reserve, Permit and PreBind. Idempotent: the host answers a 409 by reading the pod back.
struct Bind {
  ObjectKey pod;
  std::string pod_uid;
  std::string node;
  std::optional<ObjectKey> group;

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

using Decision = std::variant<Bind, PodUnschedulable, GroupStatus, DeleteMember, Evict, Nominate>;

// How a Bind ended.
enum class BindResult {
  Bound,      // the pod is on the node we named
  Elsewhere,  // read back: another scheduler has bound it to another node
  Gone,       // the pod is deleted, or it is another pod of that name
  Failed,     // not carried out, as far as anyone can tell; worth another try
};

}  // namespace quorate::scheduler
