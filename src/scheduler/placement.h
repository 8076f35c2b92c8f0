#pragma once

// Proves where a whole gang can run before it exists, and keeps the places for it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"
#include "src/base/transaction.h"
#include "src/cluster/model.h"
#include "src/scheduler/config.h"

namespace quorate::scheduler {

struct PodSetRequest {
  std::string name;
  std::int32_t count = 0;
  std::shared_ptr<const PodTemplate> pod;
  Labels node_labels;                   // what the nodes must carry besides
  std::vector<Toleration> tolerations;  // what the pods will tolerate besides
};

struct GangRequest {
  ObjectKey workload;
  std::string uid;
  std::vector<PodSetRequest> pod_sets;
};

struct NotPlaced {
  std::string pod_set;  // the first that could not be placed; "" if only the whole gang is too big
  std::string why;

  friend bool operator==(const NotPlaced&, const NotPlaced&) = default;
};

// A view over one model and its journal, which outlive it, as does the config. Uses the filters and
// scores of the first profile. One that is kept is faster than one made for each gang: it remembers
// how the nodes look to the shapes of pods it was asked about, and follows what changed.
class GangPlacer {
 public:
  GangPlacer(cluster::Model& model, Journal& journal, const Config& config);
  ~GangPlacer();
  GangPlacer(const GangPlacer&) = delete;
  GangPlacer& operator=(const GangPlacer&) = delete;

  // Places every pod of the gang or none. On success the plan is a reservation of the model under
  // the workload's uid, replacing an earlier one, which counts as usage for everything placed
  // later until the gang's pods take its places or release() drops it. Reserved inside a
  // transaction of the journal, it vanishes with it.
  std::optional<NotPlaced> reserve(const GangRequest& gang);

  void release(const std::string& workload_uid);

 private:
  cluster::Model& model_;
  Journal& journal_;
  const Config& config_;
  struct Kept;
  std::unique_ptr<Kept> kept_;  // null until the first gang
};

}  // namespace quorate::scheduler
