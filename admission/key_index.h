#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/digest.h"
#include "src/base/object_key.h"

namespace quorate::admission {

// Slots by object key in one flat open-addressing table, so that a fork copies it at once. The keys
// themselves live in the records: `key_of(slot)` reads them.
class KeyIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  template <class KeyOf>
  std::uint32_t find(const ObjectKey& key, KeyOf key_of) const {
    if (cells_.empty()) return kNone;
    for (std::size_t at = hash(key) & mask(); cells_[at] != kNone; at = (at + 1) & mask()) {
      if (cells_[at] != kDead && key_of(cells_[at]) == key) return cells_[at];
    }
    return kNone;
  }

  // The key is not in the table yet.
  template <class KeyOf>
  void insert(const ObjectKey& key, std::uint32_t slot, KeyOf key_of) {
    if (2 * (used_ + 1) > cells_.size()) grow(key_of);
    put(key, slot);
    ++live_;
  }

  template <class KeyOf>
  void erase(const ObjectKey& key, KeyOf key_of) {
    if (cells_.empty()) return;
    for (std::size_t at = hash(key) & mask(); cells_[at] != kNone; at = (at + 1) & mask()) {
      if (cells_[at] == kDead || !(key_of(cells_[at]) == key)) continue;
      cells_[at] = kDead;
      --live_;
      return;
    }
  }

  std::size_t size() const { return live_; }

 private:
  static constexpr std::uint32_t kDead = 0xfffffffeu;

  static std::size_t hash(const ObjectKey& key) {
    return static_cast<std::size_t>(Digest().bytes(key.ns).bytes("/").bytes(key.name).value());
  }
  std::size_t mask() const { return cells_.size() - 1; }

  void put(const ObjectKey& key, std::uint32_t slot) {
    std::size_t at = hash(key) & mask();
    while (cells_[at] != kNone) at = (at + 1) & mask();
    cells_[at] = slot;
    ++used_;
  }

  template <class KeyOf>
  void grow(KeyOf key_of) {
    std::vector<std::uint32_t> old;
    old.swap(cells_);
    std::size_t size = 16;
    while (size < 4 * (live_ + 1)) size *= 2;
    cells_.assign(size, kNone);
    used_ = 0;
    for (const std::uint32_t slot : old) {
      if (slot != kNone && slot != kDead) put(key_of(slot), slot);
    }
  }

  std::vector<std::uint32_t> cells_;
  std::size_t used_ = 0;  // cells that are not free, the dead included
  std::size_t live_ = 0;
};

}  // namespace quorate::admission
