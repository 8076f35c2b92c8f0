#pragma once

// The state behind Admitter. Split by concern over core_*.cc; nothing outside of admission/ sees
// it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "admission/assigner.h"
#include "admission/class_table.h"
#include "admission/decision.h"
#include "admission/facts.h"
#include "admission/key_index.h"
#include "admission/messages.h"
#include "admission/placement_port.h"
#include "admission/preemption.h"
#include "admission/queue_plan.h"
#include "admission/topology_step.h"
#include "admission/views.h"
#include "fairshare/sharing.h"
#include "fairshare/tournament.h"
#include "fairshare/usage_ledger.h"
#include "quota/cohort_tree.h"
#include "src/base/slot_map.h"

namespace quorate::admission {

using QueueId = Id<struct ClusterQueueTag>;
using LocalId = Id<struct LocalQueueTag>;

// After this long without any effect a decision is made again.
inline constexpr Duration kPatience = Duration::seconds(30);

// Where a pending workload is. In neither: it is not queued (it holds quota, is gated, its queue is
// missing, …).
enum class Bucket : std::uint8_t { None, Heap, Parked, InFlight };

// Whether a workload that holds quota was told to go, before its object shows that.
enum class Leaving : std::uint8_t { No, Told, Preempted };

// Why a workload waits, as last decided.
struct Verdict {
  Reason reason = Reason::None;
  Proof proof;
  std::uint64_t text = 0;  // digest of reason and message, as of a condition
};

// Quota held by a workload.
struct Reservation {
  QueueId queue;  // maybe only a name so far
  std::shared_ptr<const Admission> admission;
  quota::ResourceMap usage;
  std::vector<TopologyUse> places;
};

struct Workload {
  std::shared_ptr<const Facts> facts;
  LocalId local;
  std::uint32_t local_at = 0;  // in its LocalQueue's members

  Bucket bucket = Bucket::None;
  bool bypassed = false;  // parked because an equal workload failed
  bool vanished = false;  // a write told us that the object is gone
  bool dirty = false;     // to be reconciled
  bool offered = false;   // in the heap because quota came free, not because its batch was due
  QueueId queue;          // whose bucket it is in
  std::uint32_t at = 0;   // in the heap or among the parked
  // Among the parked of its class, by slots; class_number is kNone where it is in no class.
  std::uint32_t class_number = ClassTable::kNone;
  std::uint32_t class_before = ClassTable::kNone, class_after = ClassTable::kNone;
  std::shared_ptr<const Scan> scan;
  std::shared_ptr<const Verdict> verdict;

  std::shared_ptr<const Reservation> held;
  std::uint32_t held_at = 0;  // in its ClusterQueue's holders
  bool admitted = false;      // counted as such
  bool unready = false;       // counted as holding quota without its pods being ready
  bool assumed = false;       // held by our decision; the API does not show it yet
  bool written = false;       // …but the write succeeded
  Leaving leaving = Leaving::No;
  Time leaving_since;
  std::uint64_t claimed = 0;  // the last cycle in which it was somebody's victim
  Time decided;
  std::shared_ptr<const Facts> decided_on;

  std::uint64_t issued = 0;  // digest of the decision that the API should show soon
  std::uint64_t issued_hold = 0;
  Time issued_at;
  Time timer;     // the next that is set for it
  Time pass_due;  // of its second pass; zero: none is waiting
  std::int32_t passes_failed = 0;
  std::shared_ptr<const Reservation> before_pass;  // while `assumed` is only about new places
};

struct LocalQueue {
  ObjectKey key;
  std::shared_ptr<const LocalQueueSpec> spec;  // nullptr: only referred to
  QueueId queue;
  std::uint32_t queue_at = 0;  // in its ClusterQueue's locals
  std::vector<WorkloadId> members;
  std::int32_t pending = 0, reserving = 0, admitted = 0;
  quota::ResourceMap reserved_usage, admitted_usage;
  std::uint64_t changed = 0;

  // Where its ClusterQueue goes by usage.
  std::vector<WorkloadId> heap;  // its part of the queue's: binary heap, best first
  std::optional<fairshare::UsageLedger> ledger;
  fairshare::RecentUsage usage;  // by the ledger, as last computed
  Time sample;                   // the timer that counts
  bool at_rest = false;          // the last sample changed nothing, and nothing happened since

  bool open() const { return spec && !spec->terminating && spec->stop_policy == StopPolicy::None; }
};

struct ClusterQueue {
  std::string name;
  std::shared_ptr<const ClusterQueueSpec> spec;  // nullptr: only referred to
  QueuePlan plan;
  quota::NodeId node;
  bool in_cycle = false;  // its cohorts go round in circles
  ActiveView active;
  bool by_usage = false;         // its LocalQueues take turns; each has a heap of its own
  std::vector<WorkloadId> heap;  // binary heap, best first; empty if by_usage
  std::vector<WorkloadId> parked;
  // The one that last told others to leave, as it was then. It goes first, unless strictly in
  // order, until it leaves the queue or another takes its place.
  WorkloadId preemptor;
  std::int64_t preemptor_generation = 0;
  ClassTable classes;  // of workloads that failed; their equals are not evaluated
  std::vector<WorkloadId> holders;
  std::vector<LocalId> locals;
  std::int32_t admitted = 0;
  quota::ResourceMap admitted_usage;
  bool offering = false;         // quota came free, and the parked are not moved back yet
  bool waits_for_nodes = false;  // the placement port refused one of its workloads
  std::uint64_t changed = 0;

  bool strict() const { return spec && spec->strategy == QueueingStrategy::StrictFifo; }
};

enum class RequeueReason {
  NoFit,
  NoCandidates,
  PendingPreemption,
  NamespaceMismatch,
  PendingMigration,  // a less favorable variant of it is on its way out
  PreemptionGated,
  FailedAfterNomination,
  NotNominated,
};

class Core {
 public:
  explicit Core(Journal& journal) : journal_(&journal), tree_(journal) {}
  Core(const Core& other, Journal& journal);

  // core_objects.cc: everything but workloads
  void set_config(const Config& config);
  void set_placement_port(PlacementPort* port) { port_ = port; }
  void apply(const FlavorSpec& spec);
  void apply(const TopologySpec& spec);
  void apply(const ClusterQueueSpec& spec);
  void apply(const CohortSpec& spec);
  void apply(const LocalQueueSpec& spec);
  void apply(const AdmissionCheckSpec& spec);
  void apply(const NamespaceSpec& spec);
  void apply(const LimitRangeSpec& spec);
  void apply(const RuntimeClassSpec& spec);
  void flavor_gone(const std::string& name);
  void topology_gone(const std::string& name);
  void cluster_queue_gone(const std::string& name);
  void cohort_gone(const std::string& name);
  void local_queue_gone(const ObjectKey& key);
  void admission_check_gone(const std::string& name);
  void namespace_gone(const std::string& name);
  void limit_range_gone(const ObjectKey& key);
  void runtime_class_gone(const std::string& name);

  // core_topology.cc
  void set_cluster(const cluster::Model* model);
  void observe(const cluster::NodeChange& change);
  void observe(const cluster::PodChange& change);

  // core_workloads.cc
  void apply(const WorkloadSpec& spec);
  void workload_gone(const ObjectKey& key, const std::string& uid);
  void workload_written(const ObjectKey& key, const std::string& uid, bool succeeded, bool gone);

  // core_cycle.cc
  std::vector<Decision> cycle(Time now);
  bool busy() const;
  std::optional<Time> next_wakeup() const;

  void capacity_changed();
  std::vector<std::string> required_checks(const ObjectKey& workload) const;

  // core_views.cc
  std::vector<std::string> cluster_queues() const;
  std::optional<QueueView> cluster_queue(const std::string& name);
  std::vector<ObjectKey> local_queues() const;
  std::optional<QueueView> local_queue(const ObjectKey& key);
  std::vector<std::string> changed_cluster_queues(std::uint64_t& cursor);
  std::vector<std::string> changed_cohorts(std::uint64_t& cursor);
  std::optional<fairshare::Share> cohort_share(const std::string& name);
  std::vector<ObjectKey> changed_local_queues(std::uint64_t& cursor);
  std::optional<Hold> waiting(const ObjectKey& workload) const;
  std::vector<ObjectKey> pending(const std::string& cluster_queue, bool parked_only) const;

 private:
  struct Tree {
    std::vector<QueueId> queues;
    bool awake = false;
    int unchanged = 0;  // cycles in a row in which nothing of it moved
  };
  struct Entry {
    WorkloadId workload;
    QueueId queue;
    Assignment assignment;
    bool resumed = false;         // the scan did not start at the first flavor
    bool deferred = false;        // fits once the victims of others are gone
    WorkloadId predecessor = {};  // holds quota in the same queue, and it takes its place
    std::shared_ptr<const Replaced> replaced = {};  // what that one holds
  };
  // What entries processed earlier did to those behind them, until the end of the cycle.
  struct CycleState {
    std::vector<std::pair<QueueId, quota::ResourceMap>> reserved;
    std::vector<std::vector<TopologyUse>> places;             // reserved too
    std::map<std::uint32_t, std::vector<Candidate>> claimed;  // victims, by slot of their root
    std::vector<std::uint32_t> displaced;  // roots with an entry that lost its places
    bool changed = false;                  // some entry took quota or places
  };
  struct MoveBack {
    quota::NodeId root;
    std::optional<Time> due;  // set at the next cycle
  };

  // core_objects.cc
  QueueId queue_ref(const std::string& name);
  LocalId local_ref(const ObjectKey& key);
  void drop_queue_if_unused(QueueId id);
  void drop_local_if_unused(LocalId id);
  void point_local_at(LocalId id, const std::string& cluster_queue);
  void refresh_active(QueueId id);
  void refresh_active_of_users(const std::string& flavor_or_check);
  void mark_members_dirty(LocalId id);
  void mark_users_dirty(QueueId id);
  void place_members(LocalId id);
  void recompile_pending(const std::string& ns);
  bool namespace_matches(const ClusterQueue& queue, const std::string& ns) const;
  void namespace_changed(const std::string& ns, const std::optional<Labels>& labels);
  RequestContext request_context(const std::string& ns) const;

  // core_topology.cc
  void topology_changed(const std::string& topology, bool came_or_went);
  bool uses_topology(const ClusterQueue& queue,
                     const std::function<bool(const FlavorSpec&)>& which) const;
  void room_changed(const std::string& node);
  bool is_topology_flavor(const std::string& flavor) const;
  std::vector<TopologyUse> places_of(const Facts& facts, const Admission& admission) const;
  std::vector<TopologyUse> places_of(const Entry& entry) const;
  void charge_places(const std::vector<TopologyUse>& places, std::int64_t sign);
  void places_freed(const Reservation& held);
  bool awaits_places(const Workload& workload) const;
  void recharge_places();

  // core_second_pass.cc
  std::string node_to_replace(const Workload& workload) const;
  bool needs_second_pass(const Workload& workload) const;
  void reconcile_second_pass(WorkloadId id);
  void run_second_passes();
  void second_pass(WorkloadId id);
  bool place_delayed(const AssignContext& context, const Facts& facts, Admission& admission);
  bool replace_host(const AssignContext& context, const Facts& facts, const std::string& host,
                    Admission& admission);
  void evict_for_nodes(WorkloadId id, const std::string& message);
  bool undo_second_pass(WorkloadId id);

  // core_trees.cc: trees of queues, waking and moving back
  void settle();
  void wake(QueueId id);
  void wake_root(quota::NodeId root);
  void request_move_back(QueueId id);
  void request_move_back_root(quota::NodeId root);
  void run_move_backs();
  void move_back(QueueId id);
  bool moves_back(const ClusterQueue& queue, WorkloadId id) const;
  bool moves_back_at_once(const ClusterQueue& queue) const;

  // core_classes.cc: equal workloads
  bool has_classes(const ClusterQueue& queue) const;
  // The workload that failed and equals this one; nullptr if none is remembered.
  const Workload* failed_equal(const ClusterQueue& queue, const Facts& facts) const;
  void fail_class(QueueId id, WorkloadId workload);
  void park_failed(QueueId id);
  void park_bypassed(QueueId id, WorkloadId workload);
  void join_class(ClusterQueue& queue, WorkloadId id);
  void leave_class(ClusterQueue& queue, WorkloadId id);
  void forget_classes(ClusterQueue& queue);
  void try_next_of_class(QueueId id, std::uint64_t hash);
  void request_offer(QueueId id);
  void run_offers();
  void offer(QueueId id);

  // core_buckets.cc: heap, parked and their order
  bool before(const ClusterQueue& queue, WorkloadId a, WorkloadId b) const;
  void heap_push(QueueId id, WorkloadId workload);
  WorkloadId heap_pop(QueueId id);
  std::vector<WorkloadId>& heap_of(ClusterQueue& queue, WorkloadId workload);
  // Who would be tried next; none if nobody waits for a turn.
  WorkloadId heap_top(const ClusterQueue& queue) const;
  std::vector<WorkloadId> in_heap(const ClusterQueue& queue) const;
  void add_to_heap(ClusterQueue& queue, WorkloadId workload);
  void take_from_heap(ClusterQueue& queue, WorkloadId workload);
  void sift(ClusterQueue& queue, WorkloadId workload);
  void park(QueueId id, WorkloadId workload, bool bypassed);
  void leave_bucket(WorkloadId id);
  void leave_queue(WorkloadId id);  // …for good: what it was as a preemptor is forgotten
  void make_preemptor(QueueId id, WorkloadId workload);
  void set_bucket(WorkloadId id, Bucket bucket, QueueId queue);
  bool queueable(const Workload& workload) const;
  bool backoff_over(const Facts& facts) const;
  // Puts a workload where it belongs after an event; `old` is what was known before (nullptr: new).
  void place(WorkloadId id, const Facts* old);
  void requeue(WorkloadId id, RequeueReason reason, std::shared_ptr<const Scan> scan);

  // core_workloads.cc
  WorkloadId find(const ObjectKey& key) const;
  void attach(WorkloadId id);
  void detach(WorkloadId id);
  void forget(WorkloadId id);
  void hold_quota(WorkloadId id, std::shared_ptr<const Admission> admission);
  void release_quota(WorkloadId id, bool placement_too);
  void charge_usage(WorkloadId id, int sign);
  void set_admitted(WorkloadId id, bool admitted);
  quota::ResourceMap usage_of(const Facts& facts, const Admission& admission);
  bool lost_assumption(const Workload& workload, const Facts& now) const;
  void take_admission(WorkloadId id, const Facts* old);
  void holder_changed(WorkloadId id, const Facts& old);
  void mark_dirty(WorkloadId id);
  void set_timer(WorkloadId id, Time at);
  void fire_timers();

  // core_cycle.cc
  void run_heads();
  std::vector<Entry> pop_heads(std::vector<std::uint32_t>& trees);
  bool nominate(Entry& entry);
  void order(std::vector<Entry>& entries) const;
  bool is_preemptor(const Entry& entry) const;
  fairshare::Tournament tournament(const std::vector<Entry>& entries);  // core_fair.cc

  // core_process.cc
  bool process(Entry& entry, CycleState& state);
  bool overlaps(const Entry& entry) const;
  enum class Fitting { No, NoPlace, Yes };  // NoPlace: its quota would do
  Fitting fits(const Entry& entry, const CycleState& state);
  void take_out(const std::vector<Candidate>& holders);
  void assign_anew(Entry& entry);
  void assign_without_claimed(Entry& entry, const CycleState& state);
  void reserve(const Entry& entry, const quota::ResourceMap& usage, CycleState& state);
  void end_reservations(const CycleState& state);
  bool keeps_quota(const Entry& entry) const;
  quota::ResourceMap reserve_without_candidates(const Entry& entry) const;
  bool try_admit(Entry& entry);
  void admit(Entry& entry);

  // core_preemption.cc
  class HolderView final : public Holders {
   public:
    // Who takes the place of another slice does not tell it to leave.
    HolderView(const Core& core, WorkloadId predecessor) : core_(core), predecessor_(predecessor) {}
    void each(quota::NodeId queue,
              const std::function<void(const Candidate&)>& visit) const override {
      core_.each_holder(queue, predecessor_, visit);
    }

   private:
    const Core& core_;
    const WorkloadId predecessor_;
  };
  bool is_leaving(const Workload& workload) const;
  Candidate candidate(WorkloadId id, quota::NodeId node) const;
  void each_holder(quota::NodeId queue, WorkloadId besides,
                   const std::function<void(const Candidate&)>& visit) const;
  std::string path_of(quota::NodeId queue) const;
  bool preempt(const Entry& entry);
  void tell_to_leave(WorkloadId id, Leaving how);
  std::optional<NotPlaceable> place_gang(const Entry& entry);
  AssignContext assign_context(const Entry& entry, const Preemption& preemption);
  Preemption preemption(const Holders& holders);
  TopologyContext topology_context();
  std::shared_ptr<const Admission> admission_of(const Entry& entry) const;
  void quieten(const std::vector<std::uint32_t>& trees, const std::vector<Entry>& entries,
               const std::vector<bool>& progressed, const std::vector<std::uint32_t>& displaced);

  // core_reconcile.cc
  void reconcile_dirty();
  void sort_decisions(std::size_t from);
  void reconcile(WorkloadId id);
  bool reconcile_inactive(WorkloadId id);
  bool reconcile_requeued(WorkloadId id);
  void reconcile_pending(WorkloadId id);
  void reconcile_parent(WorkloadId id);  // core_variants.cc
  void reconcile_undecided();
  bool reconcile_check_list(WorkloadId id);
  void reconcile_reserved(WorkloadId id);
  std::vector<std::string> required_checks(const Workload& workload) const;
  bool checks_ready(const Workload& workload) const;
  void hold(WorkloadId id, Reason reason, Proof proof);
  void show(WorkloadId id);  // says the verdict unless the API shows it
  void show_bypassed(WorkloadId id, const Verdict& verdict);
  bool shows(WorkloadId id, std::uint64_t text);
  Hold hold_of(const Workload& workload, const Verdict& verdict, std::string message) const;
  void issue(WorkloadId id, Decision decision);

  // core_variants.cc: concurrent admission
  void join_family(WorkloadId id);
  void leave_family(WorkloadId id);
  WorkloadId admitted_sibling(const Entry& entry) const;
  int favor_of(QueueId queue, WorkloadId variant) const;
  bool may_migrate(const Entry& entry) const;
  bool migrate(const Entry& entry, WorkloadId from);

  // core_slices.cc
  void find_predecessor(Entry& entry);
  void take_the_place(WorkloadId id);

  // core_clock.cc
  bool reconcile_delays(WorkloadId id);
  bool reconcile_pods_ready(WorkloadId id);
  bool reconcile_execution_time(WorkloadId id);
  void count_unready(WorkloadId id);
  bool must_wait_for_ready() const;

  // core_usage.cc: LocalQueues that take turns by what they used
  void follow_usage_mode(QueueId id);
  void expect_penalty(WorkloadId id);
  void drop_penalty(WorkloadId id);
  void settle_penalty(WorkloadId id);
  void run_samples();
  void refresh_due(const ClusterQueue& queue);
  void refresh(LocalId id);
  void usage_changed(LocalId id);
  void schedule_sample(LocalId id);

  // core_views.cc
  void changed(QueueId id);
  void changed(LocalId id);

  Journal* journal_;
  PlacementPort* port_ = nullptr;
  Config config_;
  quota::Names names_;
  quota::CohortTree tree_;
  fairshare::Sharing sharing_;
  ResourceOrder order_;
  FactsCompiler compiler_;

  FlavorTable flavors_;
  topology::Inventory inventory_;
  std::map<std::string, AdmissionCheckSpec> checks_;
  std::map<std::string, Labels> namespaces_;
  std::map<ObjectKey, LimitRangeSpec> limit_ranges_;
  std::map<std::string, LimitSummary> limits_;  // by namespace, where there are any
  std::map<std::string, RuntimeClassSpec> runtime_classes_;

  SlotMap<ClusterQueueTag, ClusterQueue> queues_;
  std::map<std::string, QueueId> queue_names_;
  std::set<std::string> cohorts_;       // of which there is an object
  std::vector<QueueId> queue_of_node_;  // by slot of the vertex
  SlotMap<LocalQueueTag, LocalQueue> locals_;
  std::map<ObjectKey, LocalId> local_keys_;
  SlotMap<WorkloadTag, Workload> workloads_;
  std::map<std::string, std::vector<WorkloadId>> families_;  // variants, by uid of their parent
  KeyIndex index_;
  std::vector<WorkloadId> ids_;  // by slot, for the index

  std::map<std::uint32_t, Tree> trees_;  // by slot of the root
  std::map<std::uint32_t, MoveBack> move_backs_;
  std::set<std::uint32_t> offers_;  // roots of trees in which quota came free, by slot
  std::vector<std::pair<Time, WorkloadId>> timers_;  // a heap, earliest first
  std::vector<std::pair<Time, LocalId>> samples_;    // likewise
  std::vector<LocalId> opening_;                     // ledgers that open in the next cycle
  std::vector<WorkloadId> dirty_;
  std::vector<WorkloadId> undecided_;  // in this cycle: waiting, and nothing said of them yet
  std::int64_t unready_ = 0;           // workloads that hold quota and are not ready
  bool waits_for_ready_ = false;       // somebody would be admitted if there were none
  std::set<std::pair<std::uint64_t, std::string>> changed_queues_;  // by version
  std::set<std::pair<std::uint64_t, ObjectKey>> changed_locals_;
  std::uint64_t version_ = 1;
  std::uint64_t cycle_ = 0;
  Time now_;
  std::vector<Decision> out_;
  std::vector<WorkloadId> due_passes_;  // of this cycle
};

}  // namespace quorate::admission
