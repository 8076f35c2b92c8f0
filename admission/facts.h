#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/requests.h"
#include "admission/spec.h"
#include "quota/names.h"

namespace quorate::admission {

// Resource slots in the order in which flavor assignment runs through them: by the 64-bit FNV-1a
// hash of their names, ties by name. Messages and start positions depend on it (see assigner.h).
class ResourceOrder {
 public:
  bool before(const quota::Names& names, std::uint32_t a, std::uint32_t b);

 private:
  std::uint64_t hash(const quota::Names& names, std::uint32_t resource);
  std::vector<std::uint64_t> hashes_;  // by resource slot
};

// A pod of a pod set as admission sees it, shared between all workloads with equal pods. Labels,
// annotations, gates and the group's name are left out: they decide neither quota nor placement,
// and differ from job to job.
struct PodShape {
  std::shared_ptr<const PodTemplate> source;  // as stated
  std::shared_ptr<const PodTemplate> pod;     // defaults applied; often the same
  std::uint64_t digest = 0;
  std::vector<std::pair<std::uint32_t, Quantity>> requests;  // of one pod, in ResourceOrder
};

// The conditions that admission looks at.
enum class Cond : std::uint8_t {
  Admitted,
  DeactivationTarget,
  Evicted,
  Finished,
  PodsReady,
  QuotaReserved,
  Requeued,
  WaitingForReplacementPods,
};

struct ConditionFacts {
  Cond type = Cond::Admitted;
  ConditionView::Status status = ConditionView::Status::Unknown;
  std::string reason;
  std::uint64_t text = 0;  // digest of reason and message
  Time last_transition;

  friend bool operator==(const ConditionFacts&, const ConditionFacts&) = default;
};
std::uint64_t condition_text(std::string_view reason, std::string_view message);

// What concurrent admission adds to a workload.
struct VariantFacts {
  bool parent = false;                 // not queued itself
  std::string parent_uid;              // of the workload that it is a variant of; "": of none
  std::vector<std::uint32_t> allowed;  // flavors, by slot; empty: all
  bool gated = false;                  // a preemption gate is closed

  friend bool operator==(const VariantFacts&, const VariantFacts&) = default;
};

struct PodSetFacts {
  std::string name;
  std::int32_t count = 0;      // as specified
  std::int32_t remaining = 0;  // without the pods that are done
  std::optional<std::int32_t> min_count;
  std::shared_ptr<const PodShape> shape;
  std::shared_ptr<const TopologyRequest> topology;  // nullptr: none
};

// What of a Workload decides about it, compact and immutable, so that forks share it.
struct Facts {
  ObjectKey key;
  std::string uid;
  std::string job_uid;  // of the object it stands for; "" if none
  std::string queue_name;
  std::int64_t generation = 0;
  std::int64_t priority = 0;  // effective: the boost included
  std::int32_t boost = 0;     // 0 where it does not count
  Time created;
  Time queued_at;  // its place in the queue among equal priorities
  bool active = true;
  bool terminating = false;
  bool pod_owned = false;                       // stands for a single pod
  std::shared_ptr<const std::string> gated_by;  // nullptr: not gated
  std::shared_ptr<const ObjectKey> replaces;    // nullptr: nobody
  std::uint64_t scheduling_hash = 0;
  std::vector<PodSetFacts> pod_sets;
  std::shared_ptr<const InvalidInput> invalid;    // requests against limits and LimitRanges
  std::shared_ptr<const VariantFacts> variation;  // nullptr: it has nothing to do with variants

  std::shared_ptr<const Admission> admission;
  std::vector<ConditionFacts> conditions;
  std::shared_ptr<const std::string> target_message;  // of DeactivationTarget
  std::vector<CheckStatus> checks;
  std::optional<Time> requeue_at;
  std::int32_t requeue_count = 0;
  std::optional<std::int32_t> max_execution_seconds;
  std::int32_t past_execution_seconds = 0;
  std::vector<std::string> unhealthy_nodes;

  const ConditionFacts* condition(Cond type) const;
  bool is_true(Cond type) const;
  bool is_false(Cond type) const;
  bool finished() const { return is_true(Cond::Finished); }
  bool evicted() const { return is_true(Cond::Evicted); }
  bool is_parent() const { return variation && variation->parent; }
  bool is_variant() const { return variation && !variation->parent_uid.empty(); }
  bool preemption_gated() const { return variation && variation->gated; }
  bool allows(std::uint32_t flavor) const;
};

// Equal for every question of scheduling: the exact relation behind scheduling_hash.
bool same_class(const Facts& a, const Facts& b);

// Compiles workloads, sharing equal pods. Emptied by reset() when configuration, LimitRanges or
// RuntimeClasses change. A copy starts empty: it belongs to a fork with contexts of its own.
class FactsCompiler {
 public:
  FactsCompiler() = default;
  FactsCompiler(const FactsCompiler&) {}
  FactsCompiler& operator=(const FactsCompiler&) = delete;

  std::shared_ptr<const Facts> compile(const WorkloadSpec& spec, const RequestContext& context,
                                       quota::Names& names, ResourceOrder& order);
  // The same workload under another context.
  std::shared_ptr<const Facts> recompile(const Facts& facts, const RequestContext& context,
                                         quota::Names& names, ResourceOrder& order);
  void reset() { shapes_.clear(); }

 private:
  std::shared_ptr<const PodShape> shape(const PodTemplate& stated, const RequestContext& context,
                                        quota::Names& names, ResourceOrder& order);
  static void finish(Facts& facts, const RequestContext& context);
  void forget_unused();

  // By what the pod states and by the limits that apply to it.
  using Key = std::pair<std::uint64_t, const LimitSummary*>;
  std::multimap<Key, std::weak_ptr<const PodShape>> shapes_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace quorate::admission
