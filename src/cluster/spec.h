#pragma once

// What the cluster model is told: nodes and pods as the API server last showed them, complete.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/base/object_key.h"
#include "src/base/pod_template.h"
#include "src/base/time.h"

namespace quorate::cluster {

struct NodeSpec {
  std::string name;
  std::string uid;
  Labels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  bool ready = true;
  ResourceList allocatable;

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

enum class PodPhase { Pending, Running, Succeeded, Failed };

struct PodSpec {
  ObjectKey key;
  std::string uid;
  std::int64_t generation = 0;
  std::shared_ptr<const PodTemplate> spec;  // never null
  std::shared_ptr<const Labels> labels;     // the pod's own; nullptr: those of the template
  ResourceList requests;                    // effective, resizes in flight included
  std::string node;                         // "" while unassigned
  PodPhase phase = PodPhase::Pending;
  bool terminating = false;
  Time created;
  std::string nominated_node;
  // The group the pod names: spec.schedulingGroup, or the fallback's label. Empty if none.
  std::string group;
  // Which claims were made for the entries of resource_claims that name a template: entry -> claim,
  // "" if the entry needs none. Entries that are not here wait for theirs.
  std::map<std::string, std::string> claim_names;
  std::string extended_claim;  // for its extended resources, once there is one
  // The last condition PodScheduled=False as the API server has it, to skip equal writes.
  std::string unschedulable_reason, unschedulable_message;

  bool finished() const { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }
};

}  // namespace quorate::cluster
