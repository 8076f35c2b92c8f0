#pragma once

// Everything that enters the engine. One versioned schema (events.proto) stores the same.

#include <string>
#include <variant>
#include <vector>

#include "admission/config.h"
#include "admission/spec.h"
#include "src/base/time.h"
#include "src/cluster/spec.h"
#include "src/devices/spec.h"
#include "src/scheduler/config.h"
#include "src/scheduler/decision.h"
#include "src/scheduler/spec.h"

namespace quorate::engine {

struct FlavorGone {
  std::string name;
};
struct TopologyGone {
  std::string name;
};
struct ClusterQueueGone {
  std::string name;
};
struct CohortGone {
  std::string name;
};
struct LocalQueueGone {
  ObjectKey key;
};
struct AdmissionCheckGone {
  std::string name;
};
struct NamespaceGone {
  std::string name;
};
struct LimitRangeGone {
  ObjectKey key;
};
struct RuntimeClassGone {
  std::string name;
};
struct WorkloadGone {
  ObjectKey key;
  std::string uid;
};
struct NodeGone {
  std::string name;
};
struct PodGone {
  ObjectKey key;
  std::string uid;
};
struct PodGroupGone {
  ObjectKey key;
  std::string uid;
};
struct CompositeGroupGone {
  ObjectKey key;
  std::string uid;
};
struct DisruptionBudgetGone {
  ObjectKey key;
};

// How the write of an Admit (or another admission decision) ended. A failed Admit gives its quota
// back; `gone` means that the object is not there any more.
struct AdmissionWritten {
  ObjectKey workload;
  std::string uid;
  bool succeeded = true;
  bool gone = false;
  std::string message;
};

struct BindWritten {
  ObjectKey pod;
  std::string pod_uid;
  std::string node;  // where the pod is, if Elsewhere
  scheduler::BindResult result = scheduler::BindResult::Bound;
  std::string message;
};

// Both halves' configuration; applies from the next step on.
struct Configured {
  admission::Config admission;
  scheduler::Config scheduler;
};

// The lists of a start are complete: nothing is decided before the first one.
struct Synced {};

// Time passed. Every step has a tick of its own, so that a replay sees the same moments.
struct Tick {
  Time now;
};

struct DeviceClassGone {
  std::string name;
};
struct ResourceSliceGone {
  std::string name;
};
struct DeviceTaintRuleGone {
  std::string name;
};
struct ClaimTemplateGone {
  ObjectKey key;
};
struct ClaimGone {
  ObjectKey key;
  std::string uid;
};
// A ReleaseClaim was carried out, and what the claim is now has been told before.
struct ClaimReleased {
  ObjectKey claim;  // without a name: that of the pod's extended resources
  std::string consumer_uid;

  friend bool operator==(const ClaimReleased&, const ClaimReleased&) = default;
};

using Event = std::variant<
    Configured, Synced, Tick, admission::FlavorSpec, FlavorGone, admission::TopologySpec,
    TopologyGone, admission::ClusterQueueSpec, ClusterQueueGone, admission::CohortSpec, CohortGone,
    admission::LocalQueueSpec, LocalQueueGone, admission::AdmissionCheckSpec, AdmissionCheckGone,
    admission::NamespaceSpec, NamespaceGone, admission::LimitRangeSpec, LimitRangeGone,
    admission::RuntimeClassSpec, RuntimeClassGone, admission::WorkloadSpec, WorkloadGone,
    cluster::NodeSpec, NodeGone, cluster::PodSpec, PodGone, scheduler::PodGroupSpec, PodGroupGone,
    scheduler::CompositeGroupSpec, CompositeGroupGone, scheduler::DisruptionBudget,
    DisruptionBudgetGone, AdmissionWritten, BindWritten, devices::ClassObject, DeviceClassGone,
    devices::SliceObject, ResourceSliceGone, devices::TaintRuleObject, DeviceTaintRuleGone,
    devices::TemplateObject, ClaimTemplateGone, devices::ClaimObject, ClaimGone, ClaimReleased>;

}  // namespace quorate::engine
