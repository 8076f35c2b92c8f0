#pragma once

// What reconcilers want changed, as values: they can be compared and printed in tests before
// anything is sent. Guards (uid, resourceVersion) are part of each, so that carrying one out late
// or twice does no harm.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "admission/decision.h"
#include "src/base/object_key.h"
#include "src/kube/event_recorder.h"
#include "src/kube/request.h"
#include "src/objects/encode.h"
#include "src/objects/job.h"
#include "src/objects/kinds.h"
#include "src/objects/pod_group.h"
#include "src/objects/workload.h"

namespace quorate::controller {

struct CreateWorkload {
  objects::Workload workload;
};

struct PatchWorkloadSpec {
  ObjectKey key;
  std::string resource_version;
  objects::WorkloadSpecChange change;
};

struct DeleteWorkload {
  ObjectKey key;
  std::string uid;
};

// One field manager's share of a Workload's status. Managers other than the admission's own are
// merged by the server, so these need no resourceVersion.
struct ApplyWorkloadStatus {
  ObjectKey key;
  std::string uid;
  std::string manager;
  objects::WorkloadStatus status;
};

// The job of an evicted workload is inactive: quota goes back, the workload is queued again. Goes
// through the same writer as admission decisions, because it is the same field manager.
struct ReleaseQuota {
  ObjectKey key;
  std::string uid;
};

// Which nodes of a workload's topology assignment have failed: one to be replaced, none any more,
// or several, for which the workload is evicted. Written as admission decisions are.
struct RecordFailedNodes {
  ObjectKey key;
  std::string uid;
  std::vector<std::string> nodes;  // the newest last
  bool evict = false;
};

// What a parent of variants takes over from the one that runs, or a variant from its parent: as if
// admission had decided it, but its engine is not told. Written as admission decisions are.
struct FollowFamily {
  ObjectKey key;
  std::string uid;
  std::vector<admission::Decision> decisions;
  std::optional<objects::RequeueState> requeue;  // with an eviction
  bool open_gate = false;                        // of preemption, which variants have
};

struct SetFinalizers {
  objects::KindInfo kind;
  ObjectKey key;
  std::string resource_version;
  std::vector<std::string> finalizers;
};

struct PatchJob {
  objects::Job current;
  objects::JobChange change;
};

// status.startTime := null, which lets older servers change the template of a stopped Job.
struct ClearJobStart {
  ObjectKey key;
  std::string resource_version;
};

struct CreatePodGroup {
  objects::PodGroup group;
};

struct SetGroupMinimum {
  objects::PodGroupApi api = objects::PodGroupApi::V1beta1;
  ObjectKey key;
  std::string resource_version;
  std::int32_t minimum = 1;
};

// The object that a Workload stands for, and with it, by and by, what it owns.
struct DeleteOwner {
  kube::Resource resource;
  ObjectKey key;
  std::string uid;
};

struct DeletePod {
  ObjectKey key;
  std::string uid;
};

// One pod may go on: gates are taken off and its node selector is completed, in one write.
struct UngatePod {
  ObjectKey key;
  std::string uid;
  std::vector<std::string> gates;
  Labels node_selector;  // what comes to it
};

// The phase of a pod that no kubelet has seen becomes Failed, with the condition that says why.
struct FailPod {
  ObjectKey key;
  std::string uid;
  objects::Condition condition;
};

// One annotation; an empty value takes it away.
struct SetAnnotation {
  objects::KindInfo kind;
  ObjectKey key;
  std::string resource_version;
  std::string name;
  std::string value;
};

// One label; an empty value takes it away.
struct SetLabel {
  objects::KindInfo kind;
  ObjectKey key;
  std::string resource_version;
  std::string name;
  std::string value;
};

using Write = std::variant<CreateWorkload, PatchWorkloadSpec, DeleteWorkload, ApplyWorkloadStatus,
                           ReleaseQuota, SetFinalizers, PatchJob, ClearJobStart, CreatePodGroup,
                           SetGroupMinimum, DeleteOwner, DeletePod, SetAnnotation, kube::Event,
                           RecordFailedNodes, UngatePod, FailPod, FollowFamily, SetLabel>;

// What a look at an object asks for: writes in this order, each only if the one before succeeded.
struct Plan {
  std::vector<Write> writes;
  // Worth writing if a look a little later still asks for it: what comes in bursts.
  std::vector<Write> later;
  // Worth a look again after this time, although nothing may happen until then.
  Duration look_again;  // zero: no
};

kube::Resource resource_of(const objects::KindInfo& kind);

// The call that carries a write out. Not for ReleaseQuota, RecordFailedNodes, FollowFamily and
// events, which have writers of their own.
kube::ApiRequest to_request(const Write& write);

// "patch Job team-a/train": for logs and test failures.
std::string describe(const Write& write);

}  // namespace quorate::controller
