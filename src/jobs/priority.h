#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/objects/core_kinds.h"
#include "src/objects/flavors.h"
#include "src/objects/workload.h"

namespace quorate::jobs {

// The priority classes that exist, by name.
struct PriorityClasses {
  std::map<std::string, objects::WorkloadPriorityClass, std::less<>> workload;
  std::map<std::string, objects::PriorityClass, std::less<>> pod;
};

struct Priority {
  std::int32_t value = 0;
  std::optional<objects::PriorityClassRef> source;

  friend bool operator==(const Priority&, const Priority&) = default;
};

PriorityClasses priority_classes(
    const std::map<ObjectKey, objects::WorkloadPriorityClass>& workload,
    const std::map<ObjectKey, objects::PriorityClass>& pod);

// The priority of a workload: by the WorkloadPriorityClass label; else by the priority class of its
// pods; else the cluster's default class (the smallest of several); else 0.
// Errors: NotFound - it names a class that does not exist; the message says which.
Outcome<Priority> resolve_priority(const PriorityClasses& classes, std::string_view workload_class,
                                   std::string_view pod_class);

}  // namespace quorate::jobs
