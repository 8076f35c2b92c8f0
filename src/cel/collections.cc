#include "src/cel/collections.h"

#include <algorithm>

namespace quorate::cel {

void GrowingList::push_back(const Value& value) {
  if (size_ == values_.size()) {
    const std::span<Value> larger = arena_->make_array<Value>(std::max<std::size_t>(8, size_ * 2));
    std::copy(values_.begin(), values_.end(), larger.begin());
    values_ = larger;
  }
  values_[size_++] = value;
}

ArrayMap::Entry* ArrayMap::find_entry(const Value& key) const {
  if (table_.empty()) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (equal(entries_[i].key, key)) return &entries_[i];
    }
    return nullptr;
  }
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash(key) & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
    Entry& entry = entries_[table_[slot] - 1];
    if (equal(entry.key, key)) return &entry;
  }
  return nullptr;
}

const Value* ArrayMap::find(const Value& key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

void ArrayMap::index(std::size_t position) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(entries_[position].key) & mask;
  while (table_[slot] != 0) slot = (slot + 1) & mask;
  table_[slot] = static_cast<std::uint32_t>(position + 1);
}

void ArrayMap::append(const Value& key, const Value& value) {
  if (size_ == entries_.size()) {
    const std::span<Entry> larger =
        arena_->make_array<Entry>(std::max<std::size_t>(kSearched, size_ * 2));
    std::copy(entries_.begin(), entries_.end(), larger.begin());
    entries_ = larger;
    if (entries_.size() > kSearched) {
      table_ = arena_->make_array<std::uint32_t>(entries_.size() * 2);
      for (std::size_t i = 0; i < size_; ++i) index(i);
    }
  }
  entries_[size_] = {key, value};
  ++size_;
  if (!table_.empty()) index(size_ - 1);
}

bool ArrayMap::insert(const Value& key, const Value& value) {
  if (find_entry(key) != nullptr) return false;
  append(key, value);
  return true;
}

void ArrayMap::assign(const Value& key, const Value& value) {
  if (Entry* entry = find_entry(key)) {
    entry->value = value;
  } else {
    append(key, value);
  }
}

Value make_list(Arena& arena, std::span<const Value> values) {
  const std::span<Value> copy = arena.make_array<Value>(values.size());
  std::copy(values.begin(), values.end(), copy.begin());
  return Value::list(arena.make<ArrayList>(std::span<const Value>(copy)));
}

Value make_string(Arena& arena, std::string_view text) { return Value::string(arena.copy(text)); }
Value make_bytes(Arena& arena, std::string_view text) { return Value::bytes(arena.copy(text)); }
Value make_error(Arena& arena, std::string_view message) {
  return Value::error(arena.copy(message));
}

Value make_optional(Arena& arena, const Value& value) {
  return Value::optional(arena.make<Value>(value));
}

}  // namespace quorate::cel
