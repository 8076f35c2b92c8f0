#include "controller/reconcile/queue_reconciler.h"

#include <algorithm>

#include "src/objects/names.h"
#include "src/objects/workload.h"

namespace quorate::controller {
namespace {

std::vector<objects::FlavorUsage> by_flavor(const std::vector<admission::ResourceUsageView>& usage,
                                            QueueKind kind) {
  std::vector<objects::FlavorUsage> flavors;
  for (const admission::ResourceUsageView& entry : usage) {
    auto flavor = std::ranges::find(flavors, entry.flavor, &objects::FlavorUsage::name);
    if (flavor == flavors.end()) {
      flavors.push_back({entry.flavor, {}});
      flavor = std::prev(flavors.end());
    }
    objects::ResourceUsage out{entry.resource, entry.total, {}};
    if (kind == QueueKind::ClusterQueue) out.borrowed = entry.borrowed;
    flavor->resources.push_back(std::move(out));
  }
  return flavors;
}

}  // namespace

objects::QueueStatus queue_status(const objects::QueueStatus& now_shown,
                                  const admission::QueueView& view, QueueKind kind,
                                  std::int64_t generation, Time now) {
  objects::QueueStatus status = now_shown;
  status.pending = view.pending;
  status.reserving = view.reserving;
  status.admitted = view.admitted;
  status.reservation = by_flavor(view.reservation, kind);
  status.usage = by_flavor(view.usage, kind);
  if (kind == QueueKind::ClusterQueue) {
    status.weighted_share.reset();
    if (view.share) status.weighted_share = view.share->weighted();
  } else if (view.consumed) {
    constexpr std::int64_t kSecond = 1'000'000'000;  // times of an object are whole seconds
    status.consumed = {view.consumed->resources,
                       Time{view.consumed->updated.nanos / kSecond * kSecond}};
    status.weighted_share = 0;  // always so
  } else if (view.active.active) {
    // Its ClusterQueue goes by usage no more. One whose ClusterQueue is missing keeps what it says.
    status.consumed.reset();
    status.weighted_share.reset();
  }
  const objects::Condition* before =
      objects::find_condition(status.conditions, objects::conditions::kActive);
  objects::Condition active{.type = std::string(objects::conditions::kActive),
                            .status = view.active.active ? objects::ConditionStatus::True
                                                         : objects::ConditionStatus::False,
                            .reason = view.active.reason,
                            .message = view.active.message,
                            .observed_generation = generation};
  // A new generation alone is worth saying: readers wait for it.
  if (before == nullptr || before->status != active.status || before->reason != active.reason ||
      before->message != active.message || before->observed_generation != generation) {
    objects::set_condition(status.conditions, std::move(active), now);
  }
  return status;
}

std::optional<SetFinalizers> finalizer_change(const objects::KindInfo& kind,
                                              const objects::ObjectMeta& meta, bool in_use) {
  const bool has = objects::has_finalizer(meta, objects::names::kResourceInUse);
  SetFinalizers change{kind, meta.key, meta.resource_version, meta.finalizers};
  if (!meta.deleted) {
    if (has) return std::nullopt;
    change.finalizers.emplace_back(objects::names::kResourceInUse);
    return change;
  }
  if (!has || in_use) return std::nullopt;
  std::erase(change.finalizers, objects::names::kResourceInUse);
  return change;
}

bool lists_flavor(const std::vector<objects::ResourceGroup>& groups, std::string_view flavor) {
  return std::ranges::any_of(groups, [&](const objects::ResourceGroup& group) {
    return std::ranges::any_of(
        group.flavors, [&](const objects::FlavorQuotas& quotas) { return quotas.name == flavor; });
  });
}

}  // namespace quorate::controller
