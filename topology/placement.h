#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/base/pod_template.h"
#include "topology/tree.h"

namespace quorate::topology {

// How many pods of that request find room in `free`: the scarcest resource decides. A resource of
// which nothing is asked does not limit; one that is not there at all has no room.
std::int64_t fitting_pods(const ResourceList& free, const ResourceList& request);

enum class Wish {
  Required,       // all pods below one domain of the level
  Preferred,      // the same, else of the level above, and so on; at last several domains
  Unconstrained,  // anywhere, small leftovers first
};

struct Request {
  std::size_t level = 0;
  Wish wish = Wish::Required;
  std::int64_t pods = 0;
};

// Pods by leaf, in the order of the leaves' values.
using Placement = std::vector<std::pair<std::vector<std::string>, std::int64_t>>;

// Not all pods fit: how many would.
struct TooSmall {
  std::int64_t fitting = 0;

  friend bool operator==(const TooSmall&, const TooSmall&) = default;
};

// Chooses domains for the pods. Best fit: the smallest domain that holds all; where several are
// needed the largest first, the last one chosen by best fit again. Unconstrained pods fill the
// smallest places first instead. Ties go by the values of the levels.
//
// `room(leaf)`: how many of the pods the leaf can take.
std::variant<Placement, TooSmall> place(const Tree& tree, const Request& request,
                                        const std::function<std::int64_t(const Domain&)>& room);

// Kueue's words for a failure.
std::string failure_text(const std::string& topology, const TooSmall& failure,
                         const Request& request);

}  // namespace quorate::topology
