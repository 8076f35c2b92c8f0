#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/id.h"

namespace quorate {

// Values by id. Insert reuses the slots of erased values under a new generation; a lookup with a
// dead id answers nullptr. All operations O(1); iteration is by slot and therefore has no meaning
// as an order.
template <class Tag, class T>
class SlotMap {
 public:
  Id<Tag> insert(T value) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(cells_.size());
      cells_.push_back({});
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    cells_[slot].value = std::move(value);
    ++size_;
    return {slot, cells_[slot].generation};
  }

  // False if the id is dead already.
  bool erase(Id<Tag> id) {
    if (find(id) == nullptr) return false;
    cells_[id.slot].value.reset();
    ++cells_[id.slot].generation;
    free_.push_back(id.slot);
    --size_;
    return true;
  }

  T* find(Id<Tag> id) {
    if (id.slot >= cells_.size() || cells_[id.slot].generation != id.generation) return nullptr;
    return cells_[id.slot].value ? &*cells_[id.slot].value : nullptr;
  }
  const T* find(Id<Tag> id) const { return const_cast<SlotMap*>(this)->find(id); }

  T& at(Id<Tag> id) {
    T* value = find(id);
    check(value != nullptr, "SlotMap::at: dead id");
    return *value;
  }
  const T& at(Id<Tag> id) const { return const_cast<SlotMap*>(this)->at(id); }

  std::size_t size() const { return size_; }
  std::size_t slots() const { return cells_.size(); }

  template <class Visit>
  void each(Visit visit) const {
    for (std::uint32_t slot = 0; slot < cells_.size(); ++slot) {
      if (cells_[slot].value) visit(Id<Tag>{slot, cells_[slot].generation}, *cells_[slot].value);
    }
  }

 private:
  struct Cell {
    std::optional<T> value;
    std::uint32_t generation = 0;
  };
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace quorate
