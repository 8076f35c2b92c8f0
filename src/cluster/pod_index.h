#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/id.h"
#include "src/base/object_key.h"

namespace quorate::cluster {

using PodId = Id<struct PodTag>;

// Finds pods by key without holding the keys: a table of hashes and ids that a fork copies as one
// block. The caller says which key an id has.
class PodIndex {
 public:
  template <class KeyOf>
  PodId find(const ObjectKey& key, KeyOf key_of) const {
    if (cells_.empty()) return {};
    const std::uint64_t hash = hash_of(key);
    for (std::size_t i = hash & mask(); cells_[i].id; i = (i + 1) & mask()) {
      if (cells_[i].hash == hash && key_of(cells_[i].id) == key) return cells_[i].id;
    }
    return {};
  }

  // The key is not in the table.
  void insert(const ObjectKey& key, PodId id) {
    if ((size_ + 1) * 2 > cells_.size()) grow();
    put({hash_of(key), id});
    ++size_;
  }

  // The id is in the table, under that key.
  void erase(const ObjectKey& key, PodId id) {
    std::size_t hole = hash_of(key) & mask();
    while (!(cells_[hole].id == id)) hole = (hole + 1) & mask();
    // Close the gap: whoever was pushed past it moves back.
    for (std::size_t i = (hole + 1) & mask(); cells_[i].id; i = (i + 1) & mask()) {
      const std::size_t home = cells_[i].hash & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      cells_[hole] = cells_[i];
      hole = i;
    }
    cells_[hole] = {};
    --size_;
  }

 private:
  struct Cell {
    std::uint64_t hash = 0;
    PodId id;
  };

  static std::uint64_t hash_of(const ObjectKey& key) {
    // Spread: the low bits pick the place.
    const std::uint64_t hash = std::hash<ObjectKey>{}(key)*0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
  }
  std::size_t mask() const { return cells_.size() - 1; }
  void put(Cell cell) {
    std::size_t i = cell.hash & mask();
    while (cells_[i].id) i = (i + 1) & mask();
    cells_[i] = cell;
  }
  void grow() {
    std::vector<Cell> old(cells_.empty() ? 16 : cells_.size() * 2);
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.id) put(cell);
    }
  }

  std::vector<Cell> cells_;  // a power of two, at most half full
  std::size_t size_ = 0;
};

}  // namespace quorate::cluster
