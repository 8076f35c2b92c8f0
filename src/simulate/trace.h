#pragma once

#include <istream>
#include <string>
#include <vector>

#include "src/base/outcome.h"
#include "src/base/time.h"
#include "src/objects/workload.h"
#include "src/simulate/objects_in.h"

namespace quorate::simulate {

// One job of a trace as a Workload, when it comes, and how long it runs once admitted.
struct Arrival {
  Time at;
  Duration runtime;
  objects::Workload workload;
};

// A recorded load: queues and quotas, and the jobs in order of arrival (then by name).
struct Trace {
  Objects objects;
  std::vector<Arrival> arrivals;
  std::vector<std::string> notes;  // what was left out, and what had to be assumed
};

struct TraceOptions {
  std::string format;  // openb, philly, kueue-performance
  std::string nodes_file, pods_file;
  std::vector<std::string> files;
  std::int64_t limit = 0;  // jobs; 0: all
  std::int64_t gpus = 0;   // philly: of the whole cluster; 0: as the paper says
};

// Alibaba's GPU trace of 2023: each GPU model a flavor with what its nodes have, each QoS class a
// ClusterQueue that borrows from one cohort; a pod takes whole GPUs (a share of one is rounded up)
// and may name the models that it can use.
// Errors: Invalid - with the file's line.
Outcome<Trace> read_openb(std::istream& nodes, std::istream& pods, const TraceOptions& options);

// Microsoft's Philly jobs: each virtual cluster a ClusterQueue. The trace does not say what each
// was given: the GPUs are divided by the GPU time that its jobs took, whole GPUs, at least one.
// Errors: Invalid - with the file's line.
Outcome<Trace> read_philly(std::istream& jobs, const TraceOptions& options);

// A generator file of Kueue's performance tests: cohorts of equal ClusterQueues, sets of workloads
// that come at an interval to each, and optionally a tree of nodes.
// Errors: Invalid - with the field.
Outcome<Trace> read_performance(std::istream& file);

// No schedule ends earlier, counted from the first arrival: a job cannot end before it came and
// ran, and what comes to a tree of queues from some moment on takes all of its quota that long.
// Exact up to the last nanosecond; flavors are taken together.
Duration makespan_bound(const Trace& trace);

}  // namespace quorate::simulate
