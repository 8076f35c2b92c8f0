#pragma once

#include <vector>

#include "src/base/device_types.h"
#include "src/objects/field_error.h"
#include "src/objects/meta.h"

namespace quorate::objects {

// resource.k8s.io/v1
struct DeviceClass {
  ObjectMeta meta;
  dra::DeviceClassSpec spec;

  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};

// Taints devices from outside of their driver (KEP-5055).
struct DeviceTaintRule {
  ObjectMeta meta;
  dra::TaintRuleSpec spec;
  std::vector<Condition> conditions;

  friend bool operator==(const DeviceTaintRule&, const DeviceTaintRule&) = default;
};

// What the API server refuses beyond the types of fields; CEL is checked by whoever compiles it.
FieldErrors validate(const DeviceClass& device_class);
FieldErrors validate(const DeviceTaintRule& rule);

}  // namespace quorate::objects
