#pragma once

// Builders and a small world for tests of reconcilers: what they want written is carried out on
// typed objects, as an API server would.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "controller/reconcile/family_reconciler.h"
#include "controller/reconcile/group_reconciler.h"
#include "controller/reconcile/job_reconciler.h"
#include "controller/reconcile/workload_status.h"
#include "controller/reconcile/write.h"
#include "src/objects/encode.h"

namespace quorate::controller::testing {

inline constexpr Time kNow = Time::from_seconds(1'800'000'000);

// A pod template with its text.
objects::TemplateSource source_of(const PodTemplate& pod);
// One container that asks for gpus.
PodTemplate gpu_pod(std::int64_t gpus = 1);

// A suspended Job of queue "main" with `count` pods, uid "job-uid".
objects::Job gpu_job(std::int32_t count = 1);

objects::ResourceFlavor flavor(const std::string& name, Labels node_labels = {},
                               std::vector<Toleration> tolerations = {});

// What admission decides about a Workload: all pods of each set (or `count` of the first) on flavor
// "a100" of ClusterQueue "cluster".
admission::Admit admit(const objects::Workload& workload, std::optional<std::int32_t> count = {});
admission::Evict evict(const objects::Workload& workload, const std::string& reason,
                       const std::string& message);

objects::Pod member(const std::string& name, const std::string& group, const PodTemplate& pod = {},
                    Time created = Time::from_seconds(1'799'999'000));

// Objects, and the writes that reconcilers ask for carried out on them.
class World {
 public:
  // Looks and writes until nothing is left to write (or, a bug, ten times); what was written and
  // recorded, described.
  std::vector<std::string> settle(const std::function<Plan()>& look);
  std::vector<std::string> settle_job();
  std::vector<std::string> settle_group();
  // The family of the parent of variants; `queue` is its ClusterQueue.
  std::vector<std::string> settle_family();

  void decide(const StatusChange& change);  // as the status writer would
  objects::Workload& only_workload();

  objects::Job job = gpu_job();
  std::optional<objects::PodGroup> group;  // of the group reconciler
  ObjectKey group_key{"team", "gang"};
  std::vector<objects::Pod> pods;
  std::vector<objects::Workload> workloads;
  std::optional<objects::ClusterQueue> queue;  // of the family reconciler
  std::vector<objects::PodGroup> groups;       // of Jobs
  FlavorsByName flavors = {{"a100", flavor("a100", {{"gpu", "a100"}})}};
  Outcome<jobs::Priority> priority = jobs::Priority{};
  bool namespace_selected = true;
  ReconcileSettings settings;
  Time now = kNow;

 private:
  void carry_out(const Write& write);
  objects::Workload* workload(const ObjectKey& key);

  int uids_ = 0;
};

}  // namespace quorate::controller::testing
