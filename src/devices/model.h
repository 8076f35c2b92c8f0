#pragma once

// The one model of devices: what is published, who has what, and what would fit.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/outcome.h"
#include "src/base/slot_map.h"
#include "src/base/transaction.h"
#include "src/cluster/extension.h"
#include "src/cluster/model.h"
#include "src/devices/allocation.h"
#include "src/devices/inventory.h"
#include "src/devices/ledger.h"
#include "src/devices/match_tables.h"
#include "src/devices/pod_claims.h"
#include "src/devices/search.h"
#include "src/devices/shape.h"
#include "src/devices/spec.h"

namespace quorate::devices {

struct Claim {
  std::shared_ptr<const ClaimObject> seen;  // as the API server last showed it
  std::shared_ptr<const Shape> shape;
  std::vector<DeviceUse> uses;  // of the allocation that was seen
  // Our decision that was not seen yet.
  std::shared_ptr<const Allocated> assumed;
  std::vector<dra::Consumer> consumers;

  // The allocation that counts; nullptr if it has none.
  const dra::Allocation* allocation() const {
    if (seen->status.allocation) return &*seen->status.allocation;
    return assumed == nullptr ? nullptr : assumed->allocation.get();
  }
  bool reserved_for(std::string_view uid) const;
  // Others than one pod may use it.
  bool shareable() const { return seen->owner_kind != "Pod"; }
};

// What one pod gets.
struct ClaimDecision {
  ClaimId id;        // none: of a pod that does not exist yet, or for its extended resources
  bool own = false;  // see PodClaims::Use
  bool by_group = false;
  std::shared_ptr<const Allocated> allocated;  // null: the claim is allocated already
  // Of the claim for extended resources, which is made with its allocation.
  std::shared_ptr<const Shape> extended;
};
struct PodDevices final : cluster::Hold {
  std::vector<ClaimDecision> claims;
};

struct Verdict {
  enum class Kind : std::uint8_t {
    Fits,
    NoDevices,     // no assignment of devices exists
    NotHere,       // an allocated claim cannot be used on the node
    InvalidPools,  // none found, and some pool of the node contradicts itself
    TimedOut,      // the work budget ended
    Failed,        // the whole attempt fails: message
  };
  Kind kind = Kind::Fits;
  std::string message;
};

// Of a pod's extended resources, before there is an object.
struct ExtendedClaim {
  std::shared_ptr<const Allocated> allocated;
  std::shared_ptr<const Shape> shape;
};

// Two allocations of one device, neither of them a share: somebody allocates beside us.
struct Collision {
  dra::DeviceName device;
  std::vector<ObjectKey> claims;  // sorted

  friend bool operator==(const Collision&, const Collision&) = default;
};

// Value semantics through clone(): a fork shares immutable slices, specs and shapes. What charges
// and frees devices takes the journal of the state that the model belongs to, and is undone in time
// proportional to what it touched. Events of the API server arrive outside of transactions only.
//
// Everything about usage is worked out from claims; nothing is kept that a list of claims does not
// give again.
//
// Not thread safe.
class Model final : public cluster::Extension {
 public:
  explicit Model(Compile compile);

  std::unique_ptr<cluster::Extension> clone() const override;
  void digest(Digest& digest) const override;

  // --- what the API server shows ---
  void apply(cluster::Model& cluster, Journal& journal, ClassObject object);
  void class_gone(cluster::Model& cluster, Journal& journal, std::string_view name);
  void apply(cluster::Model& cluster, Journal& journal, SliceObject object);
  void slice_gone(cluster::Model& cluster, Journal& journal, std::string_view name);
  void apply(cluster::Model& cluster, Journal& journal, TaintRuleObject object);
  void rule_gone(cluster::Model& cluster, Journal& journal, std::string_view name);
  void apply(TemplateObject object);
  void template_gone(const ObjectKey& key);
  // A claim that is assumed keeps its assumption until its allocation is seen; an allocation by
  // somebody else takes its place.
  void apply(cluster::Model& cluster, Journal& journal, ClaimObject object);
  void claim_gone(cluster::Model& cluster, Journal& journal, const ObjectKey& key,
                  std::string_view uid);

  // --- our own decisions ---
  // Charges what a pod gets in a trial: own claims without being named, others by assuming them.
  void take(cluster::Model& cluster, Journal& journal, const cluster::Hold& hold) override;
  void give_back(cluster::Model& cluster, Journal& journal, const cluster::Hold& hold) override;
  // The claim is allocated to the consumer, until events confirm or forget() takes it back.
  void assume(cluster::Model& cluster, Journal& journal, const ClaimDecision& decision,
              dra::Consumer consumer);
  // The consumer does not use it after all. Its allocation stays assumed for others that were
  // promised it; the last one frees it.
  void forget(cluster::Model& cluster, Journal& journal, ClaimId id, std::string_view consumer_uid);

  // --- deciding ---
  // What is assumed for the extended resources of the pod; nullptr: nothing.
  const ExtendedClaim* extended_of(const std::string& pod_uid) const;
  // The pod is not bound after all, and its claim for extended resources is gone.
  void forget_extended(cluster::Model& cluster, Journal& journal, const std::string& pod_uid);
  // The claims of a pod, or of one that would be made from a template in the namespace.
  // False: the pod can have no claims, and nothing here matters to it.
  bool concerns(const PodTemplate& pod) const {
    return !pod.resource_claims.empty() || !classes_.empty();
  }
  std::shared_ptr<const PodClaims> claims_of(const cluster::PodSpec& pod,
                                             const GroupClaims* group) const;
  std::shared_ptr<const PodClaims> claims_of(std::string_view ns, const PodTemplate& pod) const;

  const Verdict& fits(const cluster::Model& cluster, cluster::NodeId node,
                      const PodClaims& claims) const;
  // How many identical pods get their devices on the node, at most `most`.
  std::int64_t copies(const cluster::Model& cluster, cluster::NodeId node, const PodClaims& claims,
                      std::int64_t most) const;
  // The devices of the pod on a node that fits. Errors: Invalid - it does not, and why.
  Outcome<std::shared_ptr<const PodDevices>> choose(const cluster::Model& cluster,
                                                    cluster::NodeId node,
                                                    const PodClaims& claims) const;
  // In a trial: the member of a gang gets devices on the node. Those that were tried out before on
  // the node may get others, so that it works whenever all can have theirs together. False: it does
  // not, and nothing changed. Undone with the transaction of the journal.
  bool try_out(cluster::Model& cluster, Journal& journal, cluster::NodeId node,
               std::shared_ptr<const PodClaims> claims, std::size_t member);
  // What the member has now; null: nothing.
  std::shared_ptr<const PodDevices> tried_out(std::size_t member) const;
  // The decision for a pod, made for another pod of the same claims; with the claims of its own.
  static std::shared_ptr<const PodDevices> for_pod(const PodDevices& devices,
                                                   const PodClaims& claims);
  // Of the nodes the one that got furthest: which claim, which request, what stood in its way.
  // At most `most` nodes are looked at.
  std::string shortfall(const cluster::Model& cluster, std::span<const cluster::NodeId> nodes,
                        const PodClaims& claims, std::size_t most) const;
  // Of the devices that match the pod's requests on the node: how many are in use already, in
  // hundredths; 0 if there are none.
  std::int64_t used_share(const cluster::Model& cluster, cluster::NodeId node,
                          const PodClaims& claims) const;
  // Sum over firstAvailable requests of 8 - position of the alternative that is chosen there.
  std::int64_t alternative_score(const cluster::Model& cluster, cluster::NodeId node,
                                 const PodClaims& claims) const;
  // The class that serves an extended resource; nullptr if none does.
  const std::string* class_for(std::string_view resource) const;

  // --- reading ---
  ClaimId find_claim(const ObjectKey& key) const;
  const Claim* find(ClaimId id) const { return claims_.find(id); }
  const NodeDevices& devices_of(const cluster::Model& cluster, cluster::NodeId node) const;
  const Ledger& ledger() const { return ledger_; }
  std::vector<Collision> collisions() const;
  // Claims that hold the device, by key.
  std::vector<ObjectKey> holders(const dra::DeviceName& device) const;
  bool any_claims() const { return claims_.size() > 0; }
  // What to search with: candidates as listed (kube-scheduler's choice) or by what is left over.
  void set_order(Order order) { order_ = order; }

 private:
  struct CachedVerdict {
    std::uint64_t claims = 0;
    std::uint64_t version = 0;
    Verdict verdict;
    std::int64_t alternatives = 0;
  };
  struct OnNode {
    cluster::NodeId node;
    const cluster::NodeSpec* spec = nullptr;  // for which `devices` was made
    bool valid = false;
    NodeDevices devices;
    std::vector<CachedVerdict> verdicts;
    std::size_t next = 0;  // to be replaced
  };
  // Where a device can be used: one node, or more.
  struct Home {
    bool wide = false;
    std::string node;
  };
  class Versions {
   public:
    void bump(Journal& journal, std::uint32_t node);
    void restore(std::size_t node, std::int64_t) { count(node); }
    std::uint64_t of(std::uint32_t node) const { return node < counts_.size() ? counts_[node] : 0; }

   private:
    void count(std::size_t node);
    std::vector<std::uint64_t> counts_;
  };

  Model(const Model& other);

  // Inventory.
  std::shared_ptr<const Slice> build(const SliceObject& object);
  void publish(cluster::Model& cluster, Journal& journal, std::shared_ptr<const Slice> slice);
  void withdraw(cluster::Model& cluster, Journal& journal, const std::string& slice);
  void rebuild_pool(cluster::Model& cluster, Journal& journal, const PoolName& name);
  void taint_anew(cluster::Model& cluster, Journal& journal,
                  const std::vector<const TaintRuleObject*>& rules);
  void classes_changed(cluster::Model& cluster, Journal& journal);

  // Usage.
  void charge(cluster::Model& cluster, Journal& journal, const std::vector<DeviceUse>& uses,
              int sign);
  void touch(cluster::Model& cluster, Journal& journal, const std::string& node);
  void touch_all(cluster::Model& cluster, Journal& journal);
  void set_assumed(cluster::Model& cluster, Journal& journal, ClaimId id,
                   std::shared_ptr<const Allocated> assumed);
  void set_consumers(Journal& journal, ClaimId id, std::vector<dra::Consumer> consumers);
  void reclaim(const std::vector<DeviceUse>& uses);

  // Deciding.
  OnNode& on_node(const cluster::Model& cluster, cluster::NodeId node) const;
  Verdict judge(const cluster::Model& cluster, cluster::NodeId node, const PodClaims& claims,
                std::int64_t& alternatives) const;
  const CachedVerdict& verdict(const cluster::Model& cluster, cluster::NodeId node,
                               const PodClaims& claims) const;
  // The claims that have to be allocated on the node; the shape for extended resources comes last.
  struct ToAllocate {
    std::vector<ClaimToPlace> claims;
    std::vector<const PodClaims::Use*> uses;  // of all but the last, if that is for extended ones
    std::shared_ptr<const Shape> extended;
  };
  ToAllocate to_allocate(const cluster::Model& cluster, cluster::NodeId node,
                         const PodClaims& claims, bool own_only = false) const;
  // A search for the claims of several pods together. The devices of the trial's entries (indexes)
  // are free for it.
  SearchResult search_together(const NodeDevices& devices, const std::vector<ToAllocate>& pods,
                               const std::vector<std::size_t>& entries, Order order,
                               bool explain = false) const;
  std::vector<ToAllocate> of_entries(const std::vector<std::size_t>& entries) const;
  std::vector<std::size_t> entries_on(cluster::NodeId node) const;
  std::shared_ptr<const PodDevices> decide(const SearchInput& input, const SearchResult& result,
                                           const PodClaims& claims, const ToAllocate& todo,
                                           std::uint32_t first, std::string_view node) const;
  // By entry, and last the pod's own.
  Outcome<std::vector<std::shared_ptr<const PodDevices>>> choose_together(
      const cluster::Model& cluster, cluster::NodeId node, const std::vector<std::size_t>& entries,
      const PodClaims& claims) const;
  SearchInput input(const NodeDevices& devices, std::span<const ClaimToPlace> claims,
                    Order order) const;
  std::optional<Verdict> not_here(const cluster::Model& cluster, cluster::NodeId node,
                                  const PodClaims& claims) const;
  void add_use(PodClaims& claims, PodClaims::Use use) const;
  void add_extended(PodClaims& claims, const PodTemplate& pod) const;
  void seal(PodClaims& claims) const;
  std::shared_ptr<const Shape> extended_shape(const std::vector<ExtendedRequest>& requests) const;

  mutable Texts texts_;
  mutable Shapes shapes_;
  MatchTables::Classes classes_;
  mutable MatchTables tables_;
  std::map<std::string, std::string, std::less<>> class_by_resource_;
  std::uint64_t classes_version_ = 0;
  std::map<ObjectKey, dra::ClaimSpec> templates_;
  std::map<std::string, std::shared_ptr<const TaintRuleObject>, std::less<>> rules_;

  std::map<std::string, std::shared_ptr<const Slice>, std::less<>> slices_;
  std::map<PoolName, std::shared_ptr<const Pool>> pools_;
  std::unordered_map<std::string, std::set<PoolName>> pools_of_node_;  // node-local ones
  std::set<PoolName> wide_pools_;
  std::vector<Home> homes_;  // by slot of the ledger
  std::uint32_t next_entry_ = 0;
  std::vector<std::uint32_t> free_entries_;

  mutable Ledger ledger_;  // a search of a gang's members together frees their devices meanwhile
  SlotMap<ClaimTag, Claim> claims_;
  std::map<ObjectKey, ClaimId> claims_by_key_;
  struct TrialEntry {
    cluster::NodeId node;
    std::shared_ptr<const PodClaims> claims;
    std::shared_ptr<const PodDevices> devices;
    std::size_t member = 0;
  };
  std::vector<TrialEntry> trial_;                          // empty outside of transactions
  std::map<std::string, ClaimId> extended_by_owner_;       // by uid of the pod
  std::map<std::string, ExtendedClaim> extended_assumed_;  // likewise
  Versions versions_;
  Order order_ = Order::LeastRemainder;

  // Caches, not copied.
  mutable std::vector<OnNode> nodes_;  // by node slot
  mutable std::map<std::vector<std::uint64_t>, std::uint64_t> pod_shapes_;
  mutable std::uint64_t next_pod_shape_ = 1;
};

// The devices of a cluster model; nullptr if it keeps none.
Model* of(cluster::Model& cluster);
const Model* of(const cluster::Model& cluster);

}  // namespace quorate::devices
