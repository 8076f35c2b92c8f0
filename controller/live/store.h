#pragma once

#include <charconv>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/base/object_key.h"
#include "src/base/thread_annotations.h"

namespace quorate::controller {

// A resourceVersion as the order of writes that API servers document it to be; 0 if it is no
// number, which is before everything.
inline std::uint64_t version_number(std::string_view resource_version) {
  std::uint64_t number = 0;
  std::from_chars(resource_version.data(), resource_version.data() + resource_version.size(),
                  number);
  return number;
}

// The newest known state of the objects of one kind: as watched, or as the answer of one of our own
// writes showed it, whichever is later. So a reconciler that looks again right after its write sees
// what it wrote. Thread safe; values are shared and never change.
template <class T>
class Store {
 public:
  using Value = std::shared_ptr<const T>;
  using Indexer = std::function<std::vector<std::string>(const T&)>;

  // Objects are found by what `index` says about them, too.
  explicit Store(Indexer index = {}) : index_(std::move(index)) {}

  Value find(const ObjectKey& key) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = cells_.find(key);
    return found == cells_.end() ? nullptr : found->second.value;
  }

  // All objects under an index key, in the order of their names.
  std::vector<Value> find_by(const std::string& index_key) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<Value> values;
    if (const auto found = indexed_.find(index_key); found != indexed_.end()) {
      for (const ObjectKey& key : found->second) values.push_back(cells_.at(key).value);
    }
    return values;
  }

  std::vector<Value> all() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<Value> values;
    values.reserve(cells_.size());
    for (const auto& [key, cell] : cells_) values.push_back(cell.value);
    return values;
  }

  std::size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return cells_.size();
  }

  // A state that the watch told. `news` is false if readers of the watch have nothing to learn: it
  // is older than what is known, or known from the watch already.
  struct Watched {
    bool news = false;
    Value before;
    Value now;
  };
  Watched watched(T object) EXCLUDES(mutex_) {
    const std::uint64_t version = version_number(object.meta.resource_version);
    auto value = std::make_shared<const T>(std::move(object));
    MutexLock lock(mutex_);
    Cell& cell = cells_[value->meta.key];
    cell.seen_in = relist_;
    if (cell.value != nullptr && version != 0) {
      if (version < cell.version) return {false, cell.value, cell.value};
      if (version == cell.version && cell.from_watch) return {false, cell.value, cell.value};
    }
    return put(cell, std::move(value), version, true);
  }

  // The answer of one of our own writes. It may come after the watch told the object's end.
  void assume(T object) EXCLUDES(mutex_) {
    const std::uint64_t version = version_number(object.meta.resource_version);
    auto value = std::make_shared<const T>(std::move(object));
    MutexLock lock(mutex_);
    if (buried_.contains(value->meta.uid)) return;
    const auto found = cells_.find(value->meta.key);
    if (found == cells_.end()) {
      Cell& cell = cells_[value->meta.key];
      cell.seen_in = relist_;
      put(cell, std::move(value), version, false);
      return;
    }
    if (version > found->second.version) put(found->second, std::move(value), version, false);
  }

  // An object that is there no more. An empty uid stands for any. What it was, if it was known.
  Value gone(const ObjectKey& key, std::string_view uid) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = cells_.find(key);
    if (found == cells_.end()) return nullptr;
    if (!uid.empty() && found->second.value->meta.uid != uid) return nullptr;
    Value last = found->second.value;
    bury(last->meta.uid);
    unindex(found->second);
    cells_.erase(found);
    return last;
  }

  // A list is read again from the start; sweep() afterwards drops what it did not mention.
  void begin_relist() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++relist_;
  }
  std::vector<Value> sweep() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<Value> dropped;
    for (auto cell = cells_.begin(); cell != cells_.end();) {
      if (cell->second.seen_in == relist_) {
        ++cell;
        continue;
      }
      dropped.push_back(cell->second.value);
      bury(cell->second.value->meta.uid);
      unindex(cell->second);
      cell = cells_.erase(cell);
    }
    return dropped;
  }

 private:
  struct Cell {
    Value value;
    std::uint64_t version = 0;
    bool from_watch = false;
    std::uint64_t seen_in = 0;
    std::vector<std::string> index_keys;
  };

  Watched put(Cell& cell, Value value, std::uint64_t version, bool from_watch) REQUIRES(mutex_) {
    Watched result{true, cell.value, value};
    unindex(cell);
    cell.value = std::move(value);
    cell.version = version;
    cell.from_watch = from_watch;
    if (index_) {
      cell.index_keys = index_(*cell.value);
      for (const std::string& key : cell.index_keys) indexed_[key].insert(cell.value->meta.key);
    }
    return result;
  }

  // Uids of the objects that went last: late answers about them are no news.
  void bury(const std::string& uid) REQUIRES(mutex_) {
    constexpr std::size_t kRemembered = 4096;
    if (uid.empty() || !buried_.insert(uid).second) return;
    graves_.push_back(uid);
    if (graves_.size() > kRemembered) {
      buried_.erase(graves_.front());
      graves_.pop_front();
    }
  }

  void unindex(Cell& cell) REQUIRES(mutex_) {
    for (const std::string& key : cell.index_keys) {
      const auto found = indexed_.find(key);
      found->second.erase(cell.value->meta.key);
      if (found->second.empty()) indexed_.erase(found);
    }
    cell.index_keys.clear();
  }

  const Indexer index_;
  mutable Mutex mutex_;
  std::map<ObjectKey, Cell> cells_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::set<ObjectKey>> indexed_ GUARDED_BY(mutex_);
  std::uint64_t relist_ GUARDED_BY(mutex_) = 1;
  std::unordered_set<std::string> buried_ GUARDED_BY(mutex_);
  std::deque<std::string> graves_ GUARDED_BY(mutex_);
};

}  // namespace quorate::controller
