// Concurrent admission (KEP-8691): a workload is queued as one variant for each flavor of its
// queue, and the most favorable one that fits runs. Here is what the cycle decides about variants;
// variants.h says what becomes of the family.

#include <algorithm>
#include <limits>

#include "admission/core.h"

namespace quorate::admission {

// Variants are looked up by the uid of their parent, which never changes.
void Core::join_family(WorkloadId id) {
  const Facts& facts = *workloads_.at(id).facts;
  if (facts.is_variant()) families_[facts.variation->parent_uid].push_back(id);
}

void Core::leave_family(WorkloadId id) {
  const Facts& facts = *workloads_.at(id).facts;
  if (!facts.is_variant()) return;
  const auto family = families_.find(facts.variation->parent_uid);
  if (family == families_.end()) return;
  std::erase(family->second, id);
  if (family->second.empty()) families_.erase(family);
}

// The other variant that runs; at most one does.
WorkloadId Core::admitted_sibling(const Entry& entry) const {
  const Facts& facts = *workloads_.at(entry.workload).facts;
  if (!facts.is_variant()) return {};
  const auto family = families_.find(facts.variation->parent_uid);
  if (family == families_.end()) return {};
  for (const WorkloadId id : family->second) {
    const Workload& other = workloads_.at(id);
    if (id != entry.workload && other.held && other.admitted) return id;
  }
  return {};
}

// The place of its flavor in the queue's list: the lower, the more favorable.
int Core::favor_of(QueueId id, WorkloadId variant) const {
  const Facts& facts = *workloads_.at(variant).facts;
  const QueuePlan& plan = queues_.at(id).plan;
  if (facts.variation && !facts.variation->allowed.empty() && !plan.groups.empty()) {
    const std::vector<std::uint32_t>& flavors = plan.groups.front().flavors;
    const auto at = std::find(flavors.begin(), flavors.end(), facts.variation->allowed.front());
    if (at != flavors.end()) return static_cast<int>(at - flavors.begin());
  }
  return std::numeric_limits<int>::max();
}

bool Core::may_migrate(const Entry& entry) const {
  const std::optional<ConcurrentAdmission>& policy =
      queues_.at(entry.queue).spec->concurrent_admission;
  if (!policy) return true;
  if (policy->retain_first) return false;
  if (policy->last_acceptable_flavor.empty()) return true;
  const QueuePlan& plan = queues_.at(entry.queue).plan;
  for (const std::uint32_t flavor : plan.groups.front().flavors) {
    if (workloads_.at(entry.workload).facts->allows(flavor)) return true;
    if (names_.flavors.name({flavor, 0}) == policy->last_acceptable_flavor) return false;
  }
  return false;
}

// Tells the less favorable variant to leave; the better one is admitted once that is gone. True if
// it was told now.
bool Core::migrate(const Entry& entry, WorkloadId from) {
  const Facts& facts = *workloads_.at(entry.workload).facts;
  const Facts& leaving = *workloads_.at(from).facts;
  const bool told = !is_leaving(workloads_.at(from));
  if (told) {
    tell_to_leave(from, Leaving::Preempted);
    Evict evict{leaving.key, leaving.uid, "FlavorMigration", migration_message(facts.uid)};
    evict.preemptor = facts.key;
    evict.preemptor_uid = facts.uid;
    evict.preempting_queue = queues_.at(entry.queue).name;
    out_.push_back(std::move(evict));
  }
  hold(entry.workload, Reason::WaitingForPreemptedWorkloads,
       {Layer::Quota, {AwaitsVictims{{leaving.key}}}});
  requeue(entry.workload, RequeueReason::PendingMigration, nullptr);
  return told;
}

// A parent is neither queued nor checked; its pods are its own, and so are their clocks.
void Core::reconcile_parent(WorkloadId id) {
  if (reconcile_pods_ready(id) || reconcile_execution_time(id)) return;
  workloads_.at(id).issued = 0;
}

}  // namespace quorate::admission
