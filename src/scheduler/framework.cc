#include "src/scheduler/framework.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/devices/pod_claims.h"
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

namespace {

// True if no selector, of the pods themselves or of those in the cluster, tells their labels apart.
bool same_to_selectors(const cluster::Model& model, const PodView& a, const PodView& b) {
  if (a.demand->occupant == b.demand->occupant) return true;
  const PodRelations& own = a.relations();
  if (a.pod().relations.is_default() && !model.terms().any()) return true;
  if (a.ns() != b.ns()) return false;
  bool alike = true;
  const auto look_at = [&](const std::string& key) {
    const auto in_a = a.labels().find(key);
    const auto in_b = b.labels().find(key);
    const bool absent = in_a == a.labels().end();
    alike =
        alike && absent == (in_b == b.labels().end()) && (absent || in_a->second == in_b->second);
  };
  cluster::each_term(own, [&](const PodAffinityTerm& term) { cluster::each_key(term, look_at); });
  for (const SpreadConstraint& spread : own.spread) {
    if (spread.selector) {
      for (const Requirement& one : spread.selector->requirements) look_at(one.key);
    }
    for (const std::string& key : spread.match_label_keys) look_at(key);
  }
  for (const auto& [key, times] : model.terms().keys()) look_at(key);
  // A claim that is made for the pod is its own.
  return alike && std::ranges::none_of(own.volumes, [](const PodVolume& volume) {
           return volume.kind == PodVolume::Kind::Ephemeral;
         });
}

}  // namespace

bool same_shape(const cluster::Model& model, const PodView& a, const PodView& b) {
  if (a.node_name != b.node_name || !same(a.node_labels, b.node_labels) ||
      !same(a.tolerations, b.tolerations) || a.demand->charges != b.demand->charges ||
      a.demand->ports != b.demand->ports) {
    return false;
  }
  const std::uint64_t left_claims = a.claims == nullptr ? 0 : a.claims->id;
  if (left_claims != (b.claims == nullptr ? 0 : b.claims->id)) return false;
  const PodTemplate& left = a.pod();
  const PodTemplate& right = b.pod();
  const bool same_pod =
      &left == &right ||
      (left.node_selector == right.node_selector && left.node_affinity == right.node_affinity &&
       left.tolerations == right.tolerations && left.preemption_policy == right.preemption_policy &&
       left.images == right.images && left.relations == right.relations);
  return same_pod && same_to_selectors(model, a, b);
}

Framework::Framework(const Profile& profile)
    : scheduler_name(profile.scheduler_name), plugins_(make_plugins(profile.args)) {
  for (const std::shared_ptr<const Plugin>& each : plugins_) {
    const Plugin* plugin = each.get();
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
    const auto weight_or = [&](std::int64_t by_default) {
      const auto weight = profile.score_weights.find(std::string(plugin->name()));
      return weight == profile.score_weights.end() ? by_default : weight->second;
    };
    if (const auto* score = dynamic_cast<const ScorePlugin*>(plugin)) {
      scores.push_back(
          {score, dynamic_cast<const PreScorePlugin*>(plugin), weight_or(score->default_weight())});
    }
    if (const auto* joint = dynamic_cast<const JointScorePlugin*>(plugin)) {
      joint_scores.push_back({joint, weight_or(joint->joint_weight())});
    }
  }
  check(queue_sort != nullptr && plan_group != nullptr && !bind.empty(), "essential plugins");
  check(filters.size() < 64, "one bit per filter");
}

}  // namespace quorate::scheduler
