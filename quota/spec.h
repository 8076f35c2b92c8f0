#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/quantity.h"

namespace quorate::quota {

// What a ClusterQueue or Cohort owns of one resource in one flavor. All amounts are in base units
// of the resource and at least zero. A nominal of Quantity::max() is Unlimited
// (quota at or beyond the largest 64-bit amount).
struct ResourceQuota {
  std::string resource;
  Quantity nominal;
  Limit borrowing_limit;  // how much more than nominal may be used; unbounded if absent
  Limit lending_limit;    // how much of the quota others may use; all of it if absent

  friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

struct FlavorQuotas {
  std::string flavor;
  std::vector<ResourceQuota> resources;

  friend bool operator==(const FlavorQuotas&, const FlavorQuotas&) = default;
};

// The resources of one group are always taken from one flavor together; flavors are tried in the
// order written.
struct ResourceGroup {
  std::vector<std::string> covered_resources;
  std::vector<FlavorQuotas> flavors;

  friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

}  // namespace quorate::quota
