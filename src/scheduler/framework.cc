#include "src/scheduler/framework.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/scheduler/registry.h"

namespace quorate::scheduler {
namespace {

template <class Interface>
void add(const Plugin* plugin, std::vector<const Interface*>& to) {
  if (const auto* has = dynamic_cast<const Interface*>(plugin)) to.push_back(has);
}

// What a profile cannot do without; switching one of these off is ignored.
bool essential(std::string_view name) {
  return name == "PrioritySort" || name == "DefaultBinder" || name == "GangScheduling";
}

}  // namespace

namespace {

template <class T>
bool same(const T* a, const T* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr)
    return (a == nullptr || a->empty()) && (b == nullptr || b->empty());
  return *a == *b;
}

}  // namespace

bool same_shape(const PodView& a, const PodView& b) {
  if (a.node_name != b.node_name || !same(a.node_labels, b.node_labels) ||
      !same(a.tolerations, b.tolerations) || a.demand->charges != b.demand->charges ||
      a.demand->ports != b.demand->ports) {
    return false;
  }
  const PodTemplate& left = a.pod();
  const PodTemplate& right = b.pod();
  return &left == &right ||
         (left.node_selector == right.node_selector && left.node_affinity == right.node_affinity &&
          left.tolerations == right.tolerations &&
          left.preemption_policy == right.preemption_policy);
}

Framework::Framework(const Profile& profile) : scheduler_name(profile.scheduler_name) {
  for (const Plugin* plugin : registry()) {
    const bool off = std::ranges::find(profile.disabled, plugin->name()) != profile.disabled.end();
    if (off && !essential(plugin->name())) continue;
    add(plugin, pre_enqueue);
    add(plugin, post_filter);
    add(plugin, reserve);
    add(plugin, permit);
    add(plugin, pre_bind);
    add(plugin, bind);
    add(plugin, post_bind);
    add(plugin, group_pre_enqueue);
    add(plugin, placement_generate);
    add(plugin, placement_score);
    if (const auto* sort = dynamic_cast<const QueueSortPlugin*>(plugin)) queue_sort = sort;
    if (const auto* plan = dynamic_cast<const PlanGroupPlugin*>(plugin)) plan_group = plan;
    if (const auto* filter = dynamic_cast<const FilterPlugin*>(plugin)) {
      filters.push_back({filter, dynamic_cast<const PreFilterPlugin*>(plugin)});
    }
    if (const auto* score = dynamic_cast<const ScorePlugin*>(plugin)) {
      const auto weight = profile.score_weights.find(std::string(plugin->name()));
      scores.push_back(
          {score, dynamic_cast<const PreScorePlugin*>(plugin),
           weight == profile.score_weights.end() ? score->default_weight() : weight->second});
    }
  }
  check(queue_sort != nullptr && plan_group != nullptr && !bind.empty(), "essential plugins");
  check(filters.size() < 64, "one bit per filter");
}

}  // namespace quorate::scheduler
