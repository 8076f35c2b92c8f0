#pragma once

// The claims of one pod, as one attempt to place it sees them.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/device_types.h"
#include "src/base/id.h"
#include "src/base/pod_template.h"
#include "src/devices/shape.h"

namespace quorate::devices {

using ClaimId = Id<struct ClaimTag>;

// What a PodGroup shares with its pods (KEP-5729).
struct GroupClaims {
  std::string name, uid;
  std::vector<PodClaim> entries;
  std::map<std::string, std::string> claim_names;  // of entries that name a template

  friend bool operator==(const GroupClaims&, const GroupClaims&) = default;
};

// Extended resources that a class serves (KEP-5004), by container.
struct ExtendedRequest {
  std::string name;  // container-<i>-request-<j>
  std::string resource;
  std::string device_class;
  std::int64_t count = 0;
};

struct PodClaims {
  struct Use {
    ClaimId id;  // none: the pod, and so its claim, does not exist yet
    std::shared_ptr<const Shape> shape;
    std::string name;  // "namespace/claim"
    // Nobody else can want it: made for this pod from a template, and not allocated yet.
    bool own = false;
    bool by_group = false;  // reserved for the pod's group instead of the pod
  };
  std::vector<Use> uses;  // in pod order, each claim once
  std::vector<ExtendedRequest> extended;
  // Why the pod cannot be tried yet; it waits without a word.
  std::string waits_for;
  // Why no node will do.
  std::string unresolvable;
  // Equal ids: nothing but names tells the two apart. Never 0.
  std::uint64_t id = 0;

  bool nothing() const { return uses.empty() && extended.empty() && unresolvable.empty(); }
};

}  // namespace quorate::devices
