#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "admission/decision.h"
#include "admission/spec.h"
#include "fairshare/share.h"
#include "fairshare/usage_ledger.h"

namespace quorate::admission {

struct ResourceUsageView {
  std::string flavor, resource;
  Quantity total;     // reserved or admitted, by which list it stands in
  Quantity borrowed;  // of total; zero without a cohort

  friend bool operator==(const ResourceUsageView&, const ResourceUsageView&) = default;
};

struct ActiveView {
  bool active = false;
  std::string reason;  // Ready, Stopped, FlavorNotFound, …
  std::string message;

  friend bool operator==(const ActiveView&, const ActiveView&) = default;
};

// What a LocalQueue consumed of late, where its ClusterQueue goes by usage.
struct ConsumedView {
  ExactAmounts resources;
  Time updated;
  fairshare::RecentUsage usage;  // weighted, penalties included

  friend bool operator==(const ConsumedView&, const ConsumedView&) = default;
};

// What the status of a ClusterQueue or LocalQueue shows, in the order of its flavors and resources.
struct QueueView {
  std::int32_t pending = 0;    // in the heap, parked and in flight
  std::int32_t reserving = 0;  // quota reserved
  std::int32_t admitted = 0;
  std::vector<ResourceUsageView> reservation;
  std::vector<ResourceUsageView> usage;  // of admitted workloads
  ActiveView active;
  std::optional<fairshare::Share> share;  // of a ClusterQueue, with fair sharing
  std::optional<ConsumedView> consumed;   // of a LocalQueue

  friend bool operator==(const QueueView&, const QueueView&) = default;
};

// Read-only questions about admission's state; each costs what it prints.
class Views {
 public:
  virtual ~Views() = default;
  virtual std::vector<std::string> cluster_queues() const = 0;  // sorted
  virtual std::optional<QueueView> cluster_queue(const std::string& name) const = 0;
  virtual std::vector<ObjectKey> local_queues() const = 0;  // sorted
  virtual std::optional<QueueView> local_queue(const ObjectKey& key) const = 0;
  // Queues whose view may have changed since the last call of this function with that cursor.
  virtual std::vector<std::string> changed_cluster_queues(std::uint64_t& cursor) const = 0;
  virtual std::vector<ObjectKey> changed_local_queues(std::uint64_t& cursor) const = 0;
  // Cohorts whose share may have changed since then; none without fair sharing.
  virtual std::vector<std::string> changed_cohorts(std::uint64_t& cursor) const = 0;
  virtual std::optional<fairshare::Share> cohort_share(const std::string& name) const = 0;
  // Why a pending workload waits; nullopt if it does not wait or was not tried yet.
  virtual std::optional<Hold> waiting(const ObjectKey& workload) const = 0;
  // Pending workloads of a ClusterQueue in queue order.
  virtual std::vector<ObjectKey> pending(const std::string& cluster_queue) const = 0;
  // The part of pending() that waits for an event, not for its turn.
  virtual std::vector<ObjectKey> parked(const std::string& cluster_queue) const = 0;
};

}  // namespace quorate::admission
