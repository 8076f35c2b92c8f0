#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/outcome.h"
#include "src/base/time.h"
#include "src/kube/raw_object.h"

namespace quorate::kube {

// What leader election reads and writes of a coordination.k8s.io/v1 Lease.
struct Lease {
  std::string resource_version;
  std::string holder;  // "": nobody
  Duration duration;
  std::int64_t transitions = 0;
};
Outcome<Lease> decode_lease(const Document& document);

struct LeaseChange {
  std::string holder;
  Duration duration;
  Time renew_time;
  std::optional<Time> acquire_time = {};
  std::optional<std::int64_t> transitions = {};
};
std::string new_lease(const ObjectKey& key, const LeaseChange& change);
// A merge patch that only replaces the version named: 409 otherwise.
std::string lease_patch(const LeaseChange& change, std::string_view resource_version);

}  // namespace quorate::kube
