#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>

namespace quorate::cluster {

// Uids of the last objects that went away, so that an event about one that arrives after its
// deletion does not bring it back. Bounded: events overtake each other by a few places, not
// by thousands.
class RecentlyDead {
 public:
  void add(std::string uid) {
    if (uid.empty() || !uids_.insert(uid).second) return;
    order_.push_back(std::move(uid));
    if (order_.size() <= kKept) return;
    uids_.erase(order_.front());
    order_.pop_front();
  }
  bool contains(std::string_view uid) const { return uids_.find(uid) != uids_.end(); }

 private:
  static constexpr std::size_t kKept = 1024;
  std::deque<std::string> order_;
  std::set<std::string, std::less<>> uids_;
};

}  // namespace quorate::cluster
