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

// resource.k8s.io/v1: identity and ownership only.
struct ResourceSlice {
  ObjectMeta meta;
  std::string driver;
  std::string pool;
  std::int64_t pool_generation = 0;
  std::int64_t pool_slice_count = 0;
  std::string node_name;  // "" for slices that are not of one node
  bool all_nodes = false;
  std::vector<std::string> devices;  // names

  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

struct ClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  friend bool operator==(const ClaimConsumer&, const ClaimConsumer&) = default;
};

struct AllocatedDevice {
  std::string request;
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;

  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct ResourceClaim {
  ObjectMeta meta;
  bool allocated = false;  // status.allocation is there
  std::vector<AllocatedDevice> devices;
  std::vector<ClaimConsumer> reserved_for;

  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

}  // namespace quorate::objects
