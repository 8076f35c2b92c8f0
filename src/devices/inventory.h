#pragma once

// What drivers publish, and what of it counts on one node.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/device_types.h"
#include "src/base/interner.h"
#include "src/cluster/spec.h"
#include "src/devices/spec.h"

namespace quorate::devices {

using Texts = Interner<struct TextTag>;

// An attribute of a device: its values are a range of Slice::values, texts as their interned ids,
// so that equal values are equal numbers.
struct AttributeCell {
  std::uint32_t name = 0;  // interned, fully qualified
  dra::Attribute::Type type = dra::Attribute::Type::Int;
  bool list = false;
  std::uint32_t begin = 0, end = 0;
};

// A device as one slice publishes it.
struct Published {
  const dra::Device* spec = nullptr;
  std::uint32_t entry = 0;   // of the match tables; not shared with any other that is published
  std::uint32_t device = 0;  // slot of the ledger
  std::uint32_t attributes_begin = 0, attributes_end = 0;
  std::vector<std::uint32_t> capacities;  // interned names, in the order of spec->capacity
  std::vector<Taint> taints;              // NoSchedule and NoExecute, of the driver and of rules
};

// Immutable once built; forks share it.
struct Slice {
  std::string name;
  dra::SliceSpec spec;
  std::vector<Published> devices;  // in the order of spec.devices
  // Flat columns of all devices together.
  std::vector<AttributeCell> attributes;
  std::vector<std::int64_t> values;

  const AttributeCell* find(const Published& device, std::uint32_t name) const;
};

using PoolName = std::pair<std::string, std::string>;  // driver, pool

struct Pool {
  PoolName name;
  std::vector<std::shared_ptr<const Slice>> slices;  // by name
  // Slices that say nodeName only; a pool with others concerns every node.
  bool node_local = true;
  std::set<std::string> nodes;  // of node-local slices

  std::string text() const { return name.first + "/" + name.second; }
};

// A device that can be allocated on a node.
struct Candidate {
  const Slice* slice = nullptr;
  const Published* published = nullptr;
  std::uint32_t pool = 0;  // index into NodeDevices::pools
  // Range of PoolOnNode::uses: the counters that it consumes.
  std::uint32_t uses_begin = 0, uses_end = 0;
  // What it has in common with others near it: NUMA node, PCIe root, parent device; by value,
  // 0 = says nothing.
  std::array<std::uint64_t, 3> groups{};

  const dra::Device& spec() const { return *published->spec; }
};

struct CounterUse {
  std::uint32_t counter = 0;  // index into PoolOnNode::totals
  Int128 amount = 0;          // billionths
};

struct PoolOnNode {
  std::shared_ptr<const Pool> pool;
  bool late = false;                  // some of its devices have binding conditions: tried last
  std::vector<Int128> totals;         // billionths, by counter of the pool's sets
  std::vector<std::uint32_t> set_of;  // by counter: which set it belongs to
  std::vector<CounterUse> uses;
  // Every device of the pool's generation that consumes counters, wherever it can be used.
  struct Consumer {
    std::uint32_t device = 0;  // slot of the ledger
    std::uint32_t uses_begin = 0, uses_end = 0;
  };
  std::vector<Consumer> consumers;
};

// What one node sees, in the order in which devices are tried: pools by driver and name, those with
// binding conditions last; slices by name; devices as listed. Only complete, valid pools.
struct NodeDevices {
  std::vector<PoolOnNode> pools;
  std::vector<Candidate> devices;
  std::string incomplete;  // "driver/pool" of the first pool that is being updated
  std::string invalid;     // the same of one that contradicts itself
};

// The rules of pools (which generation counts, when it is complete, what makes it invalid) are
// those of KEP-4381 and KEP-4815 as kube-scheduler applies them.
NodeDevices devices_on(const cluster::NodeSpec& node,
                       const std::vector<std::shared_ptr<const Pool>>& pools, const Texts& texts);

// True if the terms select the node. An empty term selects nothing.
bool selects(const dra::NodeTerms& terms, const cluster::NodeSpec& node);

}  // namespace quorate::devices
