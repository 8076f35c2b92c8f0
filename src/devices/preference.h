#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/devices/inventory.h"
#include "src/devices/ledger.h"

namespace quorate::devices {

// What is left of the counters of one pool on a node, in billionths.
std::vector<Int128> counters_left(const PoolOnNode& pool, const Ledger& ledger);

// Reorders candidates (indexes into `devices`) of a request for `count` devices so that the first
// ones leave the most useful remainder:
// - of partitions, the kind that is listed first; of equal ones those of a parent that is broken
//   already, then those that make the fewest and smallest other partitions impossible, so that the
//   largest profile stays possible as long as it can;
// - of shared devices those that are shared already;
// - of devices that have a NUMA node, a PCIe root or a parent in common those of the smallest group
//   with room for all `count` of them: a whole group is not broken while a broken one has room;
// - otherwise as listed.
void order_by_remainder(const NodeDevices& devices, const Ledger& ledger, std::int64_t count,
                        std::vector<std::uint32_t>& candidates);

}  // namespace quorate::devices
