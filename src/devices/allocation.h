#pragma once

// What the search chose, as the API writes it and as the ledger charges it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/devices/inventory.h"
#include "src/devices/ledger.h"
#include "src/devices/match_tables.h"
#include "src/devices/search.h"
#include "src/devices/shape.h"

namespace quorate::devices {

// An allocation together with what it charges.
struct Allocated {
  std::shared_ptr<const dra::Allocation> allocation;
  std::vector<DeviceUse> uses;
};

// The allocation of the claim `index` of those that were searched for. `claim_id` makes the share
// ids, which are names of a claim's share of a device, so that equal decisions have equal bytes.
Allocated make_allocation(const SearchInput& input, const std::vector<Chosen>& chosen,
                          std::uint32_t index, std::string_view claim_id,
                          const MatchTables::Classes& classes, std::string_view node);

// What an allocation that somebody wrote charges. Devices get slots if they have none.
std::vector<DeviceUse> uses_of(const dra::Allocation& allocation, Ledger& ledger, Texts& texts);

}  // namespace quorate::devices
