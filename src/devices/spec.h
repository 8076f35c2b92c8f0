#pragma once

// What the device model is told: objects of resource.k8s.io as the API server last showed them.

#include <cstdint>
#include <memory>
#include <string>

#include "src/base/device_types.h"
#include "src/base/object_key.h"
#include "src/base/time.h"

namespace quorate::devices {

struct ClassObject {
  std::string name;
  Time created;
  dra::DeviceClassSpec spec;

  friend bool operator==(const ClassObject&, const ClassObject&) = default;
};

struct SliceObject {
  std::string name;
  dra::SliceSpec spec;

  friend bool operator==(const SliceObject&, const SliceObject&) = default;
};

struct TaintRuleObject {
  std::string name;
  dra::TaintRuleSpec spec;

  friend bool operator==(const TaintRuleObject&, const TaintRuleObject&) = default;
};

struct TemplateObject {
  ObjectKey key;
  dra::ClaimSpec spec;

  friend bool operator==(const TemplateObject&, const TemplateObject&) = default;
};

struct ClaimObject {
  ObjectKey key;
  std::string uid;
  std::string resource_version;
  bool terminating = false;
  bool has_finalizer = false;  // resource.kubernetes.io/delete-protection
  // The controller owner reference; empty without one.
  std::string owner_group, owner_kind, owner_name, owner_uid;
  bool extended = false;  // stands for the extended resources of its owner
  dra::ClaimSpec spec;
  dra::ClaimStatus status;

  friend bool operator==(const ClaimObject&, const ClaimObject&) = default;
};

}  // namespace quorate::devices
