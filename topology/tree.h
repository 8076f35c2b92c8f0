#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/base/labels.h"
#include "src/cluster/spec.h"

namespace quorate::topology {

inline constexpr const char* kHostname = "kubernetes.io/hostname";

// A place in the topology: the values of the levels down to its own.
struct Domain {
  std::vector<std::string> values;
  std::int32_t parent = -1;             // -1: at the highest level
  std::vector<std::uint32_t> children;  // by value; empty at the lowest level
  std::vector<std::string> nodes;       // names, at the lowest level only
};

// The domains that nodes span by their labels, one level per label key, highest first.
//
// A node takes part if it is ready, not cordoned, and has all level labels and the labels asked
// for. Where the lowest level is the hostname its value alone names the leaf.
class Tree {
 public:
  Tree(std::vector<std::string> levels, Labels node_labels,
       std::span<const cluster::NodeSpec> nodes);

  const std::vector<std::string>& levels() const { return levels_; }
  std::size_t size() const { return domains_.size(); }
  const Domain& domain(std::uint32_t index) const { return domains_[index]; }
  // The domains of a level, 0 the highest, by their values.
  const std::vector<std::uint32_t>& at_level(std::size_t level) const { return by_level_[level]; }
  std::size_t lowest() const { return levels_.size() - 1; }
  bool takes_part(const cluster::NodeSpec& node) const;

 private:
  std::vector<std::string> levels_;
  Labels node_labels_;
  std::vector<Domain> domains_;  // parents before children
  std::vector<std::vector<std::uint32_t>> by_level_;
};

}  // namespace quorate::topology
