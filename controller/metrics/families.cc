#include "controller/metrics/families.h"

namespace quorate::controller {

std::vector<MetricFamily> metric_families() {
  using enum MetricType;
  const std::vector<std::string> queue{"cluster_queue", "replica_role"};
  const std::vector<std::string> queue_class{"cluster_queue", "priority_class", "replica_role"};
  const std::vector<std::string> local{"name", "namespace", "replica_role"};
  const std::vector<std::string> local_class{"name", "namespace", "priority_class", "replica_role"};
  const std::vector<std::string> queue_resource{"cohort", "cluster_queue", "flavor", "resource",
                                                "replica_role"};
  const std::vector<std::string> local_resource{"name", "namespace", "flavor", "resource",
                                                "replica_role"};
  return {
      {"kueue_build_info", Gauge, "What this program was built from.",
       {"git_version", "git_commit", "build_date", "go_version", "compiler", "platform"}, {}},
      {"kueue_admission_attempts_total", Counter,
       "Admission cycles that had something to try, by whether one workload was admitted.",
       {"result", "replica_role"}, {}},
      {"kueue_admission_attempt_duration_seconds", Histogram, "How long such a cycle took.",
       {"result", "replica_role"}, default_buckets()},
      {"kueue_pending_workloads", Gauge, "Workloads that wait, by whether they will be tried next.",
       {"cluster_queue", "status", "replica_role"}, {}},
      {"kueue_local_queue_pending_workloads", Gauge, "Workloads of a LocalQueue that wait.",
       {"name", "namespace", "status", "replica_role"}, {}},
      {"kueue_reserving_active_workloads", Gauge, "Workloads that hold quota.", queue, {}},
      {"kueue_local_queue_reserving_active_workloads", Gauge,
       "Workloads of a LocalQueue that hold quota.", local, {}},
      {"kueue_admitted_active_workloads", Gauge, "Workloads that are admitted and not finished.",
       queue, {}},
      {"kueue_local_queue_admitted_active_workloads", Gauge,
       "Workloads of a LocalQueue that are admitted and not finished.", local, {}},
      {"kueue_quota_reserved_workloads_total", Counter, "Reservations of quota.", queue_class, {}},
      {"kueue_local_queue_quota_reserved_workloads_total", Counter,
       "Reservations of quota, by LocalQueue.", local_class, {}},
      {"kueue_admitted_workloads_total", Counter, "Admissions.", queue_class, {}},
      {"kueue_local_queue_admitted_workloads_total", Counter, "Admissions, by LocalQueue.",
       local_class, {}},
      {"kueue_finished_workloads_total", Counter, "Workloads that finished.", queue_class, {}},
      {"kueue_local_queue_finished_workloads_total", Counter,
       "Workloads that finished, by LocalQueue.", local_class, {}},
      {"kueue_evicted_workloads_total", Counter, "Evictions.",
       {"cluster_queue", "reason", "underlying_cause", "priority_class", "replica_role"}, {}},
      {"kueue_preempted_workloads_total", Counter, "Preemptions.",
       {"preempting_cluster_queue", "reason", "replica_role"}, {}},
      {"kueue_quota_reserved_wait_time_seconds", Histogram, "From queued to quota reserved.",
       queue_class, exponential_buckets(14)},
      {"kueue_local_queue_quota_reserved_wait_time_seconds", Histogram,
       "From queued to quota reserved, by LocalQueue.", local_class, exponential_buckets(14)},
      {"kueue_admission_wait_time_seconds", Histogram, "From queued to admitted.", queue_class,
       exponential_buckets(16)},
      {"kueue_local_queue_admission_wait_time_seconds", Histogram,
       "From queued to admitted, by LocalQueue.", local_class, exponential_buckets(14)},
      {"kueue_admission_checks_wait_time_seconds", Histogram, "From quota reserved to admitted.",
       queue_class, exponential_buckets(14)},
      {"kueue_cluster_queue_status", Gauge, "1 for the status that the queue has.",
       {"cluster_queue", "status", "replica_role"}, {}},
      {"kueue_local_queue_status", Gauge, "1 for the state of the queue's condition Active.",
       {"name", "namespace", "active", "replica_role"}, {}},
      {"kueue_cluster_queue_resource_reservation", Gauge, "Reserved amounts.", queue_resource, {}},
      {"kueue_cluster_queue_resource_usage", Gauge, "Amounts of admitted workloads.",
       queue_resource, {}},
      {"kueue_cluster_queue_nominal_quota", Gauge, "Nominal quota.", queue_resource, {}},
      {"kueue_cluster_queue_borrowing_limit", Gauge, "Borrowing limit.", queue_resource, {}},
      {"kueue_cluster_queue_lending_limit", Gauge, "Lending limit.", queue_resource, {}},
      {"kueue_local_queue_resource_reservation", Gauge, "Reserved amounts, by LocalQueue.",
       local_resource, {}},
      {"kueue_local_queue_resource_usage", Gauge, "Amounts of admitted workloads, by LocalQueue.",
       local_resource, {}},
      {"quorate_engine_events_total", Counter, "Events told to the engine.", {}, {}},
      {"quorate_engine_steps_total", Counter, "Steps of the engine.", {}, {}},
      {"quorate_engine_decisions_total", Counter, "Decisions, by kind.", {"kind"}, {}},
      {"quorate_engine_step_seconds", Histogram, "How long a step took.", {},
       {0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}},
      {"quorate_api_writes_total", Counter, "Writes to the API server, by kind and outcome.",
       {"kind", "outcome"}, {}},
      {"quorate_binds_total", Counter, "Binds, by outcome.", {"outcome"}, {}},
      {"quorate_events_dropped_total", Counter, "Kubernetes events that were not written.", {}, {}},
      {"quorate_invalid_objects_total", Counter, "Objects that could not be understood.", {"kind"},
       {}},
      {"quorate_leading", Gauge, "1 while this process leads.", {}, {}},
  };
}

}  // namespace quorate::controller
