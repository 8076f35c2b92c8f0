#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace quorate {

// Names one object of the engine's state. Slots are reused after a deletion; the generation tells
// a dead object's id from its successor's. Ids have no meaningful order: whatever decides an order
// sorts by an explicit key that ends in a name.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t slot = kNone;
  std::uint32_t generation = 0;

  constexpr explicit operator bool() const { return slot != kNone; }
  friend constexpr bool operator==(Id, Id) = default;
};

}  // namespace quorate

template <class Tag>
struct std::hash<quorate::Id<Tag>> {
  std::size_t operator()(quorate::Id<Tag> id) const noexcept {
    return std::hash<std::uint64_t>{}((std::uint64_t{id.generation} << 32) | id.slot);
  }
};
