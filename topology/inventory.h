#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/cluster/model.h"
#include "topology/tree.h"

namespace quorate::topology {

// True if the pod belongs to a workload with a topology assignment, which accounts for its room: it
// carries one of the annotations that ask for one.
bool by_topology(const cluster::PodSpec& pod);

// The trees of all flavors that have a topology: a view over the cluster model, brought up to date
// by its changes. A flavor has a tree while both the flavor and its topology are known.
//
// With `shared_hosts`, usage through one flavor whose lowest level is the hostname counts for that
// host in all such flavors.
//
// Value semantics: a copy is a fork. The model that it was given belongs to the original; a fork is
// given its own.
class Inventory {
 public:
  // nullptr: there are no nodes. All trees are built anew, O(nodes x flavors); usage stays.
  void set_model(const cluster::Model* model);
  bool has_model() const { return model_ != nullptr; }
  // Of a fork: its model equals the one that the trees were built from.
  void adopt_model(const cluster::Model* model) { model_ = model; }
  void share_hosts(bool shared) { shared_hosts_ = shared; }

  void put_topology(const std::string& name, std::vector<std::string> levels);
  void remove_topology(const std::string& name);
  bool has_topology(const std::string& name) const { return topologies_.contains(name); }
  // An empty `topology` is a flavor without one.
  void put_flavor(const std::string& name, const std::string& topology, const Labels& node_labels);
  void remove_flavor(const std::string& name);

  void observe(const cluster::NodeChange& change);
  void observe(const cluster::PodChange& change);

  // nullptr: the flavor has no topology, or it is not known.
  Tree* tree(std::string_view flavor);
  const Tree* tree(std::string_view flavor) const;
  // Flavors whose tree was built since the last call, because the flavor or its topology came or
  // changed: such a tree knows no usage, and neither do others for what went through it. Whoever
  // charges then does it anew, after clear_usage().
  bool take_rebuilt();
  void clear_usage();

  // `sign` 1: pods of that shape run in the assignment's domains; -1: no more.
  void charge(Journal& journal, std::string_view flavor, const Assignment& assignment,
              const ResourceList& pod, std::int64_t sign);

 private:
  struct Flavor {
    std::string topology;
    Labels node_labels;
    std::unique_ptr<Tree> tree;

    Flavor() = default;
    Flavor(const Flavor& other)
        : topology(other.topology),
          node_labels(other.node_labels),
          tree(other.tree ? std::make_unique<Tree>(*other.tree) : nullptr) {}
    Flavor& operator=(const Flavor&) = delete;
  };

  void build(Flavor& flavor);
  ResourceList foreign_on(cluster::NodeId node) const;
  void count_pod(const cluster::PodInfo& pod, std::int64_t sign);

  const cluster::Model* model_ = nullptr;
  bool shared_hosts_ = true;
  bool rebuilt_ = false;
  std::map<std::string, std::vector<std::string>, std::less<>> topologies_;
  std::map<std::string, Flavor, std::less<>> flavors_;
};

}  // namespace quorate::topology
