#include "src/scheduler/plugins/plugins.h"

namespace quorate::scheduler {
namespace {

// The text that tells users and autoscalers what evicting others came to. Where this plugin is on,
// the scheduler looks for victims (preemption.h) before it asks for the text.
class DefaultPreemption final : public PostFilterPlugin {
 public:
  std::string_view name() const override { return "DefaultPreemption"; }

  Status post_filter(const PodView& pod, const FilterOutcome& outcome) const override {
    if (pod.pod().preemption_policy == "Never") {
      return {Code::Unschedulable, "preemption: not eligible due to preemptionPolicy=Never."};
    }
    if (!outcome.not_eligible.empty()) {
      return {Code::Unschedulable, "preemption: " + outcome.not_eligible};
    }
    std::set<std::string> parts;  // in the order of the strings, counts included
    for (const auto& [reason, nodes] : outcome.after_eviction) {
      parts.insert(std::to_string(nodes) + " " + reason);
    }
    if (outcome.unschedulable > 0 && outcome.after_eviction.empty()) {
      parts.insert(std::to_string(outcome.unschedulable) +
                   " No preemption victims found for incoming pod");
    }
    if (outcome.unresolvable > 0) {
      parts.insert(std::to_string(outcome.unresolvable) +
                   " Preemption is not helpful for scheduling");
    }
    std::string text = "preemption: 0/" + std::to_string(outcome.nodes) + " nodes are available: ";
    for (const std::string& part : parts) text += (part == *parts.begin() ? "" : ", ") + part;
    return {Code::Unschedulable, text + "."};
  }

  Status post_filter_group(std::string_view policy, std::string_view finding) const override {
    if (policy == "Never") {
      return {Code::Unschedulable,
              "deallocation and deletion of ResourceClaims completed, pod group preemption: not "
              "eligible due to preemptionPolicy=Never."};
    }
    return {Code::Unschedulable, std::string(finding)};
  }
};

}  // namespace

const Plugin& default_preemption() {
  static const DefaultPreemption kPlugin;
  return kPlugin;
}

}  // namespace quorate::scheduler
