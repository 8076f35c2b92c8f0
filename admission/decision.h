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

// An admitted (or reserved) workload has to go: Evicted=True. Quota stays charged until the host
// reports that its job is inactive and drops the reservation.
struct Evict {
  ObjectKey workload;
  std::string uid;
  std::string reason;  // Kueue's: ClusterQueueStopped, LocalQueueStopped, Deactivated, Preempted, …
  std::string message;
  std::string preemption_reason;  // with Preempted: InClusterQueue, InCohortReclamation, …
  std::optional<ObjectKey> preemptor;
  bool deactivate = false;  // spec.active=false goes with it

  friend bool operator==(const Evict&, const Evict&) = default;
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

using Decision = std::variant<Admit, ConfirmAdmission, Hold, Evict, DropReservation, Requeue>;

}  // namespace quorate::admission
