#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/interner.h"
#include "src/base/labels.h"
#include "src/base/transaction.h"
#include "src/cluster/spec.h"
#include "topology/assignment.h"

namespace quorate::topology {

// Amounts of one pod by the tree's resource columns, sorted by the resources' names; a pod counts
// one of `pods`. Amounts of zero are left out.
using Amounts = std::vector<std::pair<std::uint32_t, std::int64_t>>;

// `more`, so many times, on top of amounts that need not be sorted.
void add(Amounts& amounts, const Amounts& more, std::int64_t times);

// The domains that the nodes of one flavor span by their level labels, with what is free in each
// leaf. Built once; node, pod and usage events change single leaves.
//
// A node takes part if it is ready, not cordoned, and has all level labels and the labels of the
// flavor. A leaf is a combination of all level values; where the lowest level is the hostname, its
// value alone names the leaf. Nodes of one leaf add up.
//
// Costs: usage O(1) per leaf and resource; a node O(levels); after nodes came or went the next
// reader of the order pays one merge, O(leaves), comparing strings only for what is new.
class Tree {
 public:
  Tree(std::string topology, std::vector<std::string> levels, Labels node_labels);

  const std::string& topology() const { return topology_; }
  const std::vector<std::string>& levels() const { return levels_; }
  const Labels& node_labels() const { return node_labels_; }
  std::size_t lowest() const { return levels_.size() - 1; }
  bool by_host() const { return levels_.back() == kHostname; }
  // Position of a level, or levels().size().
  std::size_t level_of(std::string_view key) const;
  bool takes_part(const cluster::NodeSpec& node) const;

  // --- nodes and what runs on them besides topology workloads ---

  // `node_class`: nodes of one class differ in nothing but their names and hostname labels.
  // `foreign`: what pods use of it that no topology workload owns, `pods` among them. Replaces
  // what was known of a node of that name.
  void put_node(std::shared_ptr<const cluster::NodeSpec> node, std::uint32_t node_class,
                const ResourceList& foreign);
  void remove_node(std::string_view name);
  // A foreign pod came (sign 1) or went (-1); ignored for nodes that do not take part.
  void add_foreign(std::string_view node, const ResourceList& requests, std::int64_t sign);
  bool has_node(std::string_view name) const { return members_.contains(std::string(name)); }

  // --- usage of topology workloads ---

  // `count` pods more (or fewer) in a domain, values as in an Assignment. The domain need not
  // exist: its usage counts once a node brings it (back). Undone by the journal.
  void charge(Journal& journal, const std::vector<std::string>& values, const Amounts& pod,
              std::int64_t count);
  void clear_usage();
  // The columns for such a pod; new resources get one.
  Amounts amounts(const ResourceList& requests);
  const std::string& resource_name(std::uint32_t resource) const {
    return resources_.name({resource, 0});
  }

  // --- reading; settle() first after node events ---

  void settle();
  std::size_t size(std::size_t level) const { return levels_at_[level].first_leaf.size() - 1; }
  std::size_t leaves() const { return order_.size(); }
  // Leaves [first, last) of a domain, by rank; children likewise, in the next level.
  std::uint32_t first_leaf(std::size_t level, std::uint32_t domain) const {
    return levels_at_[level].first_leaf[domain];
  }
  std::uint32_t first_child(std::size_t level, std::uint32_t domain) const {
    return levels_at_[level].first_child[domain];
  }
  std::uint32_t parent(std::size_t level, std::uint32_t domain) const {
    return levels_at_[level].parent[domain];
  }
  // Level values of a domain, highest first.
  std::vector<std::string> values(std::size_t level, std::uint32_t domain) const;
  // Values as an Assignment has them.
  std::vector<std::string> assignment_values(std::uint32_t leaf) const;
  std::vector<std::string> assignment_levels() const;
  // The leaf that such values name, or kNone if no node is there.
  std::uint32_t find_leaf(const std::vector<std::string>& assignment_values) const;
  // The ancestor of a leaf at a level.
  std::uint32_t ancestor(std::size_t level, std::uint32_t leaf) const;

  struct Leaf {
    std::vector<std::string> path;       // all level values
    std::vector<std::uint32_t> ids;      // of the values: equal ids, equal values
    std::vector<std::uint32_t> members;  // by name
    std::uint32_t node_class = 0;        // of the first member
    bool tainted = false;                // the first member has a taint that repels
    std::uint32_t rank = 0;              // in the order, where it is in it
  };
  const Leaf& leaf(std::uint32_t rank) const { return leaves_[order_[rank]]; }
  const cluster::NodeSpec& sample(std::uint32_t rank) const {
    return *members_at_[leaf(rank).members.front()].spec;
  }
  bool any_tainted() const { return tainted_ > 0; }
  // Grows whenever nodes, their capacity or the leaves change.
  std::uint64_t revision() const { return revision_; }

  // --- columns, by the slot of a leaf: it stays, whatever comes and goes ---

  std::uint32_t slot(std::uint32_t rank) const { return order_[rank]; }
  // kNone: no node is there.
  std::uint32_t rank(std::uint32_t slot) const {
    return leaves_[slot].members.empty() ? kNone : leaves_[slot].rank;
  }
  std::size_t resources() const { return capacity_.size(); }
  // Allocatable less what foreign pods use.
  const std::vector<std::int64_t>& capacity(std::uint32_t resource) const {
    return capacity_[resource];
  }
  // Of topology workloads.
  const Column& usage(std::uint32_t resource) const { return used_[resource]; }

  // Free in a leaf, maybe negative; `empty`: as if no topology workload ran.
  std::int64_t free(std::uint32_t rank, std::uint32_t resource, bool empty) const {
    const std::uint32_t slot = order_[rank];
    const std::int64_t capacity = capacity_[resource][slot];
    return empty ? capacity : capacity - used_[resource][slot];
  }
  // Pods of that shape used in a domain by topology workloads, for tests.
  std::int64_t used(const std::vector<std::string>& assignment_values,
                    std::string_view resource) const;

  static constexpr std::uint32_t kNone = 0xffffffffu;

 private:
  struct Member {
    std::shared_ptr<const cluster::NodeSpec> spec;  // nullptr: the place is unused
    std::uint32_t leaf = 0;
    std::uint32_t node_class = 0;
    Amounts foreign;  // what is taken from its leaf by foreign pods; unsorted
  };
  struct Level {
    std::vector<std::uint32_t> first_leaf;   // one more than domains
    std::vector<std::uint32_t> first_child;  // the same; empty at the lowest level
    std::vector<std::uint32_t> parent;       // empty at the highest level
  };

  std::uint32_t resource(std::string_view name);
  std::uint32_t leaf_slot(const std::string& key);
  std::string key_of(const std::vector<std::string>& assignment_values) const;
  void add(std::uint32_t leaf, std::uint32_t resource, std::int64_t amount);
  void add_foreign(Member& member, const ResourceList& requests, std::int64_t sign);
  void renew(std::uint32_t leaf);
  void build_levels();

  std::string topology_;
  std::vector<std::string> levels_;
  Labels node_labels_;

  Interner<struct TopologyResourceTag> resources_;
  Interner<struct TopologyValueTag> value_ids_;
  std::vector<Leaf> leaves_;  // never removed: usage of a domain outlives its nodes
  std::unordered_map<std::string, std::uint32_t> leaf_of_;
  std::vector<Member> members_at_;
  std::vector<std::uint32_t> free_members_;
  std::unordered_map<std::string, std::uint32_t> members_;
  std::int64_t tainted_ = 0;
  std::uint64_t revision_ = 0;

  std::vector<std::uint32_t> order_;    // leaves with nodes, by path
  std::vector<std::uint32_t> changed_;  // leaves that joined, left or moved since
  std::vector<Level> levels_at_;

  std::vector<std::vector<std::int64_t>> capacity_;  // by resource, by leaf slot: allocatable
                                                     // less foreign pods
  std::deque<Column> used_;  // the same: by topology workloads; columns keep their address
};

}  // namespace quorate::topology
