#pragma once

#include "src/base/device_types.h"
#include "src/objects/field_error.h"
#include "src/objects/meta.h"

namespace quorate::objects {

// resource.k8s.io/v1: devices, or counter sets, of one pool of one driver.
struct ResourceSlice {
  ObjectMeta meta;
  dra::SliceSpec spec;

  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

// What the API server refuses beyond the types of fields.
FieldErrors validate(const ResourceSlice& slice);

}  // namespace quorate::objects
