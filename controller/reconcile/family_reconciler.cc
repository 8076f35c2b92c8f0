#include "controller/reconcile/family_reconciler.h"

#include <algorithm>
#include <utility>

#include "admission/variants.h"
#include "controller/reconcile/job_reconciler.h"
#include "src/jobs/workload_name.h"
#include "src/objects/names.h"
#include "src/translate/translate.h"
#include "src/translate/variants.h"

namespace quorate::controller {
namespace {

namespace conditions = objects::conditions;
using admission::VariantStep;
using objects::Workload;
using objects::WorkloadSpecChange;

std::string quoted(const ObjectKey& key) { return "\"" + key.text() + "\""; }

kube::Event family_event(const Workload& about, std::string reason, std::string note) {
  kube::Event event;
  event.regarding = {objects::kinds::kWorkload.api_version(), "Workload", about.meta.key,
                     about.meta.uid, ""};
  event.action = reason;
  event.reason = std::move(reason);
  event.note = std::move(note);
  return event;
}

// Texts of templates are compared as they were understood: their keys may stand in another order.
bool same_pods(const std::vector<objects::PodSet>& a, const std::vector<objects::PodSet>& b) {
  return std::ranges::equal(a, b, [](const objects::PodSet& x, const objects::PodSet& y) {
    return x.name == y.name && x.count == y.count && x.min_count == y.min_count &&
           x.topology == y.topology && *x.pod_template.parsed == *y.pod_template.parsed;
  });
}

// One look at one family.
class Look {
 public:
  Look(const FamilyView& seen, const ReconcileSettings& settings, Time now)
      : seen_(seen), parent_(seen.parent), settings_(settings), now_(now) {}

  Plan take() && {
    run();
    return std::move(plan_);
  }

 private:
  void run();
  void dissolve();
  bool copy_changes();
  void copy_reclaimed();
  void carry_out(const VariantStep& step);
  void create(const std::string& flavor);
  void switch_to(const Workload& variant, bool active, const std::string& why);
  void copy_readiness(const Workload& variant);

  const Workload& find(const ObjectKey& key) const {
    const auto found =
        std::ranges::find(seen_.variants, key, [](const Workload& one) { return one.meta.key; });
    return found == seen_.variants.end() ? parent_ : *found;
  }
  void write(Write write) { plan_.writes.push_back(std::move(write)); }
  void remove(const Workload& variant) {
    if (!variant.meta.deleted) write(DeleteWorkload{variant.meta.key, variant.meta.uid});
  }
  void patch(const Workload& variant, WorkloadSpecChange change) {
    write(PatchWorkloadSpec{variant.meta.key, variant.meta.resource_version, std::move(change)});
  }

  const FamilyView& seen_;
  const Workload& parent_;
  const ReconcileSettings& settings_;
  const Time now_;
  Plan plan_;
};

void Look::run() {
  // The garbage collector takes the variants away with their parent.
  if (!settings_.concurrent_admission || parent_.meta.deleted || !seen_.queue) return;
  if (!seen_.queue->concurrent_admission || seen_.queue->resource_groups.empty()) return dissolve();
  const bool finished = objects::is_true(parent_.status.conditions, conditions::kFinished);
  if (!finished && copy_changes()) return;
  std::vector<admission::WorkloadSpec> variants;
  for (const Workload& variant : seen_.variants) variants.push_back(translate::to_spec(variant));
  const admission::VariantPlan plan = admission::plan_variants(
      translate::to_spec(parent_), std::move(variants), translate::to_spec(*seen_.queue), now_);
  for (const VariantStep& step : plan.steps) carry_out(step);
  if (plan.look_again) plan_.look_again = *plan.look_again - now_;
  if (!finished) copy_reclaimed();
}

void Look::dissolve() {
  if (objects::is_true(parent_.status.conditions, conditions::kQuotaReserved) ||
      objects::is_true(parent_.status.conditions, conditions::kFinished)) {
    return;
  }
  for (const Workload& variant : seen_.variants) remove(variant);
  if (!seen_.variants.empty()) return;
  write(SetLabel{objects::kinds::kWorkload, parent_.meta.key, parent_.meta.resource_version,
                 std::string(admission::kVariantParentLabel), ""});
}

// A parent that still waits may be given other pods, another queue or another priority. True if
// something has to be written before anything else is looked at.
bool Look::copy_changes() {
  for (const Workload& variant : seen_.variants) {
    if (variant.meta.deleted) continue;
    WorkloadSpecChange change;
    bool differs = false;
    if (!objects::is_true(variant.status.conditions, conditions::kQuotaReserved)) {
      if (variant.queue_name != parent_.queue_name) {
        change.queue_name = parent_.queue_name;
        differs = true;
      }
      if (!same_pods(variant.pod_sets, parent_.pod_sets)) {
        change.pod_sets = parent_.pod_sets;
        differs = true;
      }
    }
    if (parent_.priority && (variant.priority != parent_.priority ||
                             variant.priority_class != parent_.priority_class)) {
      change.priority = parent_.priority;
      change.priority_class = parent_.priority_class;
      differs = true;
    }
    if (differs) patch(variant, std::move(change));
  }
  return !plan_.writes.empty();
}

// Quota of pods that are not needed any more is the variant's to give back.
void Look::copy_reclaimed() {
  if (parent_.status.reclaimable_pods.empty()) return;
  for (const Workload& variant : seen_.variants) {
    if (!objects::is_true(variant.status.conditions, conditions::kAdmitted)) continue;
    if (variant.status.reclaimable_pods == parent_.status.reclaimable_pods) continue;
    ApplyWorkloadStatus reclaim{variant.meta.key, variant.meta.uid, "kueue-reclaimable-pods", {}};
    reclaim.status.reclaimable_pods = parent_.status.reclaimable_pods;
    write(std::move(reclaim));
  }
}

void Look::carry_out(const VariantStep& step) {
  using Kind = VariantStep::Kind;
  const Workload& workload = find(step.workload);
  const auto evict = [&](const Workload& one) {
    FollowFamily follow{one.meta.key, one.meta.uid, {}, std::nullopt, false};
    follow.decisions.emplace_back(
        admission::Evict{one.meta.key, one.meta.uid, step.reason, step.message});
    return follow;
  };
  switch (step.kind) {
    case Kind::Create:
      return create(step.flavor);
    case Kind::Delete:
      if (workload.meta.deleted) return;
      remove(workload);
      return write(family_event(parent_, "DeletedVariant",
                                "Variant Workload " + quoted(workload.meta.key) +
                                    " deleted; flavor \"" + step.flavor +
                                    "\" no longer in ClusterQueue"));
    case Kind::EvictParent:
      return write(evict(parent_));
    case Kind::EvictVariant: {
      FollowFamily follow = evict(workload);
      follow.requeue = parent_.status.requeue;
      return write(std::move(follow));
    }
    case Kind::Release:
      return write(ReleaseQuota{workload.meta.key, workload.meta.uid});
    case Kind::Deactivate:
      return switch_to(workload, false, step.message);
    case Kind::Activate:
      return switch_to(workload, true, step.message);
    case Kind::AdmitParent: {
      const ObjectKey& key = parent_.meta.key;
      const admission::WorkloadSpec variant = translate::to_spec(workload);
      FollowFamily follow{key, parent_.meta.uid, {}, std::nullopt, false};
      follow.decisions.emplace_back(
          admission::Admit{key, parent_.meta.uid, *variant.admission, true,
                           "Quota reserved in ClusterQueue " + variant.admission->cluster_queue});
      follow.decisions.emplace_back(
          admission::ConfirmAdmission{key, parent_.meta.uid, step.message});
      return write(std::move(follow));
    }
    case Kind::CopyReadiness:
      return copy_readiness(workload);
    case Kind::Finish: {
      const objects::Condition* over =
          objects::find_condition(parent_.status.conditions, conditions::kFinished);
      return write(finish_workload(workload, over->reason, over->message, now_));
    }
    case Kind::OpenGate: {
      FollowFamily follow{workload.meta.key, workload.meta.uid, {}, std::nullopt, true};
      write(std::move(follow));
      return write(
          family_event(workload, "PreemptionUngatedVariant",
                       "Opened preemption gate for variant workload " + quoted(workload.meta.key)));
    }
  }
}

void Look::create(const std::string& flavor) {
  Workload variant = translate::variant_of(
      parent_, flavor,
      jobs::variant_name(parent_.meta.key.name, parent_.meta.uid, flavor,
                         settings_.short_names ? jobs::kShortName : jobs::kLongName));
  const ObjectKey key = variant.meta.key;
  write(CreateWorkload{std::move(variant)});
  write(family_event(parent_, "CreatedVariant", "Variant Workload " + quoted(key) + " created"));
}

void Look::switch_to(const Workload& variant, bool active, const std::string& why) {
  WorkloadSpecChange change;
  change.active = active;
  patch(variant, std::move(change));
  write(family_event(variant, active ? "ActivatedVariant" : "DeactivatedVariant",
                     std::string("Variant Workload ") + (active ? "activated" : "deactivated") +
                         " due to " + why));
}

void Look::copy_readiness(const Workload& variant) {
  ApplyWorkloadStatus ready{
      variant.meta.key, variant.meta.uid, "kueue-job-controller-PodsReady", {}};
  ready.status.conditions = {
      *objects::find_condition(parent_.status.conditions, conditions::kPodsReady)};
  write(std::move(ready));
}

}  // namespace

Plan reconcile(const FamilyView& seen, const ReconcileSettings& settings, Time now) {
  return Look(seen, settings, now).take();
}

}  // namespace quorate::controller
