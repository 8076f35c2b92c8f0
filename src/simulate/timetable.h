#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "src/base/object_key.h"
#include "src/base/time.h"

namespace quorate::simulate {

// What time alone does to a workload: at most one moment of each kind per workload. In order of
// time, then of kind, then of name.
class Timetable {
 public:
  enum class What {
    Ready,   // the last of its pods is ready
    End,     // its job ends
    Delete,  // it has been over for as long as it is to be kept
  };
  struct Due {
    Time at;
    What what = What::Ready;
    ObjectKey workload;
    friend auto operator<=>(const Due&, const Due&) = default;
  };

  bool has(What what, const ObjectKey& workload) const { return at_.contains({what, workload}); }

  void set(What what, const ObjectKey& workload, Time at) {
    cancel(what, workload);
    at_[{what, workload}] = at;
    order_.insert({at, what, workload});
  }

  void cancel(What what, const ObjectKey& workload) {
    const auto found = at_.find({what, workload});
    if (found == at_.end()) return;
    order_.erase({found->second, what, workload});
    at_.erase(found);
  }

  void cancel_all(const ObjectKey& workload) {
    for (const What what : {What::Ready, What::End, What::Delete}) cancel(what, workload);
  }

  std::optional<Time> next() const {
    return order_.empty() ? std::nullopt : std::optional<Time>(order_.begin()->at);
  }

  // Takes the first that is due by `now`.
  std::optional<Due> take(Time now) {
    if (order_.empty() || order_.begin()->at > now) return std::nullopt;
    Due due = *order_.begin();
    cancel(due.what, due.workload);
    return due;
  }

 private:
  std::map<std::pair<What, ObjectKey>, Time> at_;
  std::set<Due> order_;
};

}  // namespace quorate::simulate
