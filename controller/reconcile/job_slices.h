#pragma once

// The Workloads of an elastic Job: it may change its size while it runs, and each size that asks
// for more than is held is a Workload of its own, a slice, that takes the place of the one before.
// New pods wait behind the gate kueue.x-k8s.io/elastic-job until their slice is admitted.

#include <memory>
#include <vector>

#include "controller/reconcile/settings.h"
#include "controller/reconcile/write.h"
#include "src/jobs/job_workload.h"
#include "src/objects/job.h"
#include "src/objects/pod.h"
#include "src/objects/workload.h"

namespace quorate::controller {

// Which of the Job's unfinished Workloads count.
struct Slices {
  const objects::Workload* holder = nullptr;  // holds quota, or is the only one that waits
  const objects::Workload* next = nullptr;    // waits to take the holder's place
  // The rest, to be finished: true for one whose place another has taken.
  std::vector<std::pair<const objects::Workload*, bool>> surplus;
};

// The newest that holds quota and is not evicted, with its direct replacement that waits. If there
// is none, one that is evicted and still holds quota comes first, until its pods are gone; then the
// newest that is not evicted; then the newest.
Slices choose_slices(const std::vector<objects::Workload>& workloads);

enum class Resize { None, InPlace, NewSlice };
// How the slice gets those counts, by pod set: nothing that grows needs a new one, nor does one
// that holds no quota. Shapes other than the counts are not looked at.
Resize resize_of(const objects::Workload& slice, const std::vector<objects::PodSet>& wanted);

// The slice of that many pods that is to take the place of `holder`.
// Errors: Invalid - the Job's template cannot be understood.
Outcome<objects::Workload> next_slice(const objects::Job& job, const objects::Workload& holder,
                                      std::int32_t count, const jobs::Priority& priority,
                                      const ReconcileSettings& settings);

// Lets as many of the Job's gated pods go as the slice has room for, lowest index first, then
// oldest, then by name.
std::vector<Write> ungate_slice(const objects::Workload& slice,
                                const std::vector<std::shared_ptr<const objects::Pod>>& pods);

}  // namespace quorate::controller
