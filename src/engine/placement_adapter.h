#pragma once

#include <optional>
#include <string>

#include "admission/placement_port.h"
#include "src/base/transaction.h"
#include "src/cluster/model.h"
#include "src/scheduler/config.h"

namespace quorate::engine {

// Admission's question "where can this gang run?" answered by the scheduler's planner over the one
// cluster model. Pod sets of other schedulers, and of elastic jobs, are left to themselves.
// Everything it is given outlives it.
class PlacementAdapter final : public admission::PlacementPort {
 public:
  PlacementAdapter(cluster::Model& model, Journal& journal, const scheduler::Config& config)
      : model_(model), journal_(journal), config_(config) {}

  std::optional<admission::NotPlaceable> reserve(const admission::GangToPlace& gang) override;
  void release(const std::string& workload_uid) override;

  // True once after a release that gave places back for good, not as the undoing of a trial: what
  // did not fit before may fit now.
  bool take_freed();

 private:
  bool is_ours(const PodTemplate& pod) const;

  cluster::Model& model_;
  Journal& journal_;
  const scheduler::Config& config_;
  bool freed_ = false;
};

}  // namespace quorate::engine
