#pragma once

#include <map>
#include <string>
#include <tuple>

#include "src/base/object_key.h"
#include "src/objects/core_kinds.h"
#include "src/objects/device_class.h"
#include "src/objects/flavors.h"
#include "src/objects/job.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/queues.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/workload.h"

namespace quorate::simulate {

// An object of a kind that the API has and decisions do not read yet; by "Kind name".
struct Opaque {
  objects::ObjectMeta meta;
  std::string kind;

  friend bool operator==(const Opaque&, const Opaque&) = default;
};

// Objects of every kind that is read, each kind sorted by key, so that the order in which they came
// is forgotten.
struct Objects {
  template <class T>
  using Of = std::map<ObjectKey, T>;

  std::tuple<Of<objects::Namespace>, Of<objects::Node>, Of<objects::Pod>, Of<objects::LimitRange>,
             Of<objects::RuntimeClass>, Of<objects::PriorityClass>, Of<objects::Job>,
             Of<objects::PodGroup>, Of<objects::CompositePodGroup>, Of<objects::DisruptionBudget>,
             Of<objects::DeviceClass>, Of<objects::DeviceTaintRule>, Of<objects::ResourceSlice>,
             Of<objects::ResourceClaim>, Of<objects::ResourceClaimTemplate>,
             Of<objects::ResourceFlavor>, Of<objects::ClusterQueue>, Of<objects::LocalQueue>,
             Of<objects::Cohort>, Of<objects::WorkloadPriorityClass>, Of<objects::AdmissionCheck>,
             Of<objects::Topology>, Of<objects::Workload>, Of<Opaque>>
      kinds;

  template <class T>
  Of<T>& of() {
    return std::get<Of<T>>(kinds);
  }
  template <class T>
  const Of<T>& of() const {
    return std::get<Of<T>>(kinds);
  }
  // visit(map) for the objects of each kind.
  template <class Visit>
  void each_kind(Visit visit) {
    std::apply([&](auto&... maps) { (visit(maps), ...); }, kinds);
  }
  template <class Visit>
  void each_kind(Visit visit) const {
    std::apply([&](const auto&... maps) { (visit(maps), ...); }, kinds);
  }

  friend bool operator==(const Objects&, const Objects&) = default;
};

}  // namespace quorate::simulate
