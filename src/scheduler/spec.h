#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"

namespace quorate::scheduler {

// A PodGroup, native or fallback, in one model.
struct PodGroupSpec {
  ObjectKey key;
  std::string uid;
  bool native = true;  // scheduling.k8s.io; else scheduling.x-k8s.io
  bool gang = true;    // else basic: members are scheduled one by one
  std::int32_t min_count = 1;
  std::optional<std::int32_t> priority;  // nullopt: the largest of its members
  std::string topology_key;  // one domain of this node label for all members; "" if none
  Time created;
  bool initially_scheduled = false;  // condition PodGroupInitiallyScheduled=True seen
  std::string condition_reason, condition_message;  // of that condition while False
  bool terminating = false;
  // A queue manages the group itself: members wait until its workload is admitted.
  bool needs_admission = false;

  friend bool operator==(const PodGroupSpec&, const PodGroupSpec&) = default;
};

// What the admission of a group that a queue manages adds to the members' constraints.
struct GroupAdmission {
  ObjectKey group;
  Labels node_labels;
  std::vector<Toleration> tolerations;
  // Workload that was admitted for the group and its pod set that the members are: they take the
  // places reserved for it. Same namespace; "" if nothing was reserved.
  std::string workload;
  std::string pod_set;

  friend bool operator==(const GroupAdmission&, const GroupAdmission&) = default;
};

}  // namespace quorate::scheduler
