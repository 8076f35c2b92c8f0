// Remedies inside the workload: fewer pods, priority, tolerations, selectors.

#include <algorithm>
#include <set>

#include "src/simulate/explain.h"

namespace quorate::simulate {
namespace {

using objects::Workload;

void apply_workload(SimulatedCluster& trial, Workload workload) {
  workload.meta.generation = 0;  // the change makes a new one
  Objects applied;
  applied.of<Workload>().emplace(workload.meta.key, std::move(workload));
  trial.change({}, std::move(applied));
}

void fewer_pods(Trials& trials, std::vector<Remedy>& out) {
  const Workload& workload = trials.workload();
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const std::int32_t count = workload.pod_sets[i].count;
    if (count < 2) continue;
    const std::optional<std::int64_t> fewer =
        trials.smallest(count - 1, 0, [&](SimulatedCluster& trial, std::int64_t less) {
          Workload changed = workload;
          objects::PodSet& set = changed.pod_sets[i];
          set.count = count - static_cast<std::int32_t>(less);
          if (set.min_count && *set.min_count > set.count) set.min_count = set.count;
          apply_workload(trial, std::move(changed));
        });
    if (!fewer) continue;
    const std::string left = std::to_string(count - *fewer);
    out.push_back(
        {"fewer-pods",
         "run " + left + " instead of " + std::to_string(count) + " pods in pod set " +
             workload.pod_sets[i].name,
         {{"podSet", workload.pod_sets[i].name}, {"from", std::to_string(count)}, {"to", left}}});
  }
}

void higher_priority(Trials& trials, std::vector<Remedy>& out) {
  const Workload& workload = trials.workload();
  const std::int32_t own = workload.priority.value_or(0);
  std::set<std::int32_t> steps;  // just above each other priority
  for (const auto& [key, other] : trials.base().objects().of<Workload>()) {
    const std::int32_t theirs = other.priority.value_or(0);
    if (theirs >= own && theirs < INT32_MAX && key != trials.key()) steps.insert(theirs + 1);
  }
  const std::vector<std::int32_t> ladder(steps.begin(), steps.end());
  const std::optional<std::int64_t> rung = trials.smallest(
      static_cast<std::int64_t>(ladder.size()), 0, [&](SimulatedCluster& trial, std::int64_t n) {
        Workload changed = workload;
        changed.priority = ladder[static_cast<std::size_t>(n - 1)];
        changed.priority_class.reset();
        apply_workload(trial, std::move(changed));
      });
  if (!rung) return;
  const std::string to = std::to_string(ladder[static_cast<std::size_t>(*rung - 1)]);
  out.push_back({"raise-priority",
                 "raise its priority from " + std::to_string(own) + " to " + to,
                 {{"from", std::to_string(own)}, {"to", to}}});
}

bool matters(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

// What keeps the pods of a set from a flavor's nodes: taints, and selectors that contradict its
// labels. Changes the template so that nothing does; says what was changed.
std::string make_fit(PodTemplate& pod, const objects::ResourceFlavor& flavor) {
  std::string text;
  for (const Taint& taint : flavor.node_taints) {
    if (!matters(taint) || tolerates(pod.tolerations, taint) ||
        tolerates(flavor.tolerations, taint)) {
      continue;
    }
    pod.tolerations.push_back(
        {.key = taint.key, .op = "Equal", .value = taint.value, .effect = taint.effect});
    text += (text.empty() ? "" : ", ") + std::string("tolerate taint ") + taint.key + "=" +
            taint.value + ":" + taint.effect;
  }
  for (const auto& [key, value] : flavor.node_labels) {
    const auto wanted = pod.node_selector.find(key);
    if (wanted == pod.node_selector.end() || wanted->second == value) continue;
    text += (text.empty() ? "" : ", ") + std::string("select nodes by ") + key + "=" + value +
            " instead of " + wanted->second;
    wanted->second = value;
  }
  return text;
}

void other_flavor(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out) {
  std::set<std::pair<std::string, std::string>> refused;  // (flavor, pod set)
  for (const admission::Fact& fact : hold.proof.facts) {
    if (const auto* f = std::get_if<admission::FlavorMismatch>(&fact)) {
      refused.insert({f->flavor, f->pod_set});
    }
  }
  const auto& flavors = trials.base().objects().of<objects::ResourceFlavor>();
  for (const auto& [name, pod_set] : refused) {
    const auto flavor = flavors.find({"", name});
    if (flavor == flavors.end()) continue;
    Workload changed = trials.workload();
    std::string text;
    for (objects::PodSet& set : changed.pod_sets) {
      if (!pod_set.empty() && set.name != pod_set) continue;
      PodTemplate pod = *set.pod_template.parsed;
      text = make_fit(pod, flavor->second);
      set.pod_template.parsed = std::make_shared<const PodTemplate>(std::move(pod));
    }
    if (text.empty()) continue;
    if (!trials.admits([&](SimulatedCluster& trial) { apply_workload(trial, changed); })) continue;
    out.push_back({"use-flavor",
                   "let pod set " + pod_set + " run on flavor " + name + ": " + text,
                   {{"flavor", name}, {"podSet", pod_set}, {"change", text}}});
  }
}

void looser_topology(Trials& trials, std::vector<Remedy>& out) {
  const Workload& workload = trials.workload();
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const auto& request = workload.pod_sets[i].topology;
    if (!request || !request->required) continue;
    Workload changed = workload;
    objects::TopologyRequest& loose = *changed.pod_sets[i].topology;
    loose.preferred = loose.required;
    loose.required.reset();
    if (!trials.admits([&](SimulatedCluster& trial) { apply_workload(trial, changed); })) continue;
    out.push_back({"relax-topology",
                   "prefer instead of require topology level " + *request->required +
                       " for pod set " + workload.pod_sets[i].name,
                   {{"podSet", workload.pod_sets[i].name}, {"level", *request->required}}});
  }
}

}  // namespace

void workload_remedies(Trials& trials, const admission::Hold& hold, std::vector<Remedy>& out) {
  other_flavor(trials, hold, out);
  looser_topology(trials, out);
  fewer_pods(trials, out);
  higher_priority(trials, out);
}

}  // namespace quorate::simulate
