#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/engine/event.h"
#include "src/objects/config.h"
#include "src/objects/core_kinds.h"
#include "src/objects/device_class.h"
#include "src/objects/flavors.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/queues.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/scheduler_config.h"
#include "src/objects/workload.h"

// Kubernetes objects as the values that the engine is told. The live host, the simulation and the
// local host all use these functions, so that equal objects are equal events everywhere.
namespace quorate::translate {

// A part of an object that has no meaning for the engine, and what was assumed in its place.
struct Defect {
  std::string path;  // "spec.podSets[0].count"
  std::string why;

  std::string text() const { return path + ": " + why; }
  friend bool operator==(const Defect&, const Defect&) = default;
};
using Defects = std::vector<Defect>;

// Each gives a complete value, also of an object with bad parts: what can be understood counts, the
// rest is reported in `defects` where the caller wants them. A ClusterQueue that breaks a rule of
// its kind carries that in its `defect`, which makes the queue inactive.
cluster::NodeSpec to_spec(const objects::Node& node);
cluster::PodSpec to_spec(const objects::Pod& pod);
devices::ClassObject to_spec(const objects::DeviceClass& device_class);
devices::SliceObject to_spec(const objects::ResourceSlice& slice);
devices::TaintRuleObject to_spec(const objects::DeviceTaintRule& rule);
devices::TemplateObject to_spec(const objects::ResourceClaimTemplate& claim_template);
devices::ClaimObject to_spec(const objects::ResourceClaim& claim);
admission::NamespaceSpec to_spec(const objects::Namespace& ns);
// Items of other types than Container and Pod have nothing to do with admission.
admission::LimitRangeSpec to_spec(const objects::LimitRange& range);
admission::RuntimeClassSpec to_spec(const objects::RuntimeClass& runtime_class);
admission::FlavorSpec to_spec(const objects::ResourceFlavor& flavor);
admission::TopologySpec to_spec(const objects::Topology& topology);
admission::ClusterQueueSpec to_spec(const objects::ClusterQueue& queue);
admission::CohortSpec to_spec(const objects::Cohort& cohort, Defects* defects = nullptr);
admission::LocalQueueSpec to_spec(const objects::LocalQueue& queue);
admission::AdmissionCheckSpec to_spec(const objects::AdmissionCheck& check);
admission::WorkloadSpec to_spec(const objects::Workload& workload, Defects* defects = nullptr);
scheduler::PodGroupSpec to_spec(const objects::PodGroup& group, Defects* defects = nullptr);
scheduler::CompositeGroupSpec to_spec(const objects::CompositePodGroup& group);
scheduler::DisruptionBudget to_spec(const objects::DisruptionBudget& budget);

// A ClusterQueue that could not even be read: `why` names the field.
admission::ClusterQueueSpec unreadable_cluster_queue(std::string_view name, std::string_view uid,
                                                     std::string_view why);

// Plugins that a profile names and nobody has, by path: a stock one that is not here may be
// disabled, but not enabled.
Defects unknown_plugins(const objects::SchedulerConfiguration& config);

admission::Config to_config(const objects::Configuration& config);
// Defects: settings that change nothing here.
scheduler::Config to_config(const objects::SchedulerConfiguration& config,
                            Defects* defects = nullptr);

}  // namespace quorate::translate
