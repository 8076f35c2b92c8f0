#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/quantity.h"
#include "src/base/time.h"

namespace quorate::admission {

// One entry of resources.transformations: `input` becomes the outputs, per unit, as exact decimals
// in thousandths of thousandths (nano units of the factor).
struct ResourceTransformation {
  std::string input;
  bool replace = false;
  std::map<std::string, std::string> outputs;  // resource -> factor, a Kubernetes quantity text
  std::string multiply_by;

  friend bool operator==(const ResourceTransformation&, const ResourceTransformation&) = default;
};

struct Config {
  std::vector<std::string> exclude_resource_prefixes;
  std::vector<ResourceTransformation> transformations;
  bool ignore_undeclared_resources = false;  // quotaCheckStrategy IgnoreUndeclared
  bool requeue_by_creation = false;          // requeuingStrategy.timestamp Creation
  bool fair_sharing = false;
  bool equivalence_classes = true;
  bool prove_placement = true;  // ask the placement port where there is one
  Duration move_back_batch = Duration::seconds(1);

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace quorate::admission
