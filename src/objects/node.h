#pragma once

#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/meta.h"

namespace quorate::objects {

// core/v1 Node.
struct Node {
  ObjectMeta meta;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList capacity;
  ResourceList allocatable;
  std::vector<Condition> conditions;  // without heartbeats, so that a heartbeat changes nothing

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace quorate::objects
