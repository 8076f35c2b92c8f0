#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/meta.h"

namespace quorate::objects {

struct Namespace {
  ObjectMeta meta;
  bool terminating = false;  // status.phase

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

// scheduling.k8s.io/v1
struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy = "PreemptLowerPriority";  // or Never

  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

struct LimitRangeItem {
  std::string type;  // Container, Pod, PersistentVolumeClaim
  ResourceList max;
  ResourceList min;
  ResourceList default_limits;    // spec.limits[].default
  ResourceList default_requests;  // spec.limits[].defaultRequest

  friend bool operator==(const LimitRangeItem&, const LimitRangeItem&) = default;
};

struct LimitRange {
  ObjectMeta meta;
  std::vector<LimitRangeItem> limits;

  friend bool operator==(const LimitRange&, const LimitRange&) = default;
};

// node.k8s.io/v1
struct RuntimeClass {
  ObjectMeta meta;
  std::string handler;
  ResourceList overhead;                // overhead.podFixed
  Labels node_selector;                 // scheduling.nodeSelector
  std::vector<Toleration> tolerations;  // scheduling.tolerations

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace quorate::objects
