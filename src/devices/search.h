#pragma once

// Chooses devices of one node for claims, all of them together or none.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/devices/inventory.h"
#include "src/devices/ledger.h"
#include "src/devices/match_tables.h"
#include "src/devices/shape.h"

namespace quorate::devices {

struct ClaimToPlace {
  const Shape* shape = nullptr;
  std::string_view name;  // "namespace/name", for messages
};

// In which order candidates are tried, and therefore which of several solutions is found. What can
// be found is the same.
enum class Order : std::uint8_t {
  AsListed,        // as kube-scheduler does: first fit
  LeastRemainder,  // what leaves the most useful remainder first; equal ones as listed
};

struct SearchInput {
  const NodeDevices& devices;
  const Ledger& ledger;
  MatchTables& tables;
  const std::vector<TableKey>& keys;
  const Texts& texts;
  std::span<const ClaimToPlace> claims;
  Order order = Order::AsListed;
  std::int64_t budget = 100'000;  // candidates tested
  bool explain = false;           // fill in Shortfall
};

struct Chosen {
  std::uint32_t claim = 0, request = 0, alternative = 0;
  std::uint32_t candidate = 0;  // index into NodeDevices::devices
  bool shared = false;
  std::vector<std::pair<std::uint32_t, ExactQuantity>> consumed;  // of a shared device
};

// Why a candidate was refused, in the order of the tests.
enum class Refusal : std::uint8_t {
  NotSelected,
  InUse,
  Capacity,
  Counters,
  Tainted,
  Constraint,
};

// The request at which the search got furthest, and what stood in its way there.
struct Shortfall {
  std::string claim;
  std::string request;
  std::int64_t have = 0, need = 0;          // devices
  std::map<Refusal, std::int64_t> refused;  // devices of the node
  std::string constraint;  // the attribute that refused, if one did: "matchAttribute <name>"

  std::string text() const;
};

struct SearchResult {
  enum class Outcome {
    Placed,
    Impossible,   // every assignment was ruled out
    BudgetEnded,  // not found, not disproved
    Failed,       // a claim or a selector cannot be understood; message says why
  };
  Outcome outcome = Outcome::Impossible;
  std::vector<Chosen> chosen;  // by claim and request, in the order of the devices
  std::string message;
  Shortfall shortfall;
  std::int64_t work = 0;
};

SearchResult search(const SearchInput& input);

}  // namespace quorate::devices
