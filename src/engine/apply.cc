// Engine::apply: which parts of the state an event concerns.

#include <algorithm>

#include "src/devices/model.h"
#include "src/engine/state.h"

namespace quorate::engine {
namespace {

const std::shared_ptr<const PodTemplate>& empty_template() {
  static const auto kEmpty = std::make_shared<const PodTemplate>();
  return kEmpty;
}

}  // namespace

// Carries one event to the parts that it concerns.
struct Engine::Applier {
  State& state;

  // Specs that only admission reads.
  template <class Spec>
  void to_admission(const Spec& spec) const {
    if (state.roles.admission) state.admitter.apply(spec);
  }
  template <class Gone, class... Args>
  void gone_from_admission(Gone gone, const Args&... args) const {
    if (state.roles.admission) (state.admitter.*gone)(args...);
  }

  void operator()(const Configured& e) const {
    if (state.roles.admission) state.admitter.set_config(e.admission);
    state.scheduler_config = e.scheduler;
    if (state.roles.scheduler) state.scheduler.set_config(e.scheduler);
  }
  void operator()(const Synced&) const { state.synced = true; }
  void operator()(const Tick& e) const { state.now = std::max(state.now, e.now); }

  void operator()(const admission::FlavorSpec& e) const {
    to_admission(e);
    state.tell(state.group_admissions.apply(e));
  }
  void operator()(const FlavorGone& e) const {
    gone_from_admission(&admission::Admitter::flavor_gone, e.name);
    state.tell(state.group_admissions.flavor_gone(e.name));
  }
  void operator()(const admission::TopologySpec& e) const { to_admission(e); }
  void operator()(const TopologyGone& e) const {
    gone_from_admission(&admission::Admitter::topology_gone, e.name);
  }
  void operator()(const admission::ClusterQueueSpec& e) const { to_admission(e); }
  void operator()(const ClusterQueueGone& e) const {
    gone_from_admission(&admission::Admitter::cluster_queue_gone, e.name);
  }
  void operator()(const admission::CohortSpec& e) const { to_admission(e); }
  void operator()(const CohortGone& e) const {
    gone_from_admission(&admission::Admitter::cohort_gone, e.name);
  }
  void operator()(const admission::LocalQueueSpec& e) const { to_admission(e); }
  void operator()(const LocalQueueGone& e) const {
    gone_from_admission(&admission::Admitter::local_queue_gone, e.key);
  }
  void operator()(const admission::AdmissionCheckSpec& e) const { to_admission(e); }
  void operator()(const AdmissionCheckGone& e) const {
    gone_from_admission(&admission::Admitter::admission_check_gone, e.name);
  }
  void operator()(const admission::NamespaceSpec& e) const {
    to_admission(e);
    state.model.apply_namespace(e.name, e.labels);
  }
  void operator()(const NamespaceGone& e) const {
    state.model.namespace_gone(e.name);
    gone_from_admission(&admission::Admitter::namespace_gone, e.name);
  }
  void operator()(const admission::LimitRangeSpec& e) const { to_admission(e); }
  void operator()(const LimitRangeGone& e) const {
    gone_from_admission(&admission::Admitter::limit_range_gone, e.key);
  }
  void operator()(const admission::RuntimeClassSpec& e) const { to_admission(e); }
  void operator()(const RuntimeClassGone& e) const {
    gone_from_admission(&admission::Admitter::runtime_class_gone, e.name);
  }

  void operator()(const admission::WorkloadSpec& e) const {
    const bool whole = std::ranges::all_of(
        e.pod_sets, [](const admission::PodSetSpec& pods) { return pods.pod != nullptr; });
    if (whole) {
      to_admission(e);
    } else {
      admission::WorkloadSpec mended = e;
      for (admission::PodSetSpec& pods : mended.pod_sets) {
        if (!pods.pod) pods.pod = empty_template();
      }
      to_admission(mended);
    }
    state.tell(state.group_admissions.apply(e));
    if (state.placement.take_freed()) state.room_appeared();
  }
  void operator()(const WorkloadGone& e) const {
    gone_from_admission(&admission::Admitter::workload_gone, e.key, e.uid);
    state.tell(state.group_admissions.workload_gone(e.key, e.uid));
    if (state.placement.take_freed()) state.room_appeared();
  }

  void operator()(const cluster::NodeSpec& e) const {
    const cluster::NodeChange change = state.model.apply(state.journal, e);
    if (state.roles.admission) state.admitter.observe(change);
    if (state.roles.scheduler) state.scheduler.observe(state.model, change);
    const bool equal = change.before && change.after && *change.before == *change.after;
    if (change.after && !equal) state.room_appeared();
  }
  void operator()(const NodeGone& e) const {
    const cluster::NodeChange change = state.model.node_gone(state.journal, e.name);
    if (state.roles.admission) state.admitter.observe(change);
    if (state.roles.scheduler) state.scheduler.observe(state.model, change);
  }
  void operator()(const cluster::PodSpec& e) const {
    cluster::PodSpec spec = e;
    if (!spec.spec) spec.spec = empty_template();
    observe(state.model.apply(state.journal, std::move(spec)));
  }
  void operator()(const PodGone& e) const {
    observe(state.model.pod_gone(state.journal, e.key, e.uid));
  }
  void observe(const cluster::PodChange& change) const {
    if (state.roles.admission) state.admitter.observe(change);
    if (state.roles.scheduler) state.scheduler.observe(state.model, state.journal, change);
    if (change.freed) state.room_appeared();
  }

  void operator()(const scheduler::PodGroupSpec& e) const {
    if (state.roles.scheduler) state.scheduler.apply(e);
    state.tell(state.group_admissions.apply(e));
  }
  void operator()(const PodGroupGone& e) const {
    state.tell(state.group_admissions.group_gone(e.key, e.uid));
    if (state.roles.scheduler) state.scheduler.group_gone(e.key, e.uid);
  }
  void operator()(const scheduler::CompositeGroupSpec& e) const {
    if (state.roles.scheduler) state.scheduler.apply(e);
  }
  void operator()(const CompositeGroupGone& e) const {
    if (state.roles.scheduler) state.scheduler.composite_gone(e.key, e.uid);
  }
  void operator()(const scheduler::DisruptionBudget& e) const {
    if (state.roles.scheduler) state.scheduler.apply(e);
  }
  void operator()(const DisruptionBudgetGone& e) const {
    if (state.roles.scheduler) state.scheduler.budget_gone(e.key);
  }

  // Devices: kept by the model's extension; whoever waits for them is told.
  template <class Object>
  void to_devices(const Object& e, const ObjectKey* claim = nullptr) const {
    devices::of(state.model)->apply(state.model, state.journal, e);
    devices_changed(claim);
  }
  void devices_changed(const ObjectKey* claim) const {
    if (state.roles.scheduler) state.scheduler.devices_changed(claim);
    state.room_appeared();
  }
  void operator()(const devices::ClassObject& e) const { to_devices(e); }
  void operator()(const DeviceClassGone& e) const {
    devices::of(state.model)->class_gone(state.model, state.journal, e.name);
    devices_changed(nullptr);
  }
  void operator()(const devices::SliceObject& e) const { to_devices(e); }
  void operator()(const ResourceSliceGone& e) const {
    devices::of(state.model)->slice_gone(state.model, state.journal, e.name);
    devices_changed(nullptr);
  }
  void operator()(const devices::TaintRuleObject& e) const { to_devices(e); }
  void operator()(const DeviceTaintRuleGone& e) const {
    devices::of(state.model)->rule_gone(state.model, state.journal, e.name);
    devices_changed(nullptr);
  }
  void operator()(const devices::TemplateObject& e) const {
    devices::of(state.model)->apply(e);
    devices_changed(nullptr);
  }
  void operator()(const ClaimTemplateGone& e) const {
    devices::of(state.model)->template_gone(e.key);
  }
  void operator()(const devices::ClaimObject& e) const { to_devices(e, &e.key); }
  void operator()(const ClaimGone& e) const {
    devices::of(state.model)->claim_gone(state.model, state.journal, e.key, e.uid);
    devices_changed(&e.key);
  }
  void operator()(const ClaimReleased& e) const {
    devices::Model& devices = *devices::of(state.model);
    if (e.claim.name.empty()) {
      devices.forget_extended(state.model, state.journal, e.consumer_uid);
    } else if (const devices::ClaimId id = devices.find_claim(e.claim)) {
      devices.forget(state.model, state.journal, id, e.consumer_uid);
    }
    devices_changed(&e.claim);
  }

  void operator()(const AdmissionWritten& e) const {
    gone_from_admission(&admission::Admitter::workload_written, e.workload, e.uid, e.succeeded,
                        e.gone);
    if (state.placement.take_freed()) state.room_appeared();
  }
  void operator()(const BindWritten& e) const {
    if (!state.roles.scheduler) return;
    state.scheduler.bind_written(state.model, state.journal, e.pod, e.pod_uid, e.node, e.result,
                                 e.message);
    if (e.result != scheduler::BindResult::Bound) state.room_appeared();
  }
};

void Engine::apply(const Event& event) { std::visit(Applier{*state_}, event); }

}  // namespace quorate::engine
