#pragma once

#include <vector>

#include "src/simulate/kind_table.h"
#include "src/simulate/objects_in.h"
#include "src/simulate/scenario.h"

namespace quorate::simulate {

// What an applied object keeps of the one that it replaces: identity, creation, and the status
// where it brings none of its own. A changed spec is a new generation.
template <class T>
void inherit(T& now, const T& before) {
  if (now.meta.uid.empty()) now.meta.uid = before.meta.uid;
  if (now.meta.created == Time{}) now.meta.created = before.meta.created;
  if constexpr (requires { now.status.admission; }) {
    if (now.status == decltype(now.status){}) now.status = before.status;
  }
  if constexpr (requires {
                  now.controller_name;
                  now.conditions;
                }) {
    if (now.conditions.empty()) now.conditions = before.conditions;
  }
  if (now.meta.generation != 0) return;
  now.meta.generation = before.meta.generation;
  T same = before;
  same.meta = now.meta;
  if constexpr (requires { same.status; }) same.status = now.status;
  if constexpr (requires { same.conditions; }) same.conditions = now.conditions;
  if (!(same == now)) ++now.meta.generation;
}

// Takes the deleted objects out of `objects`; tells of each, once it is out.
template <class OnRemoved>
void remove_all(Objects& objects, const std::vector<Deletion>& deletions, OnRemoved on_removed) {
  objects.each_kind([&](auto& map) {
    using T = typename std::decay_t<decltype(map)>::mapped_type;
    for (const Deletion& deletion : deletions) {
      const auto found = map.find(deletion.key);
      if (found == map.end()) continue;
      // A kind knows how to remove its objects from a set: one that holds nothing but this object
      // tells whether the object is of that kind.
      Objects probe;
      probe.of<T>().insert(*found);
      if (!deletion.kind->remove(probe, deletion.key)) continue;
      const T object = std::move(found->second);
      map.erase(found);
      on_removed(object);
    }
  });
}

// Puts the applied objects into `objects`, at the cost of the applied ones. `finish` fills in what
// they neither bring nor keep.
template <class Finish>
void put_all(Objects& objects, Objects applied, Finish finish) {
  applied.each_kind([&](auto& map) {
    using T = typename std::decay_t<decltype(map)>::mapped_type;
    const auto& all = objects.of<T>();
    for (auto& [key, object] : map) {
      if (const auto before = all.find(key); before != all.end()) inherit(object, before->second);
    }
  });
  finish(applied);
  applied.each_kind([&](auto& map) {
    using T = typename std::decay_t<decltype(map)>::mapped_type;
    for (auto& [key, object] : map) objects.of<T>().insert_or_assign(key, std::move(object));
  });
}

}  // namespace quorate::simulate
