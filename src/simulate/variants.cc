// What the concurrent-admission controller does: variants come, go, take turns, and their parent
// follows the one that runs.

#include <algorithm>

#include "src/simulate/cluster.h"
#include "src/simulate/write_status.h"
#include "src/translate/status.h"
#include "src/translate/translate.h"
#include "src/translate/variants.h"

namespace quorate::simulate {
namespace {

using admission::VariantStep;
using objects::Workload;
using translate::is_parent_of_variants;

}  // namespace

bool SimulatedCluster::is_variant(const Workload& workload) const {
  return translate::is_variant(workload) && options_.config.gates.enabled("ConcurrentAdmission");
}

void SimulatedCluster::follow_variants() {
  if (!options_.config.gates.enabled("ConcurrentAdmission")) return;
  gates_due_.reset();
  become_parents();
  std::vector<ObjectKey> parents;
  for (const auto& [key, workload] : objects_.of<Workload>()) {
    if (is_parent_of_variants(workload)) parents.push_back(key);
  }
  for (const ObjectKey& parent : parents) {
    // Each step brings the family nearer to where it rests.
    for (int steps = 0; step_family(parent) && steps < 1000; ++steps) {
    }
  }
}

// Whoever waits in a queue with a policy and is no variant has variants.
void SimulatedCluster::become_parents() {
  auto& workloads = objects_.of<Workload>();
  for (auto at = workloads.begin(); at != workloads.end();) {
    Workload& workload = (at++)->second;
    const objects::OwnerReference* owner = objects::controller_of(workload.meta);
    const bool orphan =
        is_variant(workload) && !workloads.contains({workload.meta.key.ns, owner->name});
    if (orphan) {
      const Workload last = std::move(workload);
      workloads.erase(last.meta.key);
      removed(last);
      continue;
    }
    const auto& queues = objects_.of<objects::ClusterQueue>();
    const auto queue = queues.find({"", queue_of(workload)});
    if (queue == queues.end() || !translate::wants_variants(workload, queue->second)) continue;
    workload.meta.labels[std::string(admission::kVariantParentLabel)] = "true";
    after_change(workload);
  }
}

// One look at a family; true if something was done.
bool SimulatedCluster::step_family(const ObjectKey& parent_key) {
  auto& workloads = objects_.of<Workload>();
  const auto parent = workloads.find(parent_key);
  if (parent == workloads.end()) return false;
  const auto& queues = objects_.of<objects::ClusterQueue>();
  const auto queue = queues.find({"", queue_of(parent->second)});
  if (queue == queues.end()) return false;
  std::vector<admission::WorkloadSpec> variants;
  for (const auto& [key, workload] : workloads) {
    const objects::OwnerReference* owner = objects::controller_of(workload.meta);
    if (!is_variant(workload) || owner->uid != parent->second.meta.uid) continue;
    variants.push_back(translate::to_spec(workload));
  }
  const admission::VariantPlan plan =
      plan_variants(translate::to_spec(parent->second), std::move(variants),
                    translate::to_spec(queue->second), now_);
  if (plan.look_again)
    gates_due_ = std::min(gates_due_.value_or(*plan.look_again), *plan.look_again);
  for (const VariantStep& step : plan.steps) carry_out(parent_key, step);
  settle_evictions();
  return !plan.steps.empty();
}

void SimulatedCluster::carry_out(const ObjectKey& parent_key, const VariantStep& step) {
  using Todo = VariantStep::Kind;
  if (step.kind == Todo::Create) return create_variant(parent_key, step.flavor);
  if (step.kind == Todo::Delete) return forget(step.workload);
  Workload& parent = objects_.of<Workload>().at(parent_key);
  Workload& workload = objects_.of<Workload>().at(step.workload);
  const translate::StatusContext context{now_, std::nullopt, /*say_layer=*/false};
  const auto evict = [&](Workload& one) {
    write_decision(one, admission::Evict{one.meta.key, one.meta.uid, step.reason, step.message},
                   context);
  };
  switch (step.kind) {
    case Todo::Create:
    case Todo::Delete:
      return;
    case Todo::EvictParent:
      evict(parent);
      return after_change(parent);
    case Todo::EvictVariant:
      evict(workload);
      workload.status.requeue = parent.status.requeue;
      break;
    case Todo::Release:
      translate::finish_eviction(workload, now_);
      break;
    case Todo::Deactivate:
    case Todo::Activate:
      workload.active = step.kind == Todo::Activate;
      ++workload.meta.generation;
      break;
    case Todo::AdmitParent: {
      const ObjectKey& key = parent.meta.key;
      const admission::WorkloadSpec variant = translate::to_spec(workload);
      write_decision(
          parent,
          admission::Admit{key, parent.meta.uid, *variant.admission, true,
                           "Quota reserved in ClusterQueue " + variant.admission->cluster_queue},
          context);
      write_decision(parent, admission::ConfirmAdmission{key, parent.meta.uid, step.message},
                     context);
      return after_change(parent);
    }
    case Todo::CopyReadiness:
    case Todo::Finish: {
      const std::string_view type = step.kind == Todo::Finish ? objects::conditions::kFinished
                                                              : objects::conditions::kPodsReady;
      const objects::Condition* shown = objects::find_condition(parent.status.conditions, type);
      objects::Condition copy = *shown;
      objects::remove_condition(workload.status.conditions, type);
      workload.status.conditions.push_back(std::move(copy));
      break;
    }
    case Todo::OpenGate: {
      auto& states = workload.status.preemption_gates;
      std::erase_if(states, [](const objects::PreemptionGateState& state) {
        return state.name == admission::kVariantGate;
      });
      states.push_back({std::string(admission::kVariantGate), true, now_});
      break;
    }
  }
  after_change(workload);
}

void SimulatedCluster::create_variant(const ObjectKey& parent_key, const std::string& flavor) {
  const Workload& parent = objects_.of<Workload>().at(parent_key);
  Workload variant = translate::variant_of(parent, flavor, parent_key.name + "-" + flavor);
  if (objects_.of<Workload>().contains(variant.meta.key)) return;
  variant.meta.uid = identities_.next("Workload", variant.meta.key);
  variant.meta.created = now_;
  variant.meta.generation = 1;
  variant.status.reclaimable_pods = parent.status.reclaimable_pods;
  const ObjectKey key = variant.meta.key;
  after_change(objects_.of<Workload>().emplace(key, std::move(variant)).first->second);
}

}  // namespace quorate::simulate
