#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/outcome.h"
#include "src/kube/client.h"
#include "src/objects/pod_group.h"

namespace quorate::controller {

// What the cluster serves of what we can use.
struct Served {
  bool kueue = false;                // all kinds of kueue.x-k8s.io that we need
  std::vector<std::string> missing;  // those that are not: "workloads.kueue.x-k8s.io/v1beta2"
  bool admission_checks = false;
  std::optional<objects::PodGroupApi> native_groups;  // the best version of scheduling.k8s.io
  bool fallback_groups = false;
  bool composite_groups = false;  // scheduling.k8s.io/v1alpha3, compositepodgroups
  bool devices = false;           // resource.k8s.io/v1
  bool taint_rules = false;       // of it, devicetaintrules

  friend bool operator==(const Served&, const Served&) = default;
};

// Asks the API server. Errors: as Client::served().
Outcome<Served> discover(kube::Client& client);

}  // namespace quorate::controller
