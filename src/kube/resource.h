#pragma once

#include <string>
#include <string_view>

#include "src/base/object_key.h"

namespace quorate::kube {

// One kind of object as the API server serves it. Namespace and name of an object go into a path
// only through these functions, which escape them.
struct Resource {
  std::string group;  // "" is core
  std::string version;
  std::string plural;
  std::string kind;
  bool namespaced = true;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // "/apis/batch/v1"
  std::string group_path() const;
  // "/apis/batch/v1/namespaces/default/jobs"; across all namespaces when `ns` is empty.
  std::string collection_path(std::string_view ns = {}) const;
  // ".../jobs/train"
  std::string object_path(const ObjectKey& key) const;

  friend bool operator==(const Resource&, const Resource&) = default;
};

inline Resource pods() { return {"", "v1", "pods", "Pod", true}; }
inline Resource nodes() { return {"", "v1", "nodes", "Node", false}; }
inline Resource namespaces() { return {"", "v1", "namespaces", "Namespace", false}; }
inline Resource secrets() { return {"", "v1", "secrets", "Secret", true}; }
inline Resource config_maps() { return {"", "v1", "configmaps", "ConfigMap", true}; }
inline Resource jobs() { return {"batch", "v1", "jobs", "Job", true}; }
inline Resource leases() { return {"coordination.k8s.io", "v1", "leases", "Lease", true}; }
inline Resource events() { return {"events.k8s.io", "v1", "events", "Event", true}; }
inline Resource priority_classes() {
  return {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false};
}

}  // namespace quorate::kube
