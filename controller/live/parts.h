#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/outcome.h"

namespace quorate::controller {

// Which parts of the program run in this process.
struct Parts {
  bool admission = false;   // decides about Workloads
  bool jobs = false;        // "batch/job"
  bool pod_groups = false;  // "podgroup"
  bool webhooks = false;
  bool status = false;     // of queues
  bool scheduler = false;  // places pods; not part of "*"

  friend bool operator==(const Parts&, const Parts&) = default;
};

// Reads a list such as "*", "*,scheduler", "admission", "-webhooks": "*" is everything but the
// scheduler, a name switches a part on, "-name" off; the last word about a part counts. A list that
// only switches off begins with "*". Admission brings "status" along unless it is switched off.
// Errors: Invalid - an unknown name, or nothing is left to run.
Outcome<Parts> parse_parts(std::string_view list);

}  // namespace quorate::controller
