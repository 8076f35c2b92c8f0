#pragma once

// The one model of what can run things: nodes, the pods on them, what is assumed and reserved.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/digest.h"
#include "src/base/id.h"
#include "src/base/object_key.h"
#include "src/base/slot_map.h"
#include "src/base/transaction.h"
#include "src/cluster/changes.h"
#include "src/cluster/demand.h"
#include "src/cluster/extension.h"
#include "src/cluster/pod_index.h"
#include "src/cluster/recently_dead.h"
#include "src/cluster/spec.h"
#include "src/cluster/usage.h"

namespace quorate::cluster {

using NodeId = Id<struct NodeTag>;
using NodeClassId = Id<struct NodeClassTag>;

// A pod as last seen, with its demand worked out. Immutable: forks share it.
struct PodInfo {
  PodSpec spec;
  Demand demand;
};

struct Node {
  std::shared_ptr<const NodeSpec> spec;  // of a placeholder: the name only
  NodeClassId node_class;                // none for a placeholder
  // False for a placeholder: pods name a node that we have not seen (or not any more). It holds
  // their usage and is never a candidate.
  bool known = false;
  std::vector<PodId> pods;                               // no meaningful order
  std::vector<std::pair<HostPort, std::int32_t>> ports;  // in use, with how often; sorted
  // Charged without being one of `pods`: by a trial or a reservation.
  std::vector<std::shared_ptr<const Occupant>> guests;
  std::uint32_t with_terms = 0;  // of both, how many have affinity terms
};

// Nodes that no filter on labels, taints or capacity can tell apart. The label
// kubernetes.io/hostname is left out, or each node would be a class of its own: whatever looks at
// it looks at the node.
struct NodeClass {
  std::shared_ptr<const NodeSpec> sample;
  std::uint32_t members = 0;
};

struct Pod {
  std::shared_ptr<const PodInfo> info;
  NodeId node;                 // where its usage is charged; none while it runs nowhere
  bool assumed = false;        // `node` is our decision; the API server has not shown it yet
  std::uint32_t position = 0;  // in Node::pods
};

// One pod of a gang that is promised a place before it exists.
struct ReservedPod {
  std::string pod_set;
  std::shared_ptr<const Demand> demand;
  NodeId node;
  std::shared_ptr<const Hold> hold = nullptr;  // of the extension; null: nothing
};

struct Reservation {
  ObjectKey workload;
  std::vector<ReservedPod> pods;
};

// What an event changed, for whoever keeps something derived from the model.
struct PodChange {
  PodId id;
  std::shared_ptr<const PodInfo> before;  // null: new
  std::shared_ptr<const PodInfo> after;   // null: gone
  // Another pod of the same name that the new one replaces: its deletion was not seen.
  PodId replaced;
  std::shared_ptr<const PodInfo> replaced_pod;
  NodeId freed;          // node whose usage went down, if one did
  NodeId arrived;        // node where it is seen for the first time, or looks new to selectors
  bool ignored = false;  // a late event about a dead pod: nothing happened
};

struct NodeChange {
  NodeId id;
  std::shared_ptr<const NodeSpec> before;  // null: new
  std::shared_ptr<const NodeSpec> after;   // null: gone
};

// Value semantics: a copy is a fork that shares the immutable specs. Everything that charges or
// frees usage takes the journal of the state the model belongs to and is undone with it; the
// events of the API server (apply, gone) arrive outside of transactions only.
//
// Not thread safe.
class Model {
 public:
  Model();

  // What a folder above keeps about the same nodes; null until attached.
  Extension* extension() { return extension_.get(); }
  const Extension* extension() const { return extension_.get(); }
  void attach(std::unique_ptr<Extension> extension) {
    extension_ = OwnedExtension(std::move(extension));
  }
  // Something of the node that is not its usage changed: whoever follows changes looks again.
  void note_change(Journal& journal, NodeId node) { changes_.add(journal, node.slot); }

  // --- what the API server shows ---
  NodeChange apply(Journal& journal, NodeSpec spec);
  NodeChange node_gone(Journal& journal, std::string_view name);
  // A pod that is assumed somewhere stays there until it is seen on a node, ended or gone.
  PodChange apply(Journal& journal, PodSpec spec);
  PodChange pod_gone(Journal& journal, const ObjectKey& key, std::string_view uid);

  // Labels of a namespace; one that was never applied has none.
  void apply_namespace(std::string_view name, Labels labels);
  void namespace_gone(std::string_view name);

  // --- our own decisions ---
  void assume(Journal& journal, PodId pod, NodeId node);  // the pod runs nowhere so far
  void forget(Journal& journal, PodId pod);               // undoes an assumption; no-op otherwise
  // A node for a name, known or not (a placeholder is made if needed).
  NodeId node_or_placeholder(Journal& journal, std::string_view name);
  // Raw charges for trials; a trial leaves nothing behind by rolling back.
  void charge(Journal& journal, NodeId node, const Demand& demand);
  void release(Journal& journal, NodeId node, const Demand& demand);
  // For trials of evictions: as if the pod had left its node, and as if it were there again.
  void lift(Journal& journal, PodId pod) { take_off(journal, pod); }
  void put_back(Journal& journal, PodId pod, NodeId node) { put_on(journal, pod, node, false); }
  Demand demand(std::shared_ptr<const PodTemplate> pod, const ResourceList& requests,
                std::string_view ns = "") {
    return make_demand(resources_, std::move(pod), requests, ns);
  }

  // --- reservations, by workload uid ---
  void reserve(Journal& journal, const std::string& workload_uid, Reservation reservation);
  void drop_reservation(Journal& journal, const std::string& workload_uid);
  // Gives back the reserved place of one pod of the set: the one on `node` if there is one, else
  // the last. False if none is left.
  bool consume(Journal& journal, const std::string& workload_uid, std::string_view pod_set,
               NodeId node);
  const Reservation* reservation(const std::string& workload_uid) const;
  // The uid under which a workload holds a reservation; nullptr if it has none.
  const std::string* reservation_of(const ObjectKey& workload) const;
  const std::map<std::string, Reservation>& reservations() const { return reservations_; }

  // --- reading ---
  std::span<const NodeId> nodes() const { return by_name_; }  // known ones, by name
  NodeId find_node(std::string_view name) const;              // known ones only
  const Node& node(NodeId id) const { return nodes_.at(id); }
  const Node* find(NodeId id) const { return nodes_.find(id); }
  const NodeClass& node_class(NodeClassId id) const { return classes_.at(id); }
  std::size_t class_slots() const { return classes_.slots(); }

  PodId find_pod(const ObjectKey& key) const;
  PodId find_pod(const ObjectKey& key, std::string_view uid) const;
  const Pod& pod(PodId id) const { return pods_.at(id); }
  const Pod* find(PodId id) const { return pods_.find(id); }
  std::size_t pod_count() const { return pods_.size(); }
  // Visits (PodId, Pod), in no meaningful order.
  template <class Visit>
  void each_pod(Visit visit) const {
    pods_.each(visit);
  }

  std::int64_t used(NodeId node, std::uint32_t resource) const {
    return usage_.used(node.slot, resource);
  }
  std::int64_t allocatable(NodeId node, std::uint32_t resource) const {
    return usage_.allocatable(node.slot, resource);
  }
  // Negative where others put more on a node than it has.
  std::int64_t free(NodeId node, std::uint32_t resource) const {
    return (Quantity{allocatable(node, resource)} - Quantity{used(node, resource)}).base_units();
  }
  bool port_free(NodeId node, const HostPort& port) const;
  // Grows whenever reserved places are given back, which no event of the API server tells.
  std::uint64_t reservations_freed() const { return reservations_freed_; }
  const Resources& resources() const { return resources_; }
  // For whoever keeps something derived: grows when a node is added, changed or removed, or the
  // labels of a namespace change; which nodes' usage changed; who came and went.
  std::uint64_t nodes_version() const { return nodes_version_; }
  const Changes& usage_changes() const { return changes_; }
  const Moves& moves() const { return moves_; }
  const Terms& terms() const { return terms_; }
  // Visits every occupant of a node, in no meaningful order.
  template <class Visit>
  void each_occupant(NodeId id, Visit visit) const {
    const Node& node = nodes_.at(id);
    for (const PodId pod : node.pods) visit(*pods_.at(pod).info->demand.occupant);
    for (const std::shared_ptr<const Occupant>& guest : node.guests) visit(*guest);
  }
  // nullptr: not known.
  const Labels* namespace_labels(std::string_view name) const;
  const std::map<std::string, Labels, std::less<>>& namespaces() const { return namespaces_; }

  // Names and values of everything, in an order of names: equal for equal states however they
  // came about.
  void digest(Digest& digest) const;

 private:
  NodeId insert_placeholder(std::string_view name);
  void drop_if_empty(NodeId id);
  void note_reservation_freed(Journal& journal);
  void join_class(Node& node);
  void leave_class(Node& node);
  void put_on(Journal& journal, PodId pod, NodeId node, bool assumed);
  void take_off(Journal& journal, PodId pod);
  void list_pod(PodId pod, NodeId node);
  void unlist_pod(PodId pod);
  void take_room(Journal& journal, NodeId node, const Demand& demand);
  void give_room(Journal& journal, NodeId node, const Demand& demand);
  void moved(NodeId node, const std::shared_ptr<const Occupant>& who, std::int32_t by);
  void add_guest(NodeId node, const std::shared_ptr<const Occupant>& who);
  void remove_guest(NodeId node, const std::shared_ptr<const Occupant>& who);
  std::shared_ptr<const Occupant> occupant_of(const PodSpec& spec, const PodInfo* before) const;
  void count_ports(NodeId node, const std::vector<HostPort>& ports, std::int32_t by);
  std::shared_ptr<const PodInfo> forget_pod(Journal& journal, PodId id);

  Resources resources_;
  SlotMap<NodeTag, Node> nodes_;
  SlotMap<NodeClassTag, NodeClass> classes_;
  std::unordered_multimap<std::uint64_t, NodeClassId> classes_by_digest_;
  std::vector<NodeId> by_name_;       // known nodes
  std::vector<NodeId> placeholders_;  // by name
  SlotMap<PodTag, Pod> pods_;
  PodIndex pods_by_key_;
  std::map<std::string, Reservation> reservations_;  // by workload uid
  std::map<ObjectKey, std::string> reserved_uids_;
  std::uint64_t reservations_freed_ = 0;
  std::uint64_t nodes_version_ = 0;
  Usage usage_;
  Changes changes_;
  Moves moves_;
  Terms terms_;
  std::map<std::string, Labels, std::less<>> namespaces_;
  RecentlyDead dead_pods_;
  OwnedExtension extension_;
};

}  // namespace quorate::cluster
