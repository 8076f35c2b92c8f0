#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/live/pod_writer.h"
#include "controller/live/store.h"
#include "src/jobs/priority.h"
#include "src/objects/core_kinds.h"
#include "src/objects/device_class.h"
#include "src/objects/flavors.h"
#include "src/objects/job.h"
#include "src/objects/node.h"
#include "src/objects/pod.h"
#include "src/objects/queues.h"
#include "src/objects/resource_claim.h"
#include "src/objects/resource_slice.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// What the process knows of the cluster, apart from what only the engine keeps.
struct Caches {
  Caches();

  Store<objects::Workload> workloads;  // by workload_index below
  Store<objects::Job> jobs;
  Store<objects::ClusterQueue> cluster_queues;
  Store<objects::LocalQueue> local_queues;
  Store<objects::ResourceFlavor> flavors;
  Store<objects::Topology> topologies;
  Store<objects::Cohort> cohorts;
  Store<objects::AdmissionCheck> checks;
  Store<objects::WorkloadPriorityClass> workload_classes;
  Store<objects::PriorityClass> pod_classes;
  Store<objects::Namespace> namespaces;
  Store<objects::LimitRange> limit_ranges;
  Store<objects::RuntimeClass> runtime_classes;
  Store<objects::Node> nodes;  // by node_index below
  Store<objects::Pod> pods;    // by pod_index below
  Store<objects::DeviceClass> device_classes;
  Store<objects::DeviceTaintRule> taint_rules;
  Store<objects::ResourceSlice> slices;
  Store<objects::ResourceClaimTemplate> claim_templates;
  Store<objects::ResourceClaim> claims;
  GroupStores groups;
  Store<objects::CompositePodGroup> composite_groups;
  Store<objects::DisruptionBudget> budgets;

  jobs::PriorityClasses priority_classes() const;
};

// Index keys of Workloads: their controlling owner by uid, and by kind and name (for an owner that
// is gone); the WorkloadPriorityClass that they name; the hosts that they were placed on, while
// that counts.
std::string by_owner_uid(std::string_view uid);
std::string by_group_name(const ObjectKey& group);
std::string by_class(std::string_view name);
// Also of nodes: the hostname that they have.
std::string by_host(std::string_view hostname);
std::string_view hostname_of(const objects::Node& node);  // its name, where it has no such label

// Index keys of pods: the group that they name, and through which kind of link; the Workload that
// they name (see name_for_pods), which is one of Workloads too.
std::string by_group(bool native, std::string_view ns, std::string_view group);
std::string by_workload(std::string_view ns, std::string_view name);

}  // namespace quorate::controller
