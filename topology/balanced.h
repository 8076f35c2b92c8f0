#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topology/search.h"

namespace quorate::topology {

// Spreads the slices evenly over as few domains as needed: the largest share that each chosen
// domain can have at least. nullopt: there is no such spread; the usual search goes on as if
// nothing had been tried. For preferred levels without inner layers.
//
// Costs a table of (domains, leaders, pods left) per candidate list, so it grows with domains x
// slices.
std::optional<std::vector<Share>> balance(const Tree& tree, const Plan& plan, const Counts& counts,
                                          const Profile& profile, std::int64_t pods);

}  // namespace quorate::topology
