#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/base/id.h"

namespace quorate {

// Names from a small, slowly growing set (resources, flavors, label keys) to dense ids, for ever.
// For sets that come and go use a SlotMap with a name index.
template <class Tag>
class Interner {
 public:
  Interner() = default;
  Interner(const Interner& other) { *this = other; }
  Interner& operator=(const Interner& other) {
    if (this == &other) return *this;
    names_.clear();
    ids_.clear();
    for (const std::string& name : other.names_) intern(name);
    return *this;
  }

  Id<Tag> intern(std::string_view name) {
    if (const auto found = ids_.find(name); found != ids_.end()) return {found->second, 0};
    const auto slot = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(names_.back(), slot);  // a deque never moves its elements
    return {slot, 0};
  }

  // The id of a name that may never have been seen; a false Id if so.
  Id<Tag> find(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? Id<Tag>{} : Id<Tag>{found->second, 0};
  }

  const std::string& name(Id<Tag> id) const { return names_.at(id.slot); }
  std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace quorate
