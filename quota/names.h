#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "src/base/interner.h"

namespace quorate::quota {

using FlavorId = Id<struct FlavorTag>;
using ResourceId = Id<struct ResourceTag>;

// The unit in which all quota is kept. Its order is good for lookups only: it follows when names
// were first seen, so nothing that is shown or decided may depend on it.
struct FlavorResource {
  std::uint32_t flavor = FlavorId::kNone;
  std::uint32_t resource = ResourceId::kNone;

  friend constexpr bool operator==(FlavorResource, FlavorResource) = default;
  friend constexpr auto operator<=>(FlavorResource, FlavorResource) = default;
};

// Names of flavors and resources as small numbers.
struct Names {
  Interner<FlavorTag> flavors;
  Interner<ResourceTag> resources;

  FlavorResource pair(std::string_view flavor, std::string_view resource) {
    return {flavors.intern(flavor).slot, resources.intern(resource).slot};
  }
  const std::string& flavor(FlavorResource fr) const { return flavors.name({fr.flavor, 0}); }
  const std::string& resource(FlavorResource fr) const { return resources.name({fr.resource, 0}); }
};

}  // namespace quorate::quota
