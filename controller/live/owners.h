#pragma once

#include <string_view>

#include "src/objects/meta.h"

namespace quorate::controller {

// What controls an object, as its owner reference says.
inline bool is_job(const objects::OwnerReference* owner) {
  return owner != nullptr && owner->kind == "Job" && owner->api_version == "batch/v1";
}

inline bool is_group(const objects::OwnerReference* owner) {
  return owner != nullptr && owner->kind == "PodGroup";
}

// Of two groups of one name: whether the API server's own kind is meant.
inline bool native_api(std::string_view api_version) {
  return api_version.starts_with("scheduling.k8s.io/");
}

}  // namespace quorate::controller
