#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// A pod with scheduling gates is not tried and nothing is written about it: the API server itself
// says SchedulingGated when it creates the pod.
class SchedulingGates final : public PreEnqueuePlugin {
 public:
  std::string_view name() const override { return "SchedulingGates"; }

  Status pre_enqueue(const cluster::PodSpec& pod) const override {
    if (pod.spec->scheduling_gates.empty()) return {};
    return {Code::UnschedulableAndUnresolvable, "waiting for scheduling gates"};
  }
};

}  // namespace

const Plugin& scheduling_gates() {
  static const SchedulingGates kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
