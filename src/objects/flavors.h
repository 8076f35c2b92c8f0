#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/pod_template.h"
#include "src/objects/meta.h"

namespace quorate::objects {

struct ResourceFlavor {
  ObjectMeta meta;
  Labels node_labels;
  std::vector<Taint> node_taints;
  std::vector<Toleration> tolerations;
  std::string topology;  // topologyName

  friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};

struct Topology {
  ObjectMeta meta;
  std::vector<std::string> levels;  // node label keys, widest first

  friend bool operator==(const Topology&, const Topology&) = default;
};

struct AdmissionCheck {
  ObjectMeta meta;
  std::string controller_name;
  std::string parameters_api_group;
  std::string parameters_kind;
  std::string parameters_name;
  std::vector<Condition> conditions;

  friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};

struct WorkloadPriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;

  friend bool operator==(const WorkloadPriorityClass&, const WorkloadPriorityClass&) = default;
};

}  // namespace quorate::objects
