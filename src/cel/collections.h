#pragma once

#include <span>

#include "src/cel/value.h"

namespace quorate::cel {

// A list over values that live elsewhere.
class ArrayList final : public List {
 public:
  explicit ArrayList(std::span<const Value> values) : values_(values) {}
  std::size_t size() const override { return values_.size(); }
  Value at(std::size_t index) const override { return values_[index]; }

 private:
  std::span<const Value> values_;
};

// A list that grows at its end: what a comprehension accumulates in.
class GrowingList final : public List {
 public:
  explicit GrowingList(Arena& arena) : arena_(&arena) {}
  std::size_t size() const override { return size_; }
  Value at(std::size_t index) const override { return values_[index]; }
  void push_back(const Value& value);

 private:
  Arena* arena_;
  std::span<Value> values_;
  std::size_t size_ = 0;
};

// A map that keeps the order of insertion. Small ones are searched entry by entry, larger ones
// through a hash table.
class ArrayMap final : public Map {
 public:
  explicit ArrayMap(Arena& arena) : arena_(&arena) {}
  std::size_t size() const override { return size_; }
  const Value* find(const Value& key) const override;
  std::pair<Value, Value> entry(std::size_t index) const override {
    return {entries_[index].key, entries_[index].value};
  }
  // Adds an entry; false, and nothing changes, when the key is there.
  bool insert(const Value& key, const Value& value);
  // Adds an entry or replaces its value.
  void assign(const Value& key, const Value& value);

 private:
  struct Entry {
    Value key, value;
  };
  static constexpr std::size_t kSearched = 8;

  Entry* find_entry(const Value& key) const;
  void append(const Value& key, const Value& value);
  void index(std::size_t position);

  Arena* arena_;
  std::span<Entry> entries_;
  std::size_t size_ = 0;
  std::span<std::uint32_t> table_;  // position + 1; 0 is free; twice as long as entries_
};

Value make_list(Arena& arena, std::span<const Value> values);
Value make_string(Arena& arena, std::string_view text);
Value make_bytes(Arena& arena, std::string_view text);
Value make_error(Arena& arena, std::string_view message);
Value make_optional(Arena& arena, const Value& value);

}  // namespace quorate::cel
