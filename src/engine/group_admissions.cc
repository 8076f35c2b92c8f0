#include "src/engine/group_admissions.h"

#include <algorithm>

namespace quorate::engine {
namespace {

bool is_true(const admission::WorkloadSpec& workload, std::string_view type) {
  return std::ranges::any_of(workload.conditions, [&](const admission::ConditionView& condition) {
    return condition.type == type && condition.status == admission::ConditionView::Status::True;
  });
}

bool admits(const admission::WorkloadSpec& workload) {
  return workload.admission.has_value() && workload.active && !workload.terminating &&
         is_true(workload, "Admitted") && !is_true(workload, "Evicted") &&
         !is_true(workload, "Finished");
}

template <class T>
void add_new(std::vector<T>& list, const T& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

}  // namespace

std::optional<GroupAdmissions::Claim> GroupAdmissions::claim_of(
    const admission::WorkloadSpec& workload) {
  if (workload.owner_kind != "PodGroup" || workload.owner_name.empty()) return std::nullopt;
  Claim claim{workload.uid,
              workload.owner_uid,
              {workload.key.ns, workload.owner_name},
              admits(workload),
              {},
              {}};
  if (claim.admitted) {
    const auto& pod_sets = workload.admission->pod_sets;
    if (!pod_sets.empty()) claim.pod_set = pod_sets.front().name;
    for (const admission::PodSetAssignment& pod_set : workload.admission->pod_sets) {
      for (const auto& [resource, flavor] : pod_set.flavors) add_new(claim.flavors, flavor);
    }
  }
  return claim;
}

void GroupAdmissions::drop_claim(const ObjectKey& workload) {
  const auto claim = claims_.find(workload);
  if (claim == claims_.end()) return;
  const auto claimants = claimants_.find(claim->second.group);
  claimants->second.erase(workload);
  if (claimants->second.empty()) claimants_.erase(claimants);
  claims_.erase(claim);
}

std::optional<scheduler::GroupAdmission> GroupAdmissions::granted_by(const ObjectKey& workload,
                                                                     const Claim& claim) const {
  scheduler::GroupAdmission admission{claim.group, {}, {}, workload.name, claim.pod_set};
  for (const std::string& name : claim.flavors) {
    const auto flavor = flavors_.find(name);
    if (flavor == flavors_.end()) return std::nullopt;
    // Flavors of one admission that disagree about a label would leave no node at all; the first
    // one, of the resource that is first by name, counts.
    admission.node_labels.insert(flavor->second->node_labels.begin(),
                                 flavor->second->node_labels.end());
    for (const Toleration& one : flavor->second->tolerations) add_new(admission.tolerations, one);
  }
  return admission;
}

std::optional<scheduler::GroupAdmission> GroupAdmissions::wanted(const ObjectKey& group) const {
  const auto managed = managed_.find(group);
  const auto claimants = claimants_.find(group);
  if (managed == managed_.end() || claimants == claimants_.end()) return std::nullopt;
  for (const ObjectKey& workload : claimants->second) {
    const Claim& claim = claims_.at(workload);
    const bool same_group =
        claim.owner_uid.empty() || managed->second.empty() || claim.owner_uid == managed->second;
    if (!claim.admitted || !same_group) continue;
    if (auto admission = granted_by(workload, claim)) return admission;
  }
  return std::nullopt;
}

void GroupAdmissions::settle(const ObjectKey& group, std::vector<GroupChange>& changes) {
  std::optional<scheduler::GroupAdmission> want = wanted(group);
  const auto granted = granted_.find(group);
  if (want) {
    if (granted != granted_.end() && granted->second == *want) return;
    granted_.insert_or_assign(group, *want);
    changes.emplace_back(std::move(*want));
  } else if (granted != granted_.end()) {
    granted_.erase(granted);
    changes.emplace_back(GroupWithdrawn{group});
  }
}

std::vector<GroupChange> GroupAdmissions::settle_all() {
  std::vector<GroupChange> changes;
  for (const auto& [group, uid] : managed_) settle(group, changes);
  return changes;
}

std::vector<GroupChange> GroupAdmissions::apply(const admission::FlavorSpec& flavor) {
  std::shared_ptr<const admission::FlavorSpec>& known = flavors_[flavor.name];
  if (known && *known == flavor) return {};
  known = std::make_shared<const admission::FlavorSpec>(flavor);
  return settle_all();
}

std::vector<GroupChange> GroupAdmissions::flavor_gone(const std::string& name) {
  if (flavors_.erase(name) == 0) return {};
  return settle_all();
}

std::vector<GroupChange> GroupAdmissions::apply(const admission::WorkloadSpec& workload) {
  std::vector<GroupChange> changes;
  const auto known = claims_.find(workload.key);
  const std::optional<ObjectKey> before =
      known == claims_.end() ? std::nullopt : std::optional(known->second.group);
  drop_claim(workload.key);
  std::optional<Claim> claim = claim_of(workload);
  const std::optional<ObjectKey> after = claim ? std::optional(claim->group) : std::nullopt;
  if (claim) {
    claimants_[claim->group].insert(workload.key);
    claims_.emplace(workload.key, std::move(*claim));
  }
  if (before && before != after) settle(*before, changes);
  if (after) settle(*after, changes);
  return changes;
}

std::vector<GroupChange> GroupAdmissions::workload_gone(const ObjectKey& key,
                                                        const std::string& uid) {
  const auto known = claims_.find(key);
  if (known == claims_.end() || known->second.uid != uid) return {};
  std::vector<GroupChange> changes;
  const ObjectKey group = known->second.group;
  drop_claim(key);
  settle(group, changes);
  return changes;
}

std::vector<GroupChange> GroupAdmissions::apply(const scheduler::PodGroupSpec& group) {
  std::vector<GroupChange> changes;
  const auto known = managed_.find(group.key);
  // Another group of that name: what was granted was granted to its predecessor.
  if (known != managed_.end() && known->second != group.uid) {
    if (granted_.erase(group.key) != 0) changes.emplace_back(GroupWithdrawn{group.key});
  }
  if (group.needs_admission) {
    managed_.insert_or_assign(group.key, group.uid);
  } else {
    managed_.erase(group.key);
  }
  settle(group.key, changes);
  return changes;
}

std::vector<GroupChange> GroupAdmissions::group_gone(const ObjectKey& key, const std::string& uid) {
  const auto known = managed_.find(key);
  if (known == managed_.end() || known->second != uid) return {};
  managed_.erase(known);
  std::vector<GroupChange> changes;
  settle(key, changes);
  return changes;
}

}  // namespace quorate::engine
