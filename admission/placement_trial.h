#pragma once

#include "admission/preemption_search.h"
#include "admission/topology_step.h"

namespace quorate::admission {

// Whether an assignment finds places in its topologies once workloads are gone: the part of a
// search for victims that quota does not answer. What leaves and what comes back is charged in the
// trees under the search's transaction. Each question costs a placement on counts that follow what
// was charged.
class TopologyTrial final : public PlacementTrial {
 public:
  TopologyTrial(Journal& journal, const AssignContext& context, const Facts& workload,
                const Assignment& assignment)
      : journal_(journal), context_(context), workload_(workload), assignment_(assignment) {}

  void removed(const Candidate& candidate) override { charge(candidate, -1); }
  void put_back(const Candidate& candidate) override { charge(candidate, 1); }
  bool fits() override {
    return !find_places(context_, workload_, assignment_, Occupancy::Current, &counters_).failure;
  }

 private:
  void charge(const Candidate& candidate, std::int64_t sign) {
    if (candidate.places == nullptr) return;
    for (const TopologyUse& use : *candidate.places) {
      context_.topology.inventory->charge(journal_, use.flavor, use.places, use.pod, sign);
    }
  }

  Journal& journal_;
  const AssignContext& context_;
  const Facts& workload_;
  const Assignment& assignment_;
  PlaceCounters counters_;
};

}  // namespace quorate::admission
