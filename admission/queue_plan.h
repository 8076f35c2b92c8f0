#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "admission/spec.h"
#include "quota/names.h"

namespace quorate::admission {

// The resource groups of a ClusterQueue, compiled for flavor assignment.
struct QueuePlan {
  struct Group {
    std::vector<std::uint32_t> resources;
    std::vector<std::uint32_t> flavors;  // in the order in which they are tried
  };
  std::vector<Group> groups;
  bool covers_pods = false;

  // The group that covers the resource; nullptr if none does.
  const Group* group_of(std::uint32_t resource) const;
  bool has_flavor(std::uint32_t flavor) const;
};

QueuePlan compile(const ClusterQueueSpec& spec, quota::Names& names);

// The flavors that exist, by slot.
using FlavorTable = std::map<std::uint32_t, std::shared_ptr<const FlavorSpec>>;

}  // namespace quorate::admission
