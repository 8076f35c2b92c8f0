#include <tuple>

#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// Higher priority, then gangs that miss members, then older; the name makes the order total.
class PrioritySort final : public QueueSortPlugin {
 public:
  std::string_view name() const override { return "PrioritySort"; }

  bool before(const Rank& a, const Rank& b) const override {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.incomplete != b.incomplete) return a.incomplete;
    return std::tie(a.since, a.entity) < std::tie(b.since, b.entity);
  }
};

}  // namespace

const Plugin& priority_sort() {
  static const PrioritySort kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
