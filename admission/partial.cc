// With whose leaving an assignment can be had, and partial admission: how many pods fewer can.

#include <algorithm>
#include <optional>

#include "admission/assigner.h"
#include "admission/placement_trial.h"

namespace quorate::admission {
namespace {

// Whether it can be had, now or once its targets are gone; finds these.
bool obtainable(const AssignContext& context, const Facts& workload, Assignment& assignment) {
  if (assignment.mode == Mode::Fit) return true;
  if (assignment.mode == Mode::NoFit || context.preemption == nullptr) return false;
  const Preemptor preemptor = preemptor_of(context, workload, assignment);
  const bool placed = std::any_of(assignment.pod_sets.begin(), assignment.pod_sets.end(),
                                  [](const PodSetResult& pods) { return pods.topology; });
  if (!placed || context.topology.journal == nullptr) {
    assignment.targets = context.preemption->find(preemptor);
    return !assignment.targets.empty();
  }
  TopologyTrial places(*context.topology.journal, context, workload, assignment);
  assignment.targets = context.preemption->find(preemptor, &places);
  if (assignment.targets.empty()) return false;
  assign_places_without_targets(context, workload, assignment);
  return true;
}

}  // namespace

Preemptor preemptor_of(const AssignContext& context, const Facts& workload,
                       const Assignment& assignment) {
  Preemptor preemptor{&workload, context.node, &context.spec, assignment.usage, {}};
  std::vector<quota::FlavorResource>& contested = preemptor.contested;
  for (const PodSetResult& pods : assignment.pod_sets) {
    for (const FlavorChoice& choice : pods.choices) {
      if (choice.mode != Mode::Fit) contested.push_back({choice.flavor, choice.resource});
    }
  }
  std::sort(contested.begin(), contested.end());
  contested.erase(std::unique(contested.begin(), contested.end()), contested.end());
  return preemptor;
}

std::vector<std::int32_t> remaining_counts(const Facts& workload) {
  std::vector<std::int32_t> counts;
  for (const PodSetFacts& pods : workload.pod_sets) counts.push_back(pods.remaining);
  return counts;
}

Assignment assign_or_shrink(const AssignContext& context, const Facts& workload,
                            const Scan* resume) {
  Assignment full = assign(context, workload, remaining_counts(workload), resume);
  std::int64_t slack = 0;
  for (const PodSetFacts& pods : workload.pod_sets) {
    slack += pods.count - std::min(pods.count, pods.min_count.value_or(pods.count));
  }
  if (obtainable(context, workload, full) || slack == 0 || context.replaced != nullptr) {
    return full;
  }

  const auto counts_at = [&](std::int64_t k) {
    std::vector<std::int32_t> counts;
    for (const PodSetFacts& pods : workload.pod_sets) {
      const std::int64_t delta =
          pods.count - std::min(pods.count, pods.min_count.value_or(pods.count));
      counts.push_back(static_cast<std::int32_t>(pods.count - delta * k / slack));
    }
    return counts;
  };
  std::optional<Assignment> fitting;
  std::int64_t fitting_at = -1, low = 0, high = slack + 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    Assignment tried = assign(context, workload, counts_at(middle), resume);
    if (obtainable(context, workload, tried)) {
      high = middle;
      fitting = std::move(tried);
      fitting_at = middle;
    } else {
      low = middle + 1;
    }
  }
  return fitting && fitting_at == low ? std::move(*fitting) : full;
}

Assignment assign_again(const AssignContext& context, const Facts& workload,
                        const Assignment& pinned) {
  AssignContext again = context;
  again.pinned = &pinned;
  std::vector<std::int32_t> counts;
  for (const PodSetResult& pods : pinned.pod_sets) counts.push_back(pods.count);
  Assignment assignment = assign(again, workload, counts, nullptr);
  obtainable(again, workload, assignment);
  assignment.scan.pod_sets.clear();  // says nothing about the flavors that were not tried
  return assignment;
}

}  // namespace quorate::admission
