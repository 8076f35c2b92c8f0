#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/proof.h"
#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"

namespace quorate::admission {

// The pods of one pod set with what its flavors add to them.
struct PodSetToPlace {
  std::string name;
  std::int32_t count = 0;
  std::shared_ptr<const PodTemplate> pod;
  Labels node_labels;                   // of the assigned flavors
  std::vector<Toleration> tolerations;  // of the assigned flavors
};

struct GangToPlace {
  ObjectKey workload;
  std::string uid;
  std::vector<PodSetToPlace> pod_sets;
};

// Proves where a gang can run before it gets quota. Implemented over the cluster model by the
// scheduler; an engine without a scheduler admits by quota alone.
class PlacementPort {
 public:
  virtual ~PlacementPort() = default;

  // Places every pod of the gang or none. On success the plan is held as a reservation that counts
  // as usage for everything placed later; nullopt then. Otherwise the proof of why not.
  // Reservations made inside a transaction of the state's journal vanish with it.
  virtual std::optional<NotPlaceable> reserve(const GangToPlace& gang) = 0;

  // Drops the reservation of a workload, if it has one.
  virtual void release(const std::string& workload_uid) = 0;
};

}  // namespace quorate::admission
