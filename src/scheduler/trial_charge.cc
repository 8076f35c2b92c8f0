#include "src/scheduler/trial_charge.h"

#include "src/devices/model.h"

namespace quorate::scheduler {

void charge_pod(cluster::Model& model, Journal& journal, cluster::NodeId node, const PodView& pod) {
  model.charge(journal, node, *pod.demand);
  if (pod.claims == nullptr) return;
  devices::of(model)->try_out(model, journal, node, pod.claims, 0);
}

}  // namespace quorate::scheduler
