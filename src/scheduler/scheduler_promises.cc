// Places reserved for a workload's pods before they exist, and how pods find theirs.

#include <algorithm>

#include "src/scheduler/scheduler_state.h"

namespace quorate::scheduler {

// A group that its queue admitted says which workload it is; other pods carry the workload's name
// and their pod set.
Promise Scheduler::State::promise_to(const cluster::Model& model,
                                     const cluster::PodSpec& pod) const {
  if (model.reservations().empty()) return {};
  ObjectKey workload{pod.key.ns, ""};
  std::string pod_set;
  const auto group = pod.group.empty() ? groups.end() : groups.find({pod.key.ns, pod.group});
  if (group != groups.end() && group->second.admission &&
      !group->second.admission->workload.empty()) {
    workload.name = group->second.admission->workload;
    pod_set = group->second.admission->pod_set;
  } else {
    const auto named = pod.spec->annotations.find("kueue.x-k8s.io/workload");
    const auto set = pod.spec->labels.find("kueue.x-k8s.io/podset");
    if (named == pod.spec->annotations.end() || set == pod.spec->labels.end()) return {};
    workload.name = named->second;
    pod_set = set->second;
  }
  const std::string* uid = model.reservation_of(workload);
  return uid == nullptr ? Promise{} : Promise{*uid, pod_set};
}

cluster::NodeId give_back(cluster::Model& model, Journal& journal, const Promise& promise) {
  const cluster::Reservation* reserved =
      promise.workload_uid.empty() ? nullptr : model.reservation(promise.workload_uid);
  if (reserved == nullptr) return {};
  const auto place =
      std::ranges::find(reserved->pods, promise.pod_set, &cluster::ReservedPod::pod_set);
  if (place == reserved->pods.end()) return {};
  const cluster::NodeId node = place->node;
  model.consume(journal, promise.workload_uid, promise.pod_set, node);
  return node;
}

void take_up(cluster::Model& model, Journal& journal, const Promise& promise,
             cluster::NodeId node) {
  if (promise.workload_uid.empty()) return;
  model.consume(journal, promise.workload_uid, promise.pod_set, node);
}

}  // namespace quorate::scheduler
