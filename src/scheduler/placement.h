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

// A view over one model and its journal; make one where it is needed. Uses the filters and scores
// of the first profile.
class GangPlacer {
 public:
  GangPlacer(cluster::Model& model, Journal& journal, const Config& config);

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
};

}  // namespace quorate::scheduler
