#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "quota/names.h"
#include "src/base/quantity.h"

namespace quorate::quota {

// Quantities by (flavor, resource), for requests and answers: small, sorted, no zeros, so a missing
// key means zero and equal maps mean equal amounts.
class ResourceMap {
 public:
  using Entry = std::pair<FlavorResource, Quantity>;

  Quantity operator[](FlavorResource key) const {
    const auto at = find(key);
    return at != entries_.end() && at->first == key ? at->second : Quantity{};
  }
  void add(FlavorResource key, Quantity amount) {
    if (amount == Quantity{}) return;
    const auto at = entries_.begin() + (find(key) - entries_.cbegin());
    if (at == entries_.end() || at->first != key) {
      entries_.insert(at, {key, amount});
    } else if ((at->second += amount) == Quantity{}) {
      entries_.erase(at);
    }
  }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  friend bool operator==(const ResourceMap&, const ResourceMap&) = default;

 private:
  std::vector<Entry>::const_iterator find(FlavorResource key) const {
    return std::lower_bound(entries_.begin(), entries_.end(), key,
                            [](const Entry& entry, FlavorResource k) { return entry.first < k; });
  }
  std::vector<Entry> entries_;
};

}  // namespace quorate::quota
