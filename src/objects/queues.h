#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/exact_quantity.h"
#include "src/base/labels.h"
#include "src/base/pod_template.h"
#include "src/objects/field_error.h"
#include "src/objects/meta.h"

namespace quorate::objects {

struct ResourceQuota {
  std::string name;
  Quantity nominal;
  std::optional<Quantity> borrowing_limit;
  std::optional<Quantity> lending_limit;

  friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;
};

struct FlavorQuotas {
  std::string name;
  std::vector<ResourceQuota> resources;  // in the order of coveredResources

  friend bool operator==(const FlavorQuotas&, const FlavorQuotas&) = default;
};

struct ResourceGroup {
  std::vector<std::string> covered_resources;
  std::vector<FlavorQuotas> flavors;  // in order of preference

  friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;
};

// A fair-sharing weight in billionths, the finest a Kubernetes quantity can say; the default is 1.
inline constexpr std::int64_t kWeightOne = 1'000'000'000;

enum class StopPolicy { None, Hold, HoldAndDrain };
enum class QueueingStrategy { BestEffortFIFO, StrictFIFO };
enum class FlavorSearch { MayStopSearch, TryNextFlavor };
enum class FungibilityPreference { BorrowingOverPreemption, PreemptionOverBorrowing };
enum class PreemptionPolicy { Never, LowerPriority, LowerOrNewerEqualPriority, Any };
enum class AdmissionMode { NoAdmissionFairSharing, UsageBasedAdmissionFairSharing };
enum class MigrationMode { TryPreferredFlavors, RetainFirstAdmission };

struct FlavorFungibility {
  FlavorSearch when_can_borrow = FlavorSearch::MayStopSearch;
  FlavorSearch when_can_preempt = FlavorSearch::TryNextFlavor;
  std::optional<FungibilityPreference> preference;

  friend bool operator==(const FlavorFungibility&, const FlavorFungibility&) = default;
};

struct Preemption {
  PreemptionPolicy within_cluster_queue = PreemptionPolicy::Never;
  PreemptionPolicy reclaim_within_cohort = PreemptionPolicy::Never;
  PreemptionPolicy borrow_within_cohort = PreemptionPolicy::Never;  // .policy
  std::optional<std::int32_t> max_priority_threshold;

  friend bool operator==(const Preemption&, const Preemption&) = default;
};

struct AdmissionCheckRule {
  std::string name;
  std::vector<std::string> on_flavors;  // empty: all flavors

  friend bool operator==(const AdmissionCheckRule&, const AdmissionCheckRule&) = default;
};

struct ConcurrentAdmission {
  MigrationMode mode = MigrationMode::TryPreferredFlavors;
  bool has_constraints = false;
  std::string last_acceptable_flavor;

  friend bool operator==(const ConcurrentAdmission&, const ConcurrentAdmission&) = default;
};

struct ResourceUsage {
  std::string name;
  Quantity total;
  Quantity borrowed;  // never written for LocalQueues

  friend bool operator==(const ResourceUsage&, const ResourceUsage&) = default;
};

struct FlavorUsage {
  std::string name;
  std::vector<ResourceUsage> resources;

  friend bool operator==(const FlavorUsage&, const FlavorUsage&) = default;
};

// status.fairSharing.admissionFairSharingStatus
struct ConsumedUsage {
  ExactAmounts resources;  // consumedResources
  Time updated;            // lastUpdate

  friend bool operator==(const ConsumedUsage&, const ConsumedUsage&) = default;
};

// Shared by ClusterQueue and LocalQueue.
struct QueueStatus {
  std::vector<Condition> conditions;
  std::vector<FlavorUsage> reservation;  // flavorsReservation
  std::vector<FlavorUsage> usage;        // flavorsUsage
  std::int32_t pending = 0;
  std::int32_t reserving = 0;
  std::int32_t admitted = 0;
  std::optional<std::int64_t> weighted_share;  // fairSharing.weightedShare
  std::optional<ConsumedUsage> consumed;       // of a LocalQueue

  friend bool operator==(const QueueStatus&, const QueueStatus&) = default;
};

struct ClusterQueue {
  ObjectMeta meta;
  std::vector<ResourceGroup> resource_groups;
  std::string cohort;
  QueueingStrategy strategy = QueueingStrategy::BestEffortFIFO;
  std::optional<LabelSelector> namespace_selector;  // nullopt matches no namespace, {} all
  FieldErrors selector_faults;  // of that selector as it was written; validate() passes them on
  FlavorFungibility fungibility;
  Preemption preemption;
  std::vector<AdmissionCheckRule> admission_checks;
  StopPolicy stop = StopPolicy::None;
  std::int64_t weight = kWeightOne;
  std::optional<AdmissionMode> admission_mode;  // admissionScope
  std::optional<ConcurrentAdmission> concurrent_admission;
  QueueStatus status;

  friend bool operator==(const ClusterQueue&, const ClusterQueue&) = default;
};

struct LocalQueue {
  ObjectMeta meta;
  std::string cluster_queue;
  StopPolicy stop = StopPolicy::None;
  std::int64_t weight = kWeightOne;
  QueueStatus status;

  friend bool operator==(const LocalQueue&, const LocalQueue&) = default;
};

struct Cohort {
  ObjectMeta meta;
  std::string parent;
  std::vector<ResourceGroup> resource_groups;
  std::int64_t weight = kWeightOne;
  std::optional<std::int64_t> weighted_share;  // status.fairSharing.weightedShare

  friend bool operator==(const Cohort&, const Cohort&) = default;
};

}  // namespace quorate::objects
