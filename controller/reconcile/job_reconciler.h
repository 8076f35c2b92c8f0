#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controller/reconcile/job_workload.h"
#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/base/time.h"
#include "src/jobs/priority.h"
#include "src/objects/job.h"
#include "src/objects/pod.h"
#include "src/objects/pod_group.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// Everything about one Job, as the caches have it.
struct JobView {
  objects::Job job;
  bool namespace_selected = true;
  std::vector<objects::Workload> workloads;  // those that the Job controls, by name
  FlavorsByName flavors;                     // at least those that the Workloads' admissions name
  std::vector<objects::PodGroup> groups;     // of the Job's namespace: named by it, or controlled
  Outcome<jobs::Priority> priority = jobs::Priority{};  // resolve_priority() of the Job
  // Of an elastic Job: its pods that know their slice.
  std::vector<std::shared_ptr<const objects::Pod>> pods;
};

// The writes that bring the cluster to what was decided about the Job; empty when it is there.
//
// Level-based: looks at what is, never at which event arrived. Applying the result and calling
// again gives no writes. A Job that is not managed gives none at all.
Plan reconcile(const JobView& seen, const ReconcileSettings& settings, Time now);

// Field manager and reporting controller as existing installations know them.
inline constexpr std::string_view kJobEventController = "batch/job-kueue-controller";

kube::Event job_event(const objects::Job& job, kube::EventType type, std::string_view reason,
                      std::string note);

// The status share that says that a workload is over.
ApplyWorkloadStatus finish_workload(const objects::Workload& workload, std::string_view reason,
                                    std::string message, Time now);
// Takes our finalizer off.
SetFinalizers drop_finalizer(const objects::Workload& workload);

}  // namespace quorate::controller
