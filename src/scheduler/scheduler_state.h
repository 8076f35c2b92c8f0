#pragma once

// Inside of Scheduler. Its methods are spread over scheduler_events.cc (what happened),
// scheduler_standing.cc and scheduler_trees.cc (what that means for the queue), scheduler_pods.cc
// and scheduler_groups.cc (one attempt), scheduler_promises.cc (reservations),
// scheduler_preemption.cc (victims), scheduler_binds.cc (outcomes, deadlines, rollback).

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/devices/pod_claims.h"
#include "src/scheduler/evaluation.h"
#include "src/scheduler/evaluation_cache.h"
#include "src/scheduler/framework.h"
#include "src/scheduler/group_tree.h"
#include "src/scheduler/preemption.h"
#include "src/scheduler/queue.h"
#include "src/scheduler/scheduler.h"

namespace quorate::scheduler {

// A bind decided and not yet seen on the pod.
struct Flight {
  std::string node;
  Time first_sent;
  bool failed = false;     // the last try was not carried out; its message
  bool confirmed = false;  // the answer said bound; the pod itself has not shown it yet
  std::string message;
};

// A pod that is ours, or a member of a group.
struct TrackedPod {
  cluster::PodId id;
  std::string uid;
  bool ours = false;
  std::optional<ObjectKey> group;
  // Condition PodScheduled=False as shown, or as we last had it written.
  std::string shown_reason, shown_message;
  std::optional<Flight> flight;
  std::optional<Time> due;          // when the flight or the deletion is looked at again
  bool gone = false;                // a bind found it deleted; its event is still to come
  bool condemned = false;           // a rollback takes it back: not a member any more
  bool condemned_if_bound = false;  // rolled back while its bind was unanswered
  std::vector<ObjectKey> claims;    // that it names, or that were made for it
  std::vector<ClaimWrite> writes;   // of the bind that is on its way
};

struct TrackedGroup {
  std::shared_ptr<const PodGroupSpec> spec;  // null until seen
  std::optional<GroupAdmission> admission;
  std::set<ObjectKey> members;
  // Since when it has been bound in part, and below its minimum.
  std::optional<Time> below_since;
  // The minimum when it was last seen whole, so that a minimum raised later takes nobody back.
  std::optional<std::int32_t> quorum;
  bool reported_scheduled = false;
  std::string shown_reason, shown_message;  // of the condition while False
  std::string message, proof;               // of the last attempt in vain
  GroupDiagnosis diagnosis;                 // of the same
  std::string bind_error;                   // of the last bind that failed
};

// A CompositePodGroup: seen itself, told of by the annotations of PodGroups below it, or only named
// by a child.
struct TrackedComposite {
  std::shared_ptr<const CompositeGroupSpec> object;
  std::map<ObjectKey, CompositeGroupSpec> told;  // by the PodGroup that tells of it
  std::set<ObjectKey> groups, composites;        // its children, as they name it
  bool whole = false;                            // a root: its minimum has been bound once

  // nullptr: only named so far.
  const CompositeGroupSpec* spec() const {
    return object != nullptr ? object.get() : told.empty() ? nullptr : &told.begin()->second;
  }
};

// The name of the CompositePodGroup above a PodGroup; "" for none.
std::string parent_of(const PodGroupSpec& group);

// A group with its members sorted out.
struct Standing {
  GroupStanding group;
  std::vector<ObjectKey> pending;  // in cycle order: priority, then older, then name
  std::int32_t bound = 0;
  std::int32_t held = 0;
  std::int32_t gated = 0;
  bool succeeded = false;  // a member has run to its end
  std::int64_t priority = 0;
};

// A tree of groups, or a group of its own, with everybody's members sorted out.
struct TreeStanding {
  GroupTree tree;
  std::vector<Standing> standings;  // by group of the tree; nothing in those of composites
  std::vector<ObjectKey> pending;   // pods of the tree
  std::string defect;               // why the tree cannot be scheduled as it is written
  std::optional<std::int32_t> group_priority;
  std::string group_policy;
  std::int64_t priority = 0;
  Time since;
  bool incomplete = false;  // part of a gang runs and the rest is missing
};

// The root above a group.
struct RootOf {
  bool known = false;  // false: something above has not been seen, or `defect` says more
  EntityKey entity;
  std::string defect;
};

// A pod that was told to leave for others, and is still there.
struct Victim {
  Evict evict;
  Time sent;
};

// The reservation from which a pod takes its place.
struct Promise {
  std::string workload_uid;  // "" if nothing is reserved for it
  std::string pod_set;
};

// What a plan that places nobody came to, in kube-scheduler's words.
std::string core_text(const GroupTree& tree, const TreePlan& plan);

// Frees the place promised to a pod, in a trial, and says which it was; none if there is none left.
cluster::NodeId give_back(cluster::Model& model, Journal& journal, const Promise& promise);
// The pod has its place: one promised to its pod set is free, the one on the node if possible.
void take_up(cluster::Model& model, Journal& journal, const Promise& promise, cluster::NodeId node);

struct Scheduler::State {
  explicit State(Config config);

  // --- events ---
  void track(cluster::Model& model, Journal& journal, cluster::PodId id,
             const cluster::PodInfo* before, const cluster::PodInfo& info);
  void untrack(const ObjectKey& key);
  void note(EventKinds kinds, cluster::NodeId node);
  void touch_group(const ObjectKey& group, bool helps) { dirty_groups[group] |= helps; }
  const Framework* framework_for(std::string_view scheduler_name) const;

  // --- standing ---
  Standing standing(const cluster::Model& model, const ObjectKey& key,
                    const TrackedGroup& group) const;
  void settle_pod(cluster::Model& model, Journal& journal, const ObjectKey& key, bool helps,
                  Time now);
  void settle_group(cluster::Model& model, Journal& journal, const ObjectKey& key, bool helps,
                    Time now);
  void settle(cluster::Model& model, Journal& journal, Time now);
  bool half_bound(const TrackedGroup& group, const Standing& at, const bool* tree_whole) const;
  void follow_group(TrackedGroup& group, const ObjectKey& key, const Standing& at,
                    const bool* tree_whole, Time now);

  // --- trees ---
  void link(const ObjectKey& group, const PodGroupSpec* before, const PodGroupSpec* after);
  void link(const ObjectKey& composite, const std::string& before, const std::string& after);
  void touch_tree(const ObjectKey& composite, bool helps);
  RootOf root_of(const ObjectKey& group) const;
  EntityKey entity_of(const ObjectKey& group) const;
  TreeStanding tree_standing(const cluster::Model& model, const EntityKey& root) const;
  void add_group(const cluster::Model& model, const ObjectKey& key, std::size_t parent,
                 TreeStanding& to) const;
  void add_composite(const cluster::Model& model, const ObjectKey& key, std::size_t parent,
                     TreeStanding& to) const;
  bool ready(const TreeStanding& at, std::size_t group) const;
  void settle_tree(const cluster::Model& model, const ObjectKey& root, bool helps, Time now);
  void offer_events(const cluster::Model& model, Time now);
  bool helped(const cluster::Model& model, const EntityKey& entity, std::uint64_t rejectors) const;
  PodView view(const cluster::Model& model, const TrackedPod& pod) const;
  std::optional<devices::GroupClaims> group_claims(const cluster::PodSpec& pod) const;
  std::shared_ptr<const devices::PodClaims> claims_of(const cluster::Model& model,
                                                      const cluster::PodSpec& pod) const;
  bool waits_for_claims(const cluster::Model& model, const cluster::PodSpec& pod) const;
  Promise promise_to(const cluster::Model& model, const cluster::PodSpec& pod) const;

  // --- attempts ---
  void try_pod(cluster::Model& model, Journal& journal, const ObjectKey& key, Time now);
  void try_group(cluster::Model& model, Journal& journal, const EntityKey& entity, Time now);
  using Places = std::vector<std::pair<ObjectKey, cluster::NodeId>>;
  Status take_places(cluster::Model& model, Journal& journal, const Framework& framework,
                     const Places& places, const GroupStanding* group);
  void emit_binds(const cluster::Model& model, const Framework& framework, const Places& places,
                  const GroupStanding* group, Time now);
  void carry_out(cluster::Model& model, Journal& journal, const EntityKey& entity, TreeStanding& at,
                 const std::vector<Promise>& promises, const TreePlan& plan, Time now);
  void refuse(const EntityKey& entity, const TreeStanding& at, const TreePlan& plan,
              const std::string& post, Time now);
  void fail_groups(const EntityKey& entity, const TreeStanding& at, const std::string& message,
                   Time now);
  void report(const ObjectKey& key, TrackedPod& pod, const std::string& reason,
              const std::string& message);
  void report_group(TrackedGroup& group, const std::string& reason, const std::string& message);
  void explain(cluster::Model& model, const TreePlanInput& input, const TreeStanding& at,
               const TreePlan& plan);

  // --- preemption ---
  void follow_placed(const cluster::PodChange& change);
  bool queue_managed(const cluster::PodInfo& info) const;
  std::int64_t effective_priority(const cluster::PodSpec& pod) const;
  std::optional<PreemptionUnit> unit_of(const cluster::Model& model, cluster::PodId pod,
                                        std::int64_t below_priority) const;
  void add_units(const cluster::Model& model, cluster::NodeId node, std::int64_t below_priority,
                 std::set<ObjectKey>& covered, std::vector<PreemptionUnit>& to) const;
  std::vector<PreemptionUnit> units(const cluster::Model& model, std::int64_t below_priority) const;
  std::vector<cluster::PodId> leaving(const cluster::Model& model) const;
  void charge_nominated(cluster::Model& model, Journal& journal, const EntityKey& entity,
                        std::int64_t priority) const;
  cluster::NodeId nominated_node(const cluster::Model& model, const ObjectKey& pod) const;
  void nominate(const cluster::Model& model, const ObjectKey& pod, const std::string& node);
  void clear_nominations_below(const cluster::Model& model, const std::string& node,
                               std::int64_t priority);
  void evict_units(const cluster::Model& model, const EntityKey& preemptor, const std::string& uid,
                   const std::string& scheduler, const std::string& where,
                   const std::vector<PreemptionUnit>& victims, Time now);
  bool preempt_for(cluster::Model& model, Journal& journal, const Framework& framework,
                   const TrackedPod& pod, const Evaluation& evaluation, FilterOutcome& outcome,
                   Time now);
  std::string preempt_for(cluster::Model& model, Journal& journal, const EntityKey& entity,
                          const TreeStanding& at, const TreePlanInput& input, Time now);
  void victims_due(const cluster::Model& model, Time now);

  // --- devices (scheduler_devices.cc) ---
  using Chosen = std::vector<std::shared_ptr<const devices::PodDevices>>;
  Status choose_devices(cluster::Model& model, Journal& journal, const Places& places,
                        Chosen& chosen) const;
  std::vector<ClaimWrite> claim_writes(const cluster::Model& model, const TrackedPod& pod) const;
  void release_claims(const cluster::Model& model, const TrackedPod& pod);
  std::string free_a_claim(const cluster::Model& model, const PodView& pod);
  void devices_changed(const ObjectKey* claim);

  // --- binds ---
  void set_due(const ObjectKey& key, TrackedPod& pod, std::optional<Time> when);
  void drop_flight(cluster::Model& model, Journal& journal, const ObjectKey& key, TrackedPod& pod);
  void bind_failed(cluster::Model& model, Journal& journal, const ObjectKey& key, Time now);
  void give_up(cluster::Model& model, Journal& journal, const ObjectKey& key, TrackedPod& pod,
               Time now);
  void flight_due(cluster::Model& model, Journal& journal, const ObjectKey& key, Time now);
  void roll_back(cluster::Model& model, Journal& journal, const ObjectKey& key, Time now);
  void condemn(const ObjectKey& key, TrackedPod& pod, const std::string& message, Time now);
  void deadlines(cluster::Model& model, Journal& journal, Time now);

  Config config;
  std::vector<Framework> frameworks;
  Queue queue;
  EvaluationCache evaluations;
  std::map<ObjectKey, TrackedPod> pods;
  std::map<ObjectKey, TrackedGroup> groups;
  std::map<ObjectKey, TrackedComposite> composites;
  std::map<ObjectKey, bool> dirty_pods;  // -> something happened that can help it
  std::map<ObjectKey, bool> dirty_groups;
  std::map<ObjectKey, bool> dirty_trees;                     // by root
  std::vector<DisruptionBudget> budgets;                     // by key
  std::map<std::int64_t, std::int64_t> placed_pods;          // pods on nodes, by priority
  std::map<ObjectKey, std::string> nominations;              // pods that wait for room -> node
  std::map<EntityKey, std::map<ObjectKey, Victim>> awaited;  // by whom room is made for
  std::set<ObjectKey> ending;                                // pods on nodes that are being deleted
  std::set<ObjectKey> failed_binds;                          // answered since the last step
  std::set<ObjectKey> seen_bound;  // condemned_if_bound, and bound after all
  std::set<std::pair<Time, ObjectKey>> due;
  std::set<ObjectKey> below;                                             // groups with below_since
  std::map<std::pair<std::uint32_t, std::uint32_t>, EventKinds> events;  // by node id
  std::uint64_t reservations_freed = 0;
  bool rescan = false;  // profiles changed: which pods are ours has to be asked again
  std::map<ObjectKey, std::set<ObjectKey>> users;  // of claims named by pods that are tracked
  std::vector<Decision> decisions;
};

}  // namespace quorate::scheduler
