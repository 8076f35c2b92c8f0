#pragma once

// What admission decides. Decisions are data: hosts write them to the API, simulations print them,
// tests compare them. Each names the workload by key and uid, so that a decision about a deleted
// object never hits its successor of the same name.

#include <string>
#include <variant>
#include <vector>

#include "admission/proof.h"
#include "admission/spec.h"

namespace quorate::admission {

// Quota is reserved with this assignment; `admitted` if nothing is left to check. The engine has
// charged the usage already; a failed write must come back as an outcome event to release it.
struct Admit {
  ObjectKey workload;
  std::string uid;
  Admission admission;
  bool admitted = true;
  std::string message;  // of condition QuotaReserved: "Quota reserved in ClusterQueue q"

  friend bool operator==(const Admit&, const Admit&) = default;
};

// All checks are ready: Admitted=True without further change of quota.
struct ConfirmAdmission {
  ObjectKey workload;
  std::string uid;
  std::string message;

  friend bool operator==(const ConfirmAdmission&, const ConfirmAdmission&) = default;
};

// The workload waits: QuotaReserved=False with Kueue's reason and message; `proof` says it exactly.
struct Hold {
  ObjectKey workload;
  std::string uid;
  std::string reason;
  std::string message;
  Proof proof;

  friend bool operator==(const Hold&, const Hold&) = default;
};

// status.requeueState: how often the workload was put back for not getting ready, and until when it
// stays out of the queue.
struct RequeueState {
  std::int32_t count = 0;
  std::optional<Time> at;

  friend bool operator==(const RequeueState&, const RequeueState&) = default;
};

// An admitted (or reserved) workload has to go: Evicted=True, and with it everything that an
// eviction resets (states of checks, nominations, preemption gates, unhealthy nodes). Quota stays
// charged until the host reports that its job is inactive and drops the reservation.
struct Evict {
  ObjectKey workload;
  std::string uid;
  // Kueue's: Preempted, PodsReadyTimeout, AdmissionCheck, ClusterQueueStopped, LocalQueueStopped,
  // NodeFailures, Deactivated, DeactivatedDueTo<cause>, FlavorMigration, …
  std::string reason;
  std::string message;
  std::string preemption_reason;  // with Preempted: InClusterQueue, InCohortReclamation, …
  std::optional<ObjectKey> preemptor;
  std::string cause;  // underlyingCause of statistics and metrics: WaitForStart, …; often empty
  std::optional<RequeueState> requeue;  // written with it; nullopt leaves what is there
  std::string preemptor_uid;
  std::string preempting_queue;  // the ClusterQueue of the preemptor
  std::string priorities;        // what both events say behind the message

  friend bool operator==(const Evict&, const Evict&) = default;
};

// DeactivationTarget=True: the host sets spec.active=false next, and the eviction follows from
// that.
struct Deactivate {
  ObjectKey workload;
  std::string uid;
  std::string reason;  // AdmissionCheck, MaximumExecutionTimeExceeded, RequeuingLimitExceeded, …
  std::string message;
  bool reset_execution_time = false;  // accumulatedPastExecutionTimeSeconds starts anew

  friend bool operator==(const Deactivate&, const Deactivate&) = default;
};

// A check asked for a later retry: requeueState.requeueAt moves there. Quota is kept meanwhile.
struct Postpone {
  ObjectKey workload;
  std::string uid;
  Time until;

  friend bool operator==(const Postpone&, const Postpone&) = default;
};

// status.admissionChecks lists exactly these, sorted: new ones Pending, others gone.
struct ListChecks {
  ObjectKey workload;
  std::string uid;
  std::vector<std::string> checks;

  friend bool operator==(const ListChecks&, const ListChecks&) = default;
};

// Finished=True by decision of admission: a slice that a larger one took the place of.
struct Finish {
  ObjectKey workload;
  std::string uid;
  std::string reason;
  std::string message;

  friend bool operator==(const Finish&, const Finish&) = default;
};

// A reservation that was not yet an admission is dropped at once (stopped or missing queue).
struct DropReservation {
  ObjectKey workload;
  std::string uid;
  std::string reason;
  std::string message;

  friend bool operator==(const DropReservation&, const DropReservation&) = default;
};

// Requeued=True: what kept an evicted workload out of the queue is over.
struct Requeue {
  ObjectKey workload;
  std::string uid;
  std::string reason;
  std::string message;

  friend bool operator==(const Requeue&, const Requeue&) = default;
};

using Decision = std::variant<Admit, ConfirmAdmission, Hold, Evict, DropReservation, Requeue,
                              Deactivate, Postpone, ListChecks, Finish>;

}  // namespace quorate::admission
