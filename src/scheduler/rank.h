#pragma once

#include <compare>
#include <cstdint>

#include "src/base/object_key.h"
#include "src/base/time.h"

namespace quorate::scheduler {

// What is queued: a pod of its own, a group with all its members, or a tree of groups under the
// name of its root.
struct EntityKey {
  bool group = false;
  ObjectKey key;
  bool composite = false;

  friend bool operator==(const EntityKey&, const EntityKey&) = default;
  friend auto operator<=>(const EntityKey&, const EntityKey&) = default;
};

// Where an entity stands in the queue.
struct Rank {
  std::int64_t priority = 0;
  // Part of a gang runs and the rest is missing: served before others of its priority, so that
  // nobody slips into the place of a member that has to come back.
  bool incomplete = false;
  Time since;  // created, or last tried in vain
  EntityKey entity;

  friend bool operator==(const Rank&, const Rank&) = default;
};

}  // namespace quorate::scheduler
