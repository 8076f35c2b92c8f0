#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/base/time.h"
#include "src/jobs/job_workload.h"
#include "src/simulate/objects_in.h"

namespace quorate::simulate {

// The latest moment that the objects tell of: creations and condition changes; where there is none,
// 2026-01-01T00:00:00Z. Moments that lie ahead (requeueAt) do not count.
Time start_of(const Objects& objects);

// Makes the identities that an API server would: the first object of a name has "namespace/name"
// for its uid, so that ties broken by uid are broken by name; its successors "namespace/name~2",
// ...
class Identities {
 public:
  std::string next(std::string_view kind, const ObjectKey& key);

 private:
  std::map<std::string, int> given_;
};

// Fills in what objects lack and a cluster would have given them: uids, creation times (`now`),
// generations.
void complete(Objects& objects, Time now, Identities& identities);

// Whether a Job is one that a queue manages: it names a queue and nobody else looks after it.
bool managed(const objects::Job& job, bool without_queue_name);

// Adds the Workload of each managed Job that has none yet. A Job whose Workload cannot be derived
// is told of in `problems`.
void derive_workloads(Objects& objects, const jobs::DerivationSettings& settings,
                      bool manage_without_queue_name, Time now, Identities& identities,
                      std::vector<std::string>& problems);

}  // namespace quorate::simulate
