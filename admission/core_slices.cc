// Elastic workload slices: a workload that takes the place of another one of the same job.

#include <algorithm>

#include "admission/core.h"
#include "admission/requests.h"

namespace quorate::admission {

// The slice that it replaces counts if it holds quota in the same queue. One that is on its way out
// does not: its quota is about to be free for everybody.
void Core::find_predecessor(Entry& entry) {
  const Facts& facts = *workloads_.at(entry.workload).facts;
  if (!config_.elastic_slices || !facts.replaces || facts.replaces->ns != facts.key.ns) return;
  const WorkloadId id = find(*facts.replaces);
  if (!id || id == entry.workload) return;
  const Workload& before = workloads_.at(id);
  if (!before.held || before.held->queue != entry.queue || is_leaving(before)) return;

  auto replaced = std::make_shared<Replaced>();
  for (const PodSetAssignment& assigned : before.held->admission->pod_sets) {
    const auto pods =
        std::find_if(before.facts->pod_sets.begin(), before.facts->pod_sets.end(),
                     [&](const PodSetFacts& one) { return one.name == assigned.name; });
    const bool known = pods != before.facts->pod_sets.end();
    const std::int32_t count = assigned.count > 0 || !known ? assigned.count : pods->count;
    const std::int32_t left = known ? std::min(count, pods->remaining) : count;
    for (const auto& [resource, amount] : rescale(assigned.usage, count, left)) {
      const auto flavor = assigned.flavors.find(resource);
      if (flavor == assigned.flavors.end()) continue;
      const quota::FlavorResource fr = names_.pair(flavor->second, resource);
      replaced->parts.push_back({assigned.name, fr.resource, fr.flavor, amount.or_zero()});
    }
  }
  entry.predecessor = id;
  entry.replaced = std::move(replaced);
}

// The other slice is finished, whether it held quota or waited for some: at most one of a job
// lives. Until its object shows that, both are charged.
void Core::take_the_place(WorkloadId id) {
  const Facts& facts = *workloads_.at(id).facts;
  if (!config_.elastic_slices || !facts.replaces || facts.replaces->ns != facts.key.ns) return;
  const WorkloadId other = find(*facts.replaces);
  if (!other || other == id) return;
  const Facts& replaced = *workloads_.at(other).facts;
  if (replaced.finished()) return;
  out_.push_back(Finish{replaced.key, replaced.uid, "WorkloadSliceReplaced",
                        replaced_message(facts.uid, facts.job_uid)});
}

}  // namespace quorate::admission
