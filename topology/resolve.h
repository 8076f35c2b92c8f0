#pragma once

#include <string>
#include <variant>

#include "topology/counts.h"

namespace quorate::topology {

// The wish in terms of the tree's levels; otherwise what is wrong with it, in Kueue's words.
std::variant<Plan, std::string> resolve(const Tree& tree, const Ask& ask, const Profile& profile);

}  // namespace quorate::topology
